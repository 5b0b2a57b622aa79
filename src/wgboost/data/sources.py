"""Fast access to the columns of frames of each library.

Converting hundreds of columns one by one takes as long as predicting thousands of rows. So plain
numbers are read as one block, and a single row is read as a row. Frames of pandas and Arrow become
frames of narwhals only if a column needs it, since narwhals goes through all names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from wgboost.data.frames import (
    Column,
    as_frame,
    column_of,
    column_of_series,
    column_of_values,
    frame_names,
)
from wgboost.typing import Array

__all__ = ["Source", "source_of"]

_CHARS = "?bBhHiIlLqQfd"  # NumPy's plain numbers
_ARROW_NUMBERS = {"float", "double", *(f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64))}
_ARROW_TEXT = ("string", "large_string", "string_view")
_ARROW_CATEGORIES = tuple(f"dictionary<values={one}," for one in _ARROW_TEXT)


class Source:
    """The columns of a frame of any library, one by one."""

    def __init__(self, native: Any):
        self.native = native

    @cached_property
    def frame(self) -> Any:
        """The frame as one of narwhals."""
        return as_frame(self.native)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, p = self.native.shape
        return n, p

    @cached_property
    def columns(self) -> list[Any]:
        """The names of the columns as they are."""
        return list(self.frame.columns)

    @cached_property
    def names(self) -> list[str] | None:
        """The names of the columns as text; None if they are 0, 1, 2, ... in this order."""
        return frame_names(self.columns)

    def without(self, names: Iterable[str]) -> Source:
        """Return the other columns; unknown names are ignored."""
        there = [name for name in dict.fromkeys(names) if name in self.columns]
        return _of_frame(self.frame.drop(*there)) if there else self

    def plain(self) -> list[int]:
        """Return the indices of columns of plain numbers, which `block` reads."""
        return []

    def block(self, at: Sequence[int]) -> Array:
        """Return plain columns as a matrix (n, k), float32 if all of them are, else float64."""
        return np.empty((self.shape[0], len(at)))

    def column(self, i: int) -> Column:
        """Return a column; raise TypeError if it cannot be a feature."""
        return column_of(self.frame, i)


class _Pandas(Source):
    def __init__(self, native: Any):
        super().__init__(native)
        self._dtypes: list[Any] = self.native.dtypes.tolist()
        # Columns share dtype objects, which are looked at once; categorical ones are slow to hash.
        keys = list(map(id, self._dtypes))
        each = dict(zip(keys, self._dtypes, strict=True))
        found = {key: _number_type(one) for key, one in each.items()}
        self._numbers = [found[key] for key in keys]
        # Values other than NaN may be missing.
        known = (one.name == "category" or one is found[key] for key, one in each.items())
        self._missing = {} if all(known) else {"na_value": np.nan}

    @cached_property
    def _row(self) -> Array:
        """The values of the first row, NaN where missing."""
        row: Array = self.native.iloc[0].to_numpy(dtype=object, **self._missing)
        return row

    @cached_property
    def columns(self) -> list[Any]:
        return self.native.columns.tolist()  # type: ignore[no-any-return]

    def plain(self) -> list[int]:
        return [i for i, one in enumerate(self._numbers) if one is not None]

    def block(self, at: Sequence[int]) -> Array:
        kinds = {self._numbers[i] for i in at}
        dtype, some = _narrowest(kinds), len(at) < len(self._dtypes)
        if len(self.native) == 1 and (some or len(kinds) > 1):
            return self._row[at].astype(dtype)[None]
        part = self.native.iloc[:, at] if some else self.native
        numbers: Array = part.to_numpy(dtype=dtype, **self._missing)
        return numbers

    def column(self, i: int) -> Column:
        kind = self._dtypes[i].name
        declared = kind == "category"
        if len(self.native) > 1 or not (declared or kind in ("object", "str", "string")):
            series = nw.from_native(self.native.iloc[:, i], series_only=True)
            return column_of_series(self.columns[i], series)
        value = self._row[i]
        return column_of_values(self.columns[i], [value], [value != value], declared)


class _Polars(Source):
    @cached_property
    def _types(self) -> list[Any]:
        """The classes of the types, which are faster to compare than types."""
        return [one.base_type() for one in self.native.dtypes]

    @cached_property
    def columns(self) -> list[str]:
        return self.native.columns  # type: ignore[no-any-return]

    @cached_property
    def _row(self) -> tuple[Any, ...]:
        """The values of the first row, None where missing."""
        return self.native.row(0)  # type: ignore[no-any-return]

    def plain(self) -> list[int]:
        numbers = {
            one for one in set(self._types)
            if (one.is_numeric() and not one.is_decimal()) or str(one) == "Boolean"
        }  # fmt: skip
        return [i for i, one in enumerate(self._types) if one in numbers]

    def block(self, at: Sequence[int]) -> Array:
        kinds = {str(one) for one in {self._types[i] for i in at}}
        if len(self.native) == 1:
            dtype = np.float32 if kinds == {"Float32"} else np.float64
            return np.array([[self._row[i] for i in at]], dtype=dtype)  # None becomes NaN
        part = self.native[:, at] if len(at) < len(self._types) else self.native
        if len(kinds) > 1 or not kinds <= {"Float32", "Float64"}:
            part = part.cast(self.frame.implementation.to_native_namespace().Float64)
        numbers: Array = part.to_numpy()
        return numbers

    def column(self, i: int) -> Column:
        kind = str(self._types[i])
        declared = kind in ("Categorical", "Enum")
        if not declared and kind != "String":
            return super().column(i)
        one = len(self.native) == 1
        values = [self._row[i]] if one else self.native.to_series(i).to_list()
        return _with_none(self.columns[i], values, declared)


class _Arrow(Source):
    def __init__(self, native: Any):
        super().__init__(native)
        self._types = [str(one) for one in self.native.schema.types]

    @cached_property
    def columns(self) -> list[str]:
        return self.native.schema.names  # type: ignore[no-any-return]

    def plain(self) -> list[int]:
        return [i for i, one in enumerate(self._types) if one in _ARROW_NUMBERS or one == "bool"]

    def block(self, at: Sequence[int]) -> Array:
        places: dict[str, list[int]] = {}
        for j, i in enumerate(at):
            places.setdefault(self._types[i], []).append(j)
        dtype = np.float32 if set(places) == {"float"} else np.float64
        matrix = np.empty((self.shape[0], len(at)), dtype, order="F")
        for kind, those in places.items():
            part = self.native.select([at[j] for j in those])
            batches = part.to_batches()
            # Arrow has no tensors of booleans, and before version 16 no tensors.
            if kind == "bool" or not hasattr(batches[0], "to_tensor"):
                for j, column in zip(those, part.columns, strict=True):
                    matrix[:, j] = column.to_numpy()  # None becomes NaN
                continue
            start = 0
            for batch in batches:
                end = start + batch.num_rows
                matrix[start:end, those] = batch.to_tensor(null_to_nan=True).to_numpy()
                start = end
        return matrix

    def column(self, i: int) -> Column:
        kind = self._types[i]
        declared = kind.startswith(_ARROW_CATEGORIES)
        if not declared and kind not in _ARROW_TEXT:
            return super().column(i)
        return _with_none(self.columns[i], self.native.column(i).to_pylist(), declared)


def source_of(X: Any) -> Source | None:
    """Return the columns of a frame of any library, or None if X is not a frame.

    Raise TypeError for what `as_frame` refuses.
    """
    if isinstance(X, (Source, np.ndarray)):
        return X if isinstance(X, Source) else None
    if isinstance(X, nw.DataFrame):
        return _of_frame(X)
    source: Source | None = None
    if nw.dependencies.is_pandas_dataframe(X) and X.columns.nlevels == 1:
        source = _Pandas(X)
    elif nw.dependencies.is_pyarrow_table(X):
        source = _Arrow(X)
    if source is not None and len(set(source.columns)) == len(source.columns):
        return source
    frame = as_frame(X)
    return None if frame is None else _of_frame(frame)


def _of_frame(frame: Any) -> Source:
    library, native = frame.implementation, frame.to_native()
    if library.is_pandas():
        return _Pandas(native)
    if library.is_polars():
        return _Polars(native)
    return _Arrow(native) if library.is_pyarrow() else Source(native)


def _number_type(dtype: Any) -> Any:
    """Return NumPy's type of pandas' plain numbers, nullable ones too; None for other types."""
    if not isinstance(dtype, np.dtype):
        dtype = getattr(dtype, "numpy_dtype", None)
    return dtype if isinstance(dtype, np.dtype) and dtype.char in _CHARS else None


def _narrowest(dtypes: set[Any]) -> Any:
    return np.float32 if dtypes == {np.dtype(np.float32)} else np.float64


def _with_none(name: Any, values: list[Any], declared: bool) -> Column:
    return column_of_values(name, values, [value is None for value in values], declared)
