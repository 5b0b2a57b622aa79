"""How values meet rows: rows on the first axis, and blocks that bound the memory."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from wgboost.slicing import row_slices
from wgboost.typing import Array

__all__ = ["BLOCK", "as_grid", "blocks", "row_blocks"]

BLOCK = 2**16
"""Numbers in a temporary array: 0.5 MB of float64, so that a chain of them stays in the cache."""


def as_grid(
    name: str, values: Any, n: int, each: tuple[int, ...] = ()
) -> tuple[Array, tuple[int, ...]]:
    """Return values broadcast against the rows as (n, g), and the shape of the result.

    Rows are the first axis: a scalar, one value per row (n,), a grid for every row (n, ...) or one
    grid for all rows (1, ...). A single row takes values of any shape. Where a value is an array
    itself, of the shape `each`, its axes are the last ones of the values and of what is returned,
    (n, g, *each).
    """
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not numeric: {error}") from error
    lead = given.shape[: given.ndim - len(each)]
    if given.shape[len(lead) :] != each:
        raise ValueError(f"{name} has shape {given.shape}; ({n}, {str(each)[1:-2]}) is needed")
    if n == 1 and lead:
        return np.ascontiguousarray(given.reshape(1, math.prod(lead), *each)), lead
    if lead and lead[0] not in (1, n):
        raise ValueError(
            f"{name} has shape {given.shape}, the distribution has {n} rows; rows come first: give "
            f"a number, ({n},), or a grid for every row as (1, g) or ({n}, g)"
        )
    shape = (n, *lead[1:])
    wide = np.broadcast_to(given, shape + each).reshape(n, math.prod(lead[1:]), *each)
    return np.ascontiguousarray(wide), shape


def row_blocks(n: int, width: int, size: int | None = None) -> Iterator[slice]:
    """Cut n rows into slices of which each times `width` has about `size` numbers.

    Parameters
    ----------
    n : int
        Number of rows.
    width : int
        Numbers of one row in a temporary array.
    size : int, optional
        Numbers of a block.

    Returns
    -------
    iterator of slice
        The rows of each block; at least one row.

    Examples
    --------
    >>> list(row_blocks(5, 10, size=20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = BLOCK if size is None else size
    return row_slices(n, max(1, size // width))


def blocks(n: int, columns: int, width: int) -> Iterator[tuple[slice, slice]]:
    """Cut (n, columns) into parts of which each times width has about BLOCK numbers."""
    wide = max(1, min(columns, BLOCK // width))
    return itertools.product(row_blocks(n, wide * width), row_slices(columns, wide))
