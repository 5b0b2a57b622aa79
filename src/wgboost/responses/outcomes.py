"""Checks of y that every response with one number per row needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["check_outcomes"]


def check_outcomes(y: Any) -> Array:
    """Return y (n,) in float64; raise if it is no column of finite real numbers."""
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: y has to be real")
    if given.ndim != 1:
        raise ValueError(f"y has shape {given.shape}; one value per row, (n,), is needed")
    if given.size == 0:
        raise ValueError("y has 0 rows; at least one is needed")
    try:
        values: Array = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y of dtype {given.dtype} is not numeric: {error}") from error
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"y is {values[row]} at row {row}; drop the row or fill it in")
    return values
