"""Raw features as a float32 or float64 matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["as_matrix"]


def as_matrix(X: Any) -> Array:
    """Return X as a matrix of float32 or float64, in its memory order.

    Integers and booleans become float64. NaN and masked values are missing; infinities are values.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Features.

    Returns
    -------
    array of shape (n, p)
        The matrix.

    Raises
    ------
    TypeError
        If X is not numeric.
    ValueError
        If X has another shape, or is empty.

    Examples
    --------
    >>> from wgboost.data.matrix import as_matrix
    >>> as_matrix([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if np.ma.isMaskedArray(X):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    matrix: Array = np.asarray(X)
    if matrix.dtype.kind not in "fiub":
        raise TypeError(
            f"X has dtype {matrix.dtype}; numbers are needed: encode text and categories, make "
            "sparse matrices dense"
        )
    if matrix.ndim != 2:
        raise ValueError(
            f"X has shape {matrix.shape}; a matrix (rows, features) is needed: "
            "X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row"
        )
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(
            f"X of shape {matrix.shape} is empty; at least one row and feature are needed"
        )
    if matrix.dtype not in (np.float32, np.float64) or not matrix.dtype.isnative:
        matrix = matrix.astype(np.float32 if matrix.dtype == np.float16 else np.float64)
    # The core needs strides in whole elements, which a field of a record array does not have.
    if not matrix.flags.aligned or any(step % matrix.itemsize for step in matrix.strides):
        matrix = matrix.copy()
    return matrix
