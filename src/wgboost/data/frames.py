"""Columns of frames of pandas, polars and Arrow, and dense copies of sparse matrices."""

from __future__ import annotations

import decimal
import math
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from wgboost.data.temporal import days_of, days_of_values
from wgboost.typing import Array

__all__ = ["Column", "as_dense", "as_frame", "column_of", "column_of_series", "column_of_values",
           "frame_names"]  # fmt: skip

_NUMBERS = (numbers.Real, np.bool_, decimal.Decimal)


@dataclass(frozen=True, eq=False)
class Column:
    """One column: numbers, with NaN where missing, or text, with None where missing."""

    values: Array  # (n,) float32 or float64, or objects
    declared: bool = False  # whether its type is categorical
    dated: bool = False  # whether the numbers are dates, times or durations

    @property
    def text(self) -> bool:
        """Whether the values are text."""
        return self.values.dtype == object

    @property
    def kind(self) -> str:
        """Description of the column, for messages."""
        what = "text" if self.text else "dates or times" if self.dated else "numbers"
        return f"a category of {what}" if self.declared else what

    @property
    def missing(self) -> Array:
        """Mask (n,) of missing values."""
        if not self.text:
            return np.isnan(self.values)
        return np.array([value is None for value in self.values], dtype=bool)


def as_frame(X: Any) -> Any:
    """Return a frame of any library as a narwhals frame, or None if X is not a frame.

    Raise TypeError if X is lazy, or its columns have several levels of names.
    """
    if hasattr(X, "iloc") and getattr(getattr(X, "columns", None), "nlevels", 1) > 1:  # pandas
        raise TypeError(
            f"X has columns with several levels of names (MultiIndex), such as {X.columns[0]!r}; "
            "X.columns = ['_'.join(map(str, name)) for name in X.columns] makes one of each"
        )
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame; give X.collect()")
    return frame if isinstance(frame, nw.DataFrame) else None


def frame_names(columns: Sequence[Any]) -> list[str] | None:
    """Return the names of columns as text, or None if they are 0, 1, 2, ... in this order.

    A mixture of text and other names is a TypeError.
    """
    columns = list(columns)
    if set(map(type, columns)) == {str}:
        return columns
    named = [isinstance(name, str) for name in columns]
    if all(named):
        return columns
    if any(named):
        odd = columns[named.index(False)]
        raise TypeError(
            f"X has columns named by text and one named {odd!r}; "
            "X.columns = X.columns.astype(str) names all by text"
        )
    numbered = columns == list(range(len(columns)))
    return None if numbered else [str(name) for name in columns]


def column_of(frame: Any, i: int) -> Column:
    """Return the column at an index; raise TypeError if it cannot be a feature."""
    return column_of_series(frame.columns[i], frame[:, i])


def column_of_series(name: Any, series: Any) -> Column:
    """Return a column of a series of narwhals; raise TypeError if it cannot be a feature."""
    kind = series.dtype
    if kind == nw.Float32:
        return Column(_floats(series, nw.Float32))
    if kind == nw.Boolean or kind.is_numeric():
        return Column(_floats(series, nw.Float64))
    if kind in (nw.Categorical, nw.Enum):
        return _of_series(name, series, declared=True)
    dates = days_of(series)
    if dates is not None:
        return Column(dates, dated=True)
    native = series.to_native()
    type_name = str(getattr(native, "dtype", ""))
    if type_name.startswith("Sparse["):
        return column_of_series(name, nw.from_native(native.sparse.to_dense(), series_only=True))
    if type_name.startswith("interval["):
        return _of_series(name, series, declared=True)
    if kind in (nw.String, nw.Object) or series.null_count() == len(series):
        return _of_series(name, series, declared=False)
    raise TypeError(f"column {name!r} of type {kind} is neither numbers nor categories; drop it")


def _of_series(name: Any, series: Any, declared: bool) -> Column:
    return column_of_values(name, series.to_list(), series.is_null().to_numpy(), declared)


def column_of_values(
    name: Any, values: Sequence[Any], missing: Sequence[bool] | Array, declared: bool
) -> Column:
    """Return a column of Python objects: text, numbers or dates.

    `missing` (n,) marks missing values. If the column is `declared` to be categorical, intervals
    and dates become text. Raise TypeError unless values are all text or all numbers.
    """
    if len(values) == 1 and isinstance(values[0], str) and not missing[0]:  # for speed
        return Column(np.array(values, dtype=object), declared=declared)
    missing = np.asarray(missing, dtype=bool)
    if not declared:
        dates = days_of_values(values, missing)
        return (
            Column(_objects(name, values, missing)) if dates is None else Column(dates, dated=True)
        )
    types = {type(value) for value, gone in zip(values, missing, strict=True) if not gone}
    odd = len(types) == 1 and not issubclass(next(iter(types)), (str, *_NUMBERS))
    if odd:
        values = [None if gone else _as_text(v) for v, gone in zip(values, missing, strict=True)]
    return Column(_objects(name, values, missing), declared=True)


def _as_text(value: Any) -> str:
    """Return a category as text; an interval has the same text with ends 1 and 1.0."""
    if not all(hasattr(value, name) for name in ("left", "right", "closed")):
        return str(value)
    ends = [
        int(float(end)) if isinstance(end, numbers.Real) and float(end).is_integer() else end
        for end in (value.left, value.right)
    ]
    before = "[" if value.closed in ("left", "both") else "("
    after = "]" if value.closed in ("right", "both") else ")"
    return f"{before}{ends[0]}, {ends[1]}{after}"


def _floats(series: Any, kind: Any) -> Array:
    values: Array = np.array(series.cast(kind).to_numpy())
    return values


def _objects(name: Any, values: Sequence[Any], missing: Array) -> Array:
    """Return text as an array of objects, and numbers and booleans as float64."""
    there = [value for value, gone in zip(values, missing, strict=True) if not gone]
    if there and all(isinstance(value, str) for value in there):
        text = np.empty(len(values), dtype=object)
        text[~missing] = there
        return text
    if not all(isinstance(value, _NUMBERS) for value in there):
        types = sorted({type(value).__name__ for value in there})
        raise TypeError(
            f"column {name!r} has values of type {', '.join(types)}; categories are all text or "
            "all numbers: astype(str) makes them text"
        )
    floats = np.full(len(values), np.nan)
    floats[~missing] = [float(value) for value in there]
    return floats


def as_dense(X: Any) -> Any:
    """Return a sparse matrix as a dense one, and anything else unchanged.

    Raise ValueError if the dense matrix would take more than half of the memory.
    """
    given: Any = X
    if not sparse.issparse(given):
        return X
    kind = np.float32 if X.dtype == np.float32 else np.float64
    needed = math.prod(X.shape) * np.dtype(kind).itemsize
    if needed > _memory() / 2:
        raise ValueError(
            f"the sparse X of shape {X.shape} takes {needed / 2**30:.3g} GiB as a dense matrix, "
            f"and this machine has {_memory() / 2**30:.3g}; drop rare columns or project them "
            "(sklearn.decomposition.TruncatedSVD)"
        )
    return X.toarray() if X.dtype.kind == "c" else X.astype(kind).toarray()


def _memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # unknown on this system
        return np.inf
