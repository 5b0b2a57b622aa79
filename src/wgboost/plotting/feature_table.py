"""Features, an array or a data frame, of which one column is varied."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from wgboost.data.frames import column_of
from wgboost.data.temporal import native_dates
from wgboost.typing import Array
from wgboost.validation import check_integer, nearest_name

__all__ = ["FeatureGrid", "FeatureTable"]

_CATEGORIES = 20
_DAY = 86_400e6  # microseconds


@dataclass(frozen=True, eq=False)
class FeatureGrid:
    """Values of one feature at which predictions are made.

    Attributes
    ----------
    values : Array
        Numbers, dates (datetime64), or the categories of a column as text: in their order if they
        have one, else the most frequent first.
    rows : Array or None
        Rows that have these values, if the column is not numeric.
    """

    values: Array
    rows: Array | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers or dates."""
        return self.values.dtype.kind in "fiuM"

    def __len__(self) -> int:
        return len(self.values)


class FeatureTable:
    """The rows of X, an array or a data frame that narwhals supports.

    Parameters
    ----------
    X : array or frame (n, p)
        Features.
    names : list of str, default=None
        Names of the features of an array.
    """

    def __init__(self, X: Any, names: Any = None) -> None:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        self.frame: Any = frame if isinstance(frame, nw.DataFrame) else None
        self.matrix: Array = np.empty((0, 0))
        if self.frame is None:
            self.matrix = np.asarray(X)
            if self.matrix.ndim != 2:
                raise ValueError(
                    f"X has shape {self.matrix.shape}; a matrix (rows, features) is needed: "
                    "X.reshape(-1, 1) for one feature"
                )
        self.shape: tuple[int, int] = (self.matrix if self.frame is None else self.frame).shape
        own = names if self.frame is None else self.frame.columns
        if own is not None and len(own) != self.shape[1]:
            raise ValueError(f"{len(own)} feature names for {self.shape[1]} features")
        self.names: list[str] = [str(name) for name in own or ()] or [
            f"feature {j}" for j in range(self.shape[1])
        ]

    def index(self, feature: Any) -> int:
        """Return the number of a feature given by number or name."""
        p = self.shape[1]
        if not isinstance(feature, str):
            return check_integer("feature", feature, low=-p, high=p - 1) % p
        if feature not in self.names:
            suggestion = nearest_name(feature, self.names)
            raise ValueError(f"feature={feature!r} is not one of the {p} features{suggestion}")
        return self.names.index(feature)

    def column(self, j: int) -> Array:
        """Return the values (n,) of a feature."""
        if self.frame is None:
            values: Array = self.matrix[:, j]
            return values
        return np.asarray(self.frame[self.frame.columns[j]].to_numpy())

    def scale(self, j: int) -> Array | None:
        """Return a feature (n,) as numbers, or as datetime64 if it has dates.

        It returns None for categories, text and booleans. Durations are in days, times of day in
        hours.
        """
        if self.frame is None:
            return self.matrix[:, j].astype(np.float64) if self._native_numbers(j) else None
        series = self.frame[:, j]
        if series.dtype == nw.Boolean:
            return None
        column = column_of(self.frame, j)
        if column.text or column.declared:
            return None
        numbers: Array = column.values.astype(np.float64)
        if not column.dated or not _has_dates(series):
            return numbers
        missing = np.isnan(numbers)
        dates = np.where(missing, 0, numbers * _DAY).round().astype("datetime64[us]")
        dates[missing] = np.datetime64("NaT", "us")
        return dates

    def _native_numbers(self, j: int) -> bool:
        """Return whether the column of a feature is numeric."""
        if self.frame is not None:
            return bool(self.frame.schema[self.frame.columns[j]].is_numeric())
        return self.matrix.dtype.kind in "fiu"

    def grid(self, j: int, size: int, *, ends: float = 0.0) -> FeatureGrid:
        """Return values over the range of a feature, without a share `ends` of rows on each side.

        The grid of a feature with few values, or of a categorical feature, has all its values. For
        dates and other types that are not numeric it has the values of the rows that are nearest
        to an even grid.
        """
        scale = self.scale(j)
        if scale is None:
            return self._categories(j)
        numbers = _as_numbers(scale)
        finite = numbers[np.isfinite(numbers)]
        if not finite.size:
            raise ValueError(f"{self.names[j]!r} has no finite value")
        values = np.unique(finite)
        if values.size > min(12, size):
            low, high = np.quantile(finite, [ends, 1 - ends])
            if not low < high:
                low, high = values[0], values[-1]
            values = np.linspace(low, high, size)
        if self._native_numbers(j):
            return FeatureGrid(values)
        order = np.argsort(numbers, kind="stable")[: finite.size]  # NaN last
        after = np.searchsorted(numbers[order], values).clip(1, max(finite.size - 1, 1))
        pair = order[np.minimum(np.stack([after - 1, after]), finite.size - 1)]
        nearer = np.abs(numbers[pair] - values).argmin(axis=0)
        near = pair[nearer, np.arange(values.size)]
        _, first = np.unique(numbers[near], return_index=True)
        return FeatureGrid(scale[near[first]], near[first])

    def _categories(self, j: int) -> FeatureGrid:
        text = np.array([str(value) for value in self.column(j)])
        distinct, first, counts = np.unique(text, return_index=True, return_counts=True)
        kept = np.argsort(-counts, kind="stable")[:_CATEGORIES]
        levels = () if self.frame is None else _ordered_levels(self.frame[:, j])
        if levels:
            rank = {str(level): i for i, level in enumerate(levels)}
            kept = kept[np.argsort([rank.get(one, len(rank)) for one in distinct[kept]])]
        return FeatureGrid(distinct[kept], first[kept])

    def typical(self, j: int) -> int:
        """Return a row that has the median of a feature, or its most frequent value."""
        scale = self.scale(j)
        if scale is not None:
            values = _as_numbers(scale)
            order = np.argsort(values, kind="stable")  # NaN last
            present = int((~np.isnan(values)).sum())
            return int(order[max(present - 1, 0) // 2])
        text = np.array([str(value) for value in self.column(j)])
        _, first, counts = np.unique(text, return_index=True, return_counts=True)
        return int(first[counts.argmax()])

    def take(self, rows: Array, j: int | None = None, grid: FeatureGrid | None = None) -> Any:
        """Return rows in the type of X; feature j takes the values of the grid, one per row."""
        at = np.asarray(rows)
        if self.frame is None:
            matrix = self.matrix[at]
            if j is not None and grid is not None:
                # Integers would round the grid.
                matrix = matrix.astype(np.result_type(matrix.dtype, grid.values.dtype))
                matrix[:, j] = grid.values
            return matrix
        if j is None or grid is None:
            return self.frame[at.tolist(), :].to_native()
        return self._frame(dict.fromkeys(range(self.shape[1]), at), j, grid)

    def vary(self, j: int, grid: FeatureGrid) -> Any:
        """Return one row for each value of feature j; other features have their typical values."""
        rows = {k: np.full(len(grid), self.typical(k)) for k in range(self.shape[1])}
        if self.frame is not None:
            return self._frame(rows, j, grid)
        matrix = np.stack([self.matrix[at, k] for k, at in rows.items()], axis=1)
        matrix = matrix.astype(np.result_type(matrix.dtype, grid.values.dtype))
        matrix[:, j] = grid.values
        return matrix

    def _frame(self, rows: dict[int, Array], j: int, grid: FeatureGrid) -> Any:
        """Return a frame whose columns take rows of X, and so keep their types and categories."""
        native = nw.get_native_namespace(self.frame)
        columns = []
        for k, name in enumerate(self.frame.columns):
            if k == j and grid.rows is None:
                columns.append(
                    nw.new_series(name, grid.values.astype(np.float64), nw.Float64, backend=native)
                )
            else:
                at = grid.rows if k == j and grid.rows is not None else rows[k]
                columns.append(self.frame[name][at.tolist()])
        return self.frame[[0] * len(grid), :].with_columns(*columns).to_native()


def _has_dates(series: Any) -> bool:
    """Return whether a series has dates, not durations or times of day."""
    if series.dtype == nw.Object:
        return any(isinstance(value, datetime.date) for value in series.to_list())
    return native_dates(series) is not None


def _as_numbers(scale: Array) -> Array:
    """Return numbers as they are, and dates as microseconds; NaN where missing."""
    if scale.dtype.kind != "M":
        return scale
    return np.where(np.isnat(scale), np.nan, scale.astype(np.int64))


def _ordered_levels(column: Any) -> tuple[Any, ...]:
    """Return the levels of an ordered category in their order; older narwhals hides them."""
    levels = getattr(column.dtype, "categories", None)
    native = getattr(column.to_native(), "dtype", None)
    if levels is None and getattr(native, "ordered", False):
        levels = native.categories  # type: ignore[union-attr]
    return () if levels is None else tuple(levels)
