"""Checks of y for all responses."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array
from wgboost.validation import check_unmasked

__all__ = ["check_y", "check_y_columns"]


def check_y(y: Any) -> Array:
    """Return y (n,) in float64; raise unless it is a column of finite real numbers."""
    check_unmasked("y", y)
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real")
    if given.ndim != 1:
        remedy = "; 'multivariate_normal' is a response for several columns"
        if given.shape[1:] == (2,):
            remedy += "; if they are bounds of y: wgboost.censored(lower, upper)"
        raise ValueError(
            f"y has shape {given.shape}; one value per row, (n,), is needed"
            + (remedy if given.ndim == 2 else "")
        )
    values = _numbers(given)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"y is {values[row]} at row {row}; drop the row or fill it in")
    return values


def check_y_columns(y: Any, n_columns: int | None, name: str) -> Array:
    """Return y (n, q) in float64; raise unless it is a table of finite real numbers.

    `n_columns` is the number of columns of the response with this `name`, if it is fixed.
    """
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real")
    columns = given.shape[1] if given.ndim == 2 else 0
    if columns == 0 or n_columns not in (None, columns):
        needed = "q" if n_columns is None else n_columns
        remedy = "; for a single column use 'normal', or reshape(-1, 1)" if given.ndim == 1 else ""
        raise ValueError(
            f"y has shape {given.shape}; the response {name!r} needs columns, (n, {needed}){remedy}"
        )
    values = _numbers(given)
    finite = np.isfinite(values)
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"y is {values[row, column]} at row {row}, column {column}; drop the row or fill it in"
        )
    return values


def _numbers(given: Array) -> Array:
    if given.size == 0:
        raise ValueError("y has 0 rows; at least one is needed")
    if given.dtype.names is not None:
        raise TypeError(
            f"y has the fields {', '.join(given.dtype.names)}; use wgboost.censored(time, "
            "np.where(event, time, np.inf)) for times with an event indicator, and "
            "wgboost.censored(lower, upper) for bounds"
        )
    if given.dtype.kind in "mM":
        raise TypeError(f"y has dtype {given.dtype}; give numbers, such as days since a date")
    try:
        values: Array = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"y of dtype {given.dtype} is not numeric: {error}; labels are for WGBClassifier"
        ) from error
    return values
