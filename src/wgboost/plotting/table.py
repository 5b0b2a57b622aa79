"""Features as an array or a data frame, of which one column can be varied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from wgboost.typing import Array
from wgboost.validation import check_integer, nearest_name

__all__ = ["Grid", "Table"]

_CATEGORIES = 20


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one feature to look at.

    Attributes
    ----------
    values : Array
        Numbers, or the distinct values of a column that is not numeric (the most frequent first).
    rows : Array or None
        Rows that have those values, where they are not numbers.
    """

    values: Array
    rows: Array | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.rows is None

    def __len__(self) -> int:
        return len(self.values)


class Table:
    """The rows of X, an array or a data frame of any library that narwhals knows.

    Parameters
    ----------
    X
        Features (n, p).
    names
        Names of the features where X has none.
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
            near = nearest_name(feature, self.names)
            raise ValueError(f"feature={feature!r} is none of the {p} features{near}")
        return self.names.index(feature)

    def column(self, j: int) -> Array:
        """Return the values (n,) of a feature."""
        if self.frame is None:
            values: Array = self.matrix[:, j]
            return values
        return np.asarray(self.frame[self.frame.columns[j]].to_numpy())

    def numeric(self, j: int) -> bool:
        """Whether a feature consists of numbers."""
        if self.frame is not None:
            return bool(self.frame.schema[self.frame.columns[j]].is_numeric())
        return self.matrix.dtype.kind in "fiu"

    def _numbers(self, j: int) -> Array:
        values = self.column(j).astype(np.float64)
        if not np.isfinite(values).any():
            raise ValueError(f"{self.names[j]!r} has no finite value to look at")
        return values

    def grid(self, j: int, size: int, *, ends: float = 0.0) -> Grid:
        """Return values over the range of a feature, without a share `ends` of rows on each side.

        A feature with few values, or one that is not numeric, has those.
        """
        if self.numeric(j):
            values = self._numbers(j)
            finite = values[np.isfinite(values)]
            distinct = np.unique(finite)
            if distinct.size <= min(12, size):
                return Grid(distinct)
            low, high = np.quantile(finite, [ends, 1 - ends])
            if not low < high:
                low, high = distinct[0], distinct[-1]
            return Grid(np.linspace(low, high, size))
        column = self.column(j)
        text = np.array([str(value) for value in column])
        _, first, counts = np.unique(text, return_index=True, return_counts=True)
        rows = first[np.argsort(-counts, kind="stable")][:_CATEGORIES]
        return Grid(text[rows], rows)

    def typical(self, j: int) -> int:
        """Return a row that has the median of a feature, or its most frequent value."""
        if self.numeric(j):
            values = self.column(j).astype(np.float64)
            order = np.argsort(values, kind="stable")  # NaN last
            present = int((~np.isnan(values)).sum())
            return int(order[max(present - 1, 0) // 2])
        rows = self.grid(j, _CATEGORIES).rows
        assert rows is not None
        return int(rows[0])

    def take(self, rows: Array, j: int | None = None, grid: Grid | None = None) -> Any:
        """Return rows of X, of its own kind; feature j as the grid has it, one value per row."""
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

    def vary(self, j: int, grid: Grid) -> Any:
        """Return one row for each value of feature j; other features have their typical values."""
        rows = {k: np.full(len(grid), self.typical(k)) for k in range(self.shape[1])}
        if self.frame is not None:
            return self._frame(rows, j, grid)
        matrix = np.stack([self.matrix[at, k] for k, at in rows.items()], axis=1)
        matrix = matrix.astype(np.result_type(matrix.dtype, grid.values.dtype))
        matrix[:, j] = grid.values
        return matrix

    def _frame(self, rows: dict[int, Array], j: int, grid: Grid) -> Any:
        """Columns from rows of their own: they keep their types, categories included."""
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
