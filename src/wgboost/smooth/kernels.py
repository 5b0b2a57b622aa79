"""Kernels: correlation as a function of distance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wgboost.slicing import row_slices
from wgboost.typing import Array

__all__ = ["KERNELS", "blocks", "correlate"]

KERNELS = ("matern52", "rbf")
_PAIRS = 2**15  # pairs at a time, which fit into the second-level cache


def blocks(n: int, width: int) -> Iterator[slice]:
    """Return slices of n rows of so many numbers, each small enough for the cache."""
    return row_slices(n, max(16, _PAIRS // max(1, width)))


def correlate(kernel: str, a: Array, b: Array, out: Array, slopes: Array | None = None) -> None:
    """Write the correlations (n, m) at points (n, q) and (m, q) into out.

    Their derivatives in the squared distance go into slopes. Squared distances that rounding made
    negative count as 0.
    """
    right, of_b = np.ascontiguousarray(-2 * b.T), np.square(b).sum(axis=1)
    for rows in blocks(len(a), len(b)):
        squares = a[rows] @ right
        squares += np.square(a[rows]).sum(axis=1)[:, None]
        squares += of_b
        np.maximum(squares, 0, out=squares)
        along = np.empty_like(squares) if slopes is None else slopes[rows]
        _correlations(kernel, squares, along)
        out[rows] = squares


def _correlations(kernel: str, squares: Array, slopes: Array) -> None:
    """Turn squared distances into correlations, in place; their derivatives go into slopes."""
    if kernel == "rbf":
        squares *= -0.5
        np.exp(squares, out=squares)
        np.multiply(squares, -0.5, out=slopes)
        return
    # Matérn: (1 + r + r^2 / 3) exp(-r) with r^2 = 5 squares, and -5 / 6 (1 + r) exp(-r).
    np.multiply(squares, 5, out=slopes)
    np.sqrt(slopes, out=slopes)
    decay = np.exp(-slopes)
    slopes += 1
    squares *= 5 / 3
    squares += slopes
    squares *= decay
    slopes *= decay
    slopes *= -5 / 6
