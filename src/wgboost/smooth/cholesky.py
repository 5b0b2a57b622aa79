"""Cholesky factors, full and packed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cholesky, lapack, solve_triangular

from wgboost.typing import Array

__all__ = [
    "check_packed",
    "cholesky_factor",
    "inverse_diagonal",
    "pack",
    "triangular_solve",
    "unpack",
]


def cholesky_factor(matrix: Array) -> Array:
    """Return the lower Cholesky factor; raise LinAlgError if a matrix is not positive definite."""
    factor: Array = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    return factor


def triangular_solve(factor: Array, right: Array, *, transposed: bool = False) -> Array:
    """Solve a system with a lower factor, or with its transpose."""
    solution: Array = solve_triangular(
        factor, right, lower=True, trans="T" if transposed else "N", check_finite=False
    )
    return solution


def inverse_diagonal(factor: Array) -> Array:
    """Return the diagonal of the inverse of the matrix that a factor belongs to."""
    inverse, info = lapack.dtrtri(factor, lower=1)
    if info:
        raise np.linalg.LinAlgError("a factor has a zero on its diagonal")
    diagonal: Array = np.einsum("ij,ij->j", inverse, inverse)
    return diagonal


def pack(factor: Array) -> Array:
    """Return the lower triangle column by column, (n (n + 1) / 2,)."""
    triangle, _ = lapack.dtrttp(factor, uplo="L")
    numbers: Array = triangle
    return numbers


def unpack(triangle: Array, n: int) -> Array:
    """Return the matrix (n, n) of a packed lower triangle, zeros above."""
    matrix, _ = lapack.dtpttr(n, triangle, uplo="L")
    lower: Array = matrix
    return lower


def check_packed(name: str, triangle: Any, n: int) -> None:
    """Raise ValueError unless this is the packed Cholesky factor of a matrix (n, n)."""
    good = isinstance(triangle, np.ndarray) and triangle.dtype == np.float64
    if not good or triangle.shape != (n * (n + 1) // 2,) or not np.isfinite(triangle).all():
        raise ValueError(f"{name} of the smooth start is not a triangle of {n} columns")
    ends = np.cumsum(np.arange(n, 0, -1))
    if not (triangle[np.concatenate([[0], ends[:-1]])] > 0).all():
        raise ValueError(f"{name} of the smooth start has a diagonal that is not positive")
