"""The columns of a frame or a matrix, with all plain numbers in one block.

A frame of hundreds of columns takes as long to convert column by column as thousands of rows take
to predict. Columns of NumPy's numbers, and those of polars and Arrow, are converted at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.frames import Column, as_frame, column_of
from wgboost.data.matrix import as_matrix
from wgboost.typing import Array

__all__ = ["Table"]

_ARROW = {"bool", "float", "double", *(f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64))}


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of X, in order.

    Attributes
    ----------
    shape : tuple
        (n, p).
    block : Array
        Columns (n, k) of plain numbers, float32 or float64, NaN where missing.
    at : list
        Which of the p columns they are.
    others : dict
        All other columns, by index.
    """

    shape: tuple[int, int]
    block: Array
    at: Sequence[int]
    others: dict[int, Column]

    @classmethod
    def of(cls, X: Any, apart: Collection[int] = ()) -> Table:
        """Return the columns of a frame or a matrix; those at `apart` one by one.

        Raises TypeError for columns that are neither numbers nor categories.
        """
        frame = as_frame(X)
        if frame is None:
            matrix = as_matrix(X)
            n, p = matrix.shape
            others = {i: Column(matrix[:, i]) for i in apart}
            if not others:
                return cls((n, p), matrix, range(p), {})
            at = [i for i in range(p) if i not in others]
            return cls((n, p), matrix[:, at], at, others)
        n, p = frame.shape
        if 0 in (n, p):
            raise ValueError(
                f"X of shape {(n, p)} is empty; at least one row and feature are needed"
            )
        plain = [i for i in _plain(frame) if i not in apart]
        block = _block(frame, plain, n)
        if len(plain) == p:
            return cls((n, p), block, range(p), {})
        known = set(plain)
        others = {i: column_of(frame, i) for i in range(p) if i not in known}
        return cls((n, p), block, plain, others)

    def columns(self) -> list[Column]:
        """Return all columns, in order."""
        numbers = {i: Column(self.block[:, j]) for j, i in enumerate(self.at)}
        every = {**numbers, **self.others}
        return [every[i] for i in range(self.shape[1])]

    def matrix(self, encoded: dict[int, Array]) -> Array:
        """Return all columns as a matrix (n, p); `encoded` holds what stands for some of them."""
        if not self.others:
            return self.block
        values = {i: column.values for i, column in self.others.items()} | encoded
        dtypes = {column.dtype for column in values.values()}
        if self.at:
            dtypes.add(self.block.dtype)
        narrow = dtypes == {np.dtype(np.float32)}
        matrix = np.empty(self.shape, np.float32 if narrow else np.float64, order="F")
        if self.at:
            matrix[:, self.at] = self.block
        for i, column in values.items():
            matrix[:, i] = column
        return matrix


def _plain(frame: Any) -> list[int]:
    """Return which columns of a frame are numbers in a type that is converted at once."""
    native = frame.to_native()
    if frame.implementation.is_pandas():
        kinds = [isinstance(one, np.dtype) and one.char in "?bBhHiIlLqQfd" for one in native.dtypes]
    elif frame.implementation.is_polars():
        kinds = [
            (one.is_numeric() and not one.is_decimal()) or str(one) == "Boolean"
            for one in native.dtypes
        ]
    elif frame.implementation.is_pyarrow():
        kinds = [str(one) in _ARROW for one in native.schema.types]
    else:
        return []
    return [i for i, kind in enumerate(kinds) if kind]


def _block(frame: Any, at: list[int], n: int) -> Array:
    """Return numeric columns as a matrix (n, k), float32 if all of them are."""
    native = frame.to_native()
    if not at:
        return np.empty((n, 0))
    some = len(at) < frame.shape[1]
    if frame.implementation.is_pandas():
        part = native.iloc[:, at] if some else native
        kinds = set(part.dtypes)
        narrow = kinds == {np.dtype(np.float32)}
        numbers: Array = part.to_numpy(dtype=np.float32 if narrow else np.float64)
        return numbers
    if frame.implementation.is_polars():
        part = native[:, at] if some else native
        kinds = {str(one) for one in part.dtypes}
        if len(kinds) > 1 or not kinds <= {"Float32", "Float64"}:
            part = part.cast(frame.implementation.to_native_namespace().Float64)
        numbers = part.to_numpy()
        return numbers  # noqa: RET504
    values = [native.column(i) for i in at]
    narrow = {str(one.type) for one in values} == {"float"}
    matrix = np.empty((n, len(at)), np.float32 if narrow else np.float64, order="F")
    for j, one in enumerate(values):
        matrix[:, j] = _of_arrow(one)
    return matrix


def _of_arrow(column: Any) -> Array:
    values: Array = column.to_numpy()
    if values.dtype != object:
        return values
    # Truth values of which some are missing.
    return np.array([np.nan if one is None else float(one) for one in values])
