"""The columns of a frame or a matrix, with plain numbers in one block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.frames import Column
from wgboost.data.matrix import as_matrix
from wgboost.data.sources import source_of
from wgboost.typing import Array

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of X, in order.

    Attributes
    ----------
    shape : tuple (n, p)
        Rows and columns.
    block : array of shape (n, k)
        Columns of plain numbers, float32 or float64, NaN where missing.
    at : sequence of int
        Index of each column of the block; a range if these are all columns in order.
    others : dict
        The other columns, by index.
    """

    shape: tuple[int, int]
    block: Array
    at: Sequence[int]
    others: dict[int, Column]

    @classmethod
    def of(
        cls, X: Any, separate: Collection[int] = (), order: Sequence[int] | None = None
    ) -> Table:
        """Return the columns of a frame or a matrix.

        Parameters
        ----------
        X : frame, Source or array of shape (n, p)
            Features.
        separate : collection of int, default=()
            Columns to read one by one, by their index in the table.
        order : sequence of int, optional
            Column of the frame that is the first of the table, the second, and so on. By default
            columns keep their order.

        Returns
        -------
        Table
            The columns.

        Raises
        ------
        TypeError
            If a column has neither numbers nor categories.
        """
        source = source_of(X)
        if source is None:
            matrix = as_matrix(X)
            n, p = matrix.shape
            others = {i: Column(matrix[:, i]) for i in separate}
            if not others:
                return cls((n, p), matrix, range(p), {})
            at = [i for i in range(p) if i not in others]
            return cls((n, p), matrix[:, at], at, others)
        n, p = source.shape
        if 0 in (n, p):
            raise ValueError(
                f"X of shape {(n, p)} is empty; at least one row and feature are needed"
            )
        places = separate if order is None else {order[i] for i in separate}
        plain = [i for i in source.plain() if i not in places]
        block = source.block(plain) if plain else np.empty((n, 0))
        if len(plain) == p and order is None:
            return cls((n, p), block, range(p), {})
        others = {i: source.column(i) for i in sorted(set(range(p)).difference(plain))}
        if order is None:
            return cls((n, p), block, plain, others)
        index = {place: i for i, place in enumerate(order)}
        moved = {index[place]: column for place, column in others.items()}
        return cls((n, p), block, [index[place] for place in plain], moved)

    def columns(self) -> list[Column]:
        """Return all columns, in order."""
        numbers = {i: Column(self.block[:, j]) for j, i in enumerate(self.at)}
        every = {**numbers, **self.others}
        return [every[i] for i in range(self.shape[1])]

    def matrix(self, encoded: dict[int, Array]) -> Array:
        """Return all columns as a matrix (n, p); `encoded` has the codes of some columns."""
        if isinstance(self.at, range) and not self.others:
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
