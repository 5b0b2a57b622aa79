"""Where the training rows of the nodes of trees end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.data.bin_ends import BinEnds
from wgboost.typing import Array

__all__ = ["NodeRanges"]

_TYPES = {
    "codes": (np.uint8, 2), "missing": (np.uint8, 1), "categories": (np.uint32, 2),
    "table": (np.int32, 1), "rows": (np.int64, 1), "first_bin": (np.int64, 1),
    "low": (np.float64, 1), "high": (np.float64, 1),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class NodeRanges:
    """Hold the ranges of the training rows of nodes, as codes of bins, and the ends of the bins.

    A node remembers the lowest and the highest code of its rows on the feature that its parent
    splits, and the second lowest and second highest: those that remain if one row is left out. The
    ends of the bins belong to a fit. They are there once all its trees are: trees of one round have
    no table, and those of a model that was continued with other bins have several.

    Parameters
    ----------
    codes : array of shape (nodes, 4)
        Lowest, second lowest, second highest and highest code, uint8. 255: there is none.
    missing : array of shape (nodes,)
        Rows whose value of the node's feature is missing: 0, 1, or 2 for more, uint8.
    categories : array of shape (sets, 16)
        Bits of the categories that had a row in the node of a set, and of those that had several,
        uint32.
    table : array of shape (trees,)
        Table of each tree, int32.
    rows : array of shape (tables,)
        Number of training rows, int64.
    first_bin : array of shape (tables * p + 1,)
        First bin of each feature of each table, int64.
    low, high : arrays of shape (bins,)
        Smallest and largest training value in each bin, float64.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.array([[1.0], [2.0], [5.0], [6.0]])
    >>> fitted = HistTree().fit(Features.from_raw(X), np.sign(X - 3)[:, :, None])
    >>> fitted.flat.ranges.codes[1:]
    array([[0, 1, 0, 1],
           [2, 3, 2, 3]], dtype=uint8)
    """

    codes: Array  # (nodes, 4)
    missing: Array  # (nodes,)
    categories: Array  # (sets, 16)
    table: Array  # (trees,)
    rows: Array  # (tables,)
    first_bin: Array  # (tables * p + 1,)
    low: Array  # (bins,)
    high: Array  # (bins,)

    @classmethod
    def of_round(cls, codes: Array, missing: Array, categories: Array, n_trees: int) -> NodeRanges:
        """Return the ranges of the trees of one round, without a table."""
        return cls(
            codes, missing, categories, np.zeros(n_trees, np.int32), np.zeros(0, np.int64),
            np.zeros(1, np.int64), np.zeros(0), np.zeros(0),
        )  # fmt: skip

    @classmethod
    def empty(cls) -> NodeRanges:
        """Return the ranges of no trees."""
        return cls.of_round(
            np.zeros((0, 4), np.uint8), np.zeros(0, np.uint8), np.zeros((0, 16), np.uint32), 0
        )

    @property
    def complete(self) -> bool:
        """Whether all trees have a table."""
        return self.rows.size > 0 or self.table.size == 0

    @classmethod
    def join(cls, parts: Sequence[NodeRanges]) -> NodeRanges:
        """Concatenate ranges; equal tables become one."""
        tables: dict[tuple[Any, ...], int] = {}
        table = []
        for part in parts:
            numbers = [tables.setdefault(key, len(tables)) for key in part._tables()]
            table.append(np.array(numbers or [0], np.int32)[part.table])
        ends = [np.frombuffer(key[1], np.int64) for key in tables]
        first = np.concatenate([[0], np.cumsum(np.concatenate([[], *map(np.diff, ends)]))])
        low, high = (np.frombuffer(b"".join(key[i] for key in tables)).copy() for i in (2, 3))
        codes, missing, categories = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("codes", "missing", "categories")
        )
        rows = np.array([key[0] for key in tables], np.int64)
        whole = np.concatenate(table)
        return cls(codes, missing, categories, whole, rows, first.astype(np.int64), low, high)

    def _tables(self) -> list[tuple[Any, ...]]:
        """Return the tables as keys: rows, first bins, low and high ends."""
        n_features = (self.first_bin.size - 1) // max(1, self.rows.size)
        keys = []
        for i, rows in enumerate(self.rows.tolist()):
            first = self.first_bin[i * n_features : (i + 1) * n_features + 1]
            bins = slice(first[0], first[-1])
            own = (first - first[0], self.low[bins], self.high[bins])
            keys.append((rows, *(one.tobytes() for one in own)))
        return keys

    def part(self, nodes: slice, trees: slice, sets: slice) -> NodeRanges:
        """Return the ranges of some trees, with all tables."""
        return replace(
            self, codes=self.codes[nodes], missing=self.missing[nodes],
            categories=self.categories[sets], table=self.table[trees],
        )  # fmt: skip

    def with_table(self, ends: BinEnds) -> NodeRanges:
        """Return the ranges with the table of a fit, unless they have one."""
        if self.rows.size:
            return self
        return replace(
            self, rows=np.array([ends.rows], np.int64), first_bin=ends.first, low=ends.low,
            high=ends.high,
        )  # fmt: skip

    def feature_ends(self, n_features: int) -> tuple[Array, Array]:
        """Return the smallest and largest value (p,) of any table; infinite without bins."""
        low, high = np.full(n_features, np.inf), np.full(n_features, -np.inf)
        for i in range(self.rows.size):
            for f in range(n_features):
                begin, end = self.first_bin[i * n_features + f :][:2]
                low[f] = min(low[f], self.low[begin:end].min(initial=np.inf))
                high[f] = max(high[f], self.high[begin:end].max(initial=-np.inf))
        none = low > high
        low[none], high[none] = -np.inf, np.inf
        return low, high

    def check(self) -> None:
        """Raise ValueError unless the arrays are of the right types; the core checks the rest."""
        for name, (kind, dimensions) in _TYPES.items():
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != dimensions:
                raise ValueError(f"{name} has to be a {np.dtype(kind)} array, {dimensions}-d")

    def for_core(self, cover: Array) -> dict[str, Array]:
        """Return the arrays by their names in the core."""
        return {**{name: getattr(self, name) for name in _TYPES}, "cover": cover}
