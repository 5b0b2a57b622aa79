"""The one shape of raw features inside the library: a float32 or float64 matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["as_matrix"]


def as_matrix(X: Any) -> Array:
    """Return X as a matrix (n, p) of float32 or float64, in whatever memory order it has.

    Integers and booleans become float64. NaN means missing; infinities are values.
    Raises TypeError for other types and ValueError for other shapes or an empty X.
    """
    X = np.asarray(X)
    if X.dtype.kind not in "fiub":
        raise TypeError(
            f"X has dtype {X.dtype}; numbers are needed: encode text and categories first"
        )
    if X.ndim != 2:
        raise ValueError(
            f"X has shape {X.shape}; a matrix (rows, features) is needed: "
            "X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one row"
        )
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"X of shape {X.shape} is empty; at least one row and feature are needed")
    if X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
        X = X.astype(np.float32 if X.dtype == np.float16 else np.float64)
    if not X.flags.aligned or X.strides[0] % X.itemsize or X.strides[1] % X.itemsize:
        X = X.copy()
    return X
