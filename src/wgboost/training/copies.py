"""Which rows are copies of one another, so that a weight of 2 is the row twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["Distinct", "find_distinct", "grouped", "row_hashes"]

_AGREE = 0.8  # share of disagreement expected by chance that is absent if equal rows are copies
_OFTEN = 10.0  # times as often as by chance that rows of equal features have an equal y
_CELLS = 500  # largest number of distinct rows of a table of a function ...
_REPEATS = 20.0  # ... each of which repeats at least so often
_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct rows among n, each with its copies.

    Their order is that of the table where every row counts once. Otherwise it follows from what is
    in the rows alone, so that neither the place of a copy nor writing it as a weight matters.
    """

    first: Array  # (k,) the first of the copies of each
    which: Array  # (n,) the distinct row that each row is; k for rows of weight zero
    weight: Array | None  # (k,) sum over the copies; None: every row counts once

    def __len__(self) -> int:
        return len(self.first)

    @property
    def predictable(self) -> bool:
        """Whether a row could be predicted from the others: not of a few that repeat often."""
        if self.weight is None:
            return True
        repeats = float(self.weight.sum()) / len(self)
        return len(self) > _CELLS or repeats < _REPEATS

    def shared(self, inside: Array, outside: Array) -> float:
        """Return the share of the rows `outside` that are copies of rows `inside`."""
        known = np.zeros(len(self) + 1, dtype=bool)
        known[self.which[inside]] = True
        return float(known[self.which[outside]].mean())

    def rows_of(self, some: Array) -> Array:
        """Return the rows, ascending, that are copies of some of the distinct ones."""
        chosen = np.zeros(len(self) + 1, dtype=bool)
        chosen[some] = True
        return np.flatnonzero(chosen[self.which])


def grouped(groups: Any, weight: Array | None, n: int) -> Distinct:
    """Return the groups of n rows as what is held out as a whole; raise unless there are two."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups have shape {labels.shape}; ({n},) is needed: one label a row")
    counted = np.arange(n) if weight is None else np.flatnonzero(weight)
    try:
        names, first, place = np.unique(labels[counted], return_index=True, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"groups cannot be sorted: {error}; use labels of one kind") from error
    if names.size < 2:
        raise ValueError(
            f"groups have {names.size} label; two at least are needed to hold one of them out"
        )
    which = np.full(n, names.size, dtype=np.intp)
    which[counted] = place
    return Distinct(counted[first], which, None)


def row_hashes(columns: Iterable[Array], n: int) -> Array:
    """Return a number (n,) uint64 for each row of some columns (n,): equal for equal rows.

    NaN equals NaN and -0 equals 0.
    """
    mark = np.zeros(n, dtype=np.uint64)
    for column in columns:
        values = np.asarray(column, dtype=np.float64) + 0.0
        values[np.isnan(values)] = np.nan
        mark = _mixed((mark ^ values.view(np.uint64)) + _ODD[0])
    return mark


def _joined(features: Array, answers: Array) -> Array:
    return _mixed(features ^ (answers + _ODD[0]))


def _mixed(values: Array) -> Array:
    """Return 64-bit integers scrambled one by one (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * _ODD[1]
    values = (values ^ (values >> np.uint64(27))) * _ODD[2]
    mixed: Array = values ^ (values >> np.uint64(31))
    return mixed


def find_distinct(weight: Array | None, n: int, hashes: tuple[Array, Array] | None) -> Distinct:
    """Return the distinct ones of n rows.

    `hashes` are those of the features, and of y with all else that belongs to a row; None: they are
    not known, and every row is one of its own. So it is where equal features often come with
    another y: there rows are equal by chance and say how frequent a y is.
    """
    counted = np.arange(n) if weight is None else np.flatnonzero(weight)
    alone = np.full(n, counted.size, dtype=np.intp)
    alone[counted] = np.arange(counted.size)
    table = Distinct(counted, alone, None)
    if hashes is None:
        return table
    features, answers = (one[counted] for one in hashes)
    share = np.ones(counted.size) if weight is None else weight[counted].astype(np.float64)
    _, first, place = np.unique(_joined(features, answers), return_index=True, return_inverse=True)
    total = np.bincount(place, weights=share)
    if (total == 1).all() or not _are_copies(features, answers, share):
        return table
    which = np.full(n, first.size, dtype=np.intp)
    which[counted] = place
    return Distinct(counted[first], which, total)


def _are_copies(features: Array, answers: Array, weight: Array) -> bool:
    """Whether equal rows are copies, by how often rows of equal features have an equal y."""
    same = _pairs(features, weight)
    if same == 0:
        return True
    agreement = _pairs(_joined(features, answers), weight) / same
    chance = _pairs(answers, weight) / _pairs(np.zeros_like(answers), weight)
    return agreement >= _OFTEN * chance or agreement - chance >= _AGREE * (1 - chance)


def _pairs(kind: Array, weight: Array) -> float:
    """Return the number of pairs of rows of the same kind, where a weight is a number of rows."""
    which = np.unique(kind, return_inverse=True)[1]
    size = np.bincount(which, weights=weight)
    own = np.bincount(
        which, weights=weight * np.minimum(weight, 1.0)
    )  # a row with itself is no pair
    return float(np.maximum(np.square(size) - own, 0.0).sum())
