"""Rows in parts that fit into memory or into a cache."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["row_slices"]


def row_slices(n: int, size: int) -> Iterator[slice]:
    """Yield slices of `size` rows that cover n rows; the last may have fewer.

    Parameters
    ----------
    n : int
        Number of rows.
    size : int
        Number of rows of a slice, at least 1.

    Yields
    ------
    slice
        The next rows.

    Notes
    -----
    The function `gen_batches` of scikit-learn does the same, and checks its parameters at a cost of
    some 30 microseconds, more than many of the loops here.

    Examples
    --------
    >>> list(row_slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for begin in range(0, n, size):
        yield slice(begin, min(begin + size, n))
