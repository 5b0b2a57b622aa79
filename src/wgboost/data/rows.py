"""Rows of frames, matrices, series and lists."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from wgboost.data.frames import as_frame
from wgboost.typing import Array

__all__ = ["count_rows", "take_rows"]


def count_rows(values: Any) -> int:
    """Return the number of rows of a frame, a matrix, a series or a list."""
    shape = getattr(values, "shape", None)
    return int((np.asarray(values).shape if shape is None else shape)[0])


def take_rows(values: Any, rows: Array) -> Any:
    """Return rows of X or y, of the same type; lists become arrays."""
    frame = as_frame(values)
    if frame is not None:
        return frame[rows.tolist(), :].to_native()
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return series[rows.tolist()].to_native()
    if sparse.issparse(values):
        matrix: Any = values
        return matrix.tocsr()[rows]
    # A pandas Categorical is not a series; as an array it would lose its order.
    return values[rows] if hasattr(values, "dtype") else np.asarray(values)[rows]
