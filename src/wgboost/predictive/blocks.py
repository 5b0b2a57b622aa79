"""Values broadcast against rows, and blocks of rows that bound the memory."""

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
"""Size of a temporary array: 0.5 MB of float64, so that several of them fit in the cache."""


def as_grid(
    name: str, values: Any, n: int, each: tuple[int, ...] = ()
) -> tuple[Array, tuple[int, ...]]:
    """Return values broadcast against the rows as (n, g), and the shape of the result.

    Values are a scalar, one value per row (n,), a grid for every row (n, ...) or one grid for all
    rows (1, ...). A single row takes values of any shape. If a value is itself an array of the
    shape `each`, its axes come last, also in the result (n, g, *each).
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
            f"{name} has shape {given.shape}, the distribution has {n} rows; give a number, "
            f"({n},), or a grid for every row as (1, g) or ({n}, g)"
        )
    shape = (n, *lead[1:])
    grid = np.broadcast_to(given, shape + each).reshape(n, math.prod(lead[1:]), *each)
    return np.ascontiguousarray(grid), shape


def row_blocks(n: int, width: int, size: int | None = None) -> Iterator[slice]:
    """Return slices of n rows so that a temporary array (rows, width) has about `size` numbers."""
    size = BLOCK if size is None else size
    return row_slices(n, max(1, size // width))


def blocks(n: int, columns: int, width: int) -> Iterator[tuple[slice, slice]]:
    """Return parts of (n, columns) so that (rows, columns, width) has about BLOCK numbers."""
    n_columns = max(1, min(columns, BLOCK // width))
    return itertools.product(row_blocks(n, n_columns * width), row_slices(columns, n_columns))
