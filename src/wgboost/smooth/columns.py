"""Features as comparable numeric columns, between which a kernel measures distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from wgboost.data.binning import MAX_BINS
from wgboost.responses.units import mean_and_deviation
from wgboost.typing import Array

__all__ = ["Columns"]

_NUMBER, _MISSING, _LEVEL = range(3)
_KNOTS = 256
_MANY = 64  # features; more of them share a length
_FAR = 100.0  # largest distance from the centre, in spreads
_MARGIN = 1.0  # spreads beyond the training rows over which a trend continues


@dataclass(frozen=True, eq=False)
class Columns:
    """p features as q comparable numeric columns.

    A number is standardised, or ranked (the normal score of its rank among the training rows), or a
    weighted mean of both. Missing values lie at the centre, with an indicator column if training
    rows have some. A category becomes one indicator column for each level; a missing one is another
    level. Features that do not vary have no column.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.columns import Columns
    >>> X = np.array([[0.0, 0.0], [2.0, 1.0]])
    >>> Columns.fit(X, np.array([0, 2])).apply(X)
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    """

    feature: Array  # (q,) int64, the feature that each column is made of
    kind: Array  # (q,) uint8: number, indicator of missing values, or indicator of a level
    level: Array  # (q,) int64, code of that level, -1 for a missing one
    centre: Array  # (q,) of numbers
    spread: Array  # (q,)
    first_knot: Array  # (q + 1,) int64, first knot of each column
    knots: Array  # (k,) values in the training rows, ascending for each column
    scores: Array  # (k,) their normal scores
    low: Array  # (q,) smallest and largest value of each column in the training rows
    high: Array  # (q,)
    ranked: float = 0.0  # share of the ranks

    @classmethod
    def fit(cls, X: Array, n_levels: Array) -> Columns:
        """Return the columns of training rows X (n, p); n_levels (p,) is 0 for numeric features."""
        made: list[tuple[int, int, int, float, float, Array, Array]] = []
        none = np.zeros(0)
        for j, n_codes in enumerate(n_levels.tolist()):
            values = np.asarray(X[:, j], dtype=np.float64)
            if n_codes:
                there = np.unique(_codes(values))
                if there.size > 1:
                    made += [(j, _LEVEL, int(code), 0.0, 1.0, none, none) for code in there]
                continue
            finite = values[np.isfinite(values)]
            if finite.size and finite.min() < finite.max():
                unit = mean_and_deviation(finite)
                made.append((j, _NUMBER, 0, unit.shift, unit.scale, *_normal_scores(finite)))
            missing = np.isnan(values)
            if missing.any() and not missing.all():
                made.append((j, _MISSING, 0, 0.0, 1.0, none, none))
        sizes = [len(one[5]) for one in made]
        return cls(
            np.array([one[0] for one in made], dtype=np.int64),
            np.array([one[1] for one in made], dtype=np.uint8),
            np.array([one[2] for one in made], dtype=np.int64),
            np.array([one[3] for one in made], dtype=np.float64),
            np.array([one[4] for one in made], dtype=np.float64),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([none, *(one[5] for one in made)]),
            np.concatenate([none, *(one[6] for one in made)]),
            *np.zeros((2, len(made))),
        ).with_range_of(X)

    def __len__(self) -> int:
        return len(self.feature)

    def with_rank_share(self, share: float, X: Array) -> Columns:
        """Return the columns with another share of ranks; X are the training rows."""
        return replace(self, ranked=share).with_range_of(X)

    def with_range_of(self, X: Array) -> Columns:
        """Return the columns with the range of the rows X."""
        low, high = np.full(len(self), np.inf), np.full(len(self), -np.inf)
        for begin in range(0, len(X), 4096):
            values = self.apply(X[begin : begin + 4096])
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
        return replace(self, low=low, high=high)

    @cached_property
    def group(self) -> Array:
        """Index (q,) of the length of each column; the levels of a category share one.

        More than 64 features share a single length, for want of rows to estimate so many.
        """
        pairs = 2 * self.feature + (self.kind == _MISSING)
        each, which = np.unique(pairs, return_inverse=True)
        return which.astype(np.int64) if len(each) <= _MANY else np.zeros(len(self), np.int64)

    @property
    def numbers(self) -> bool:
        """Whether there are columns of numbers."""
        return bool((self.kind == _NUMBER).any())

    @property
    def n_lengths(self) -> int:
        """Number of different lengths."""
        return int(self.group.max()) + 1 if len(self) else 0

    def apply(self, X: Array) -> Array:
        """Return the columns (n, q) of rows X (n, p)."""
        out = np.empty((len(X), len(self)))
        for c, (j, kind) in enumerate(zip(self.feature, self.kind, strict=True)):
            values = np.asarray(X[:, j], dtype=np.float64)
            if kind == _LEVEL:
                out[:, c] = _codes(values) == self.level[c]
                continue
            missing = np.isnan(values)
            if kind == _MISSING:
                out[:, c] = missing
                continue
            out[:, c] = self._number(c, np.where(missing, self.centre[c], values))
            out[missing, c] = 0.0
        return out

    def _number(self, c: int, values: Array) -> Array:
        def far(differences: Array) -> Array:
            spreads: Array = np.clip(differences / self.spread[c], -_FAR, _FAR)
            return spreads

        with np.errstate(over="ignore"):
            standard = far(values - self.centre[c])
            if not self.ranked:
                return standard
            some = slice(self.first_knot[c], self.first_knot[c + 1])
            knots = self.knots[some]
            # Beyond the training rows ranks do not grow; distances do.
            beyond = far(values - np.clip(values, knots[0], knots[-1]))
            scores = self.scores[some]
            # Between knots that are nearly equal a slope may overflow.
            inside = np.clip(np.interp(values, knots, scores), scores[0], scores[-1])
        ranks = inside + beyond
        blend: Array = (1 - self.ranked) * standard + self.ranked * ranks
        return blend

    def within(self, values: Array) -> Array:
        """Return columns (n, q) clipped to a little beyond the range of the training rows."""
        margin = np.where(self.kind == _NUMBER, _MARGIN, 0.0)
        inside: Array = np.clip(values, self.low - margin, self.high + margin)
        return inside

    def unknown(self, X: Array, values: Array) -> Array:
        """Return which columns (n, q) are unknown for rows X with these values.

        They are numbers that are missing but never were in training, and levels that no training
        row has.
        """
        out = np.zeros(values.shape, dtype=bool)
        known = self.feature[self.kind == _MISSING]
        for c in np.flatnonzero((self.kind == _NUMBER) & ~np.isin(self.feature, known)):
            out[:, c] = np.isnan(np.asarray(X[:, self.feature[c]], dtype=np.float64))
        for j in np.unique(self.feature[self.kind == _LEVEL]):
            levels = np.flatnonzero(self.feature == j)
            out[:, levels[0]] = ~values[:, levels].any(axis=1)
        return out

    def check(self, n_features: int) -> None:
        """Raise ValueError unless columns from a file can be applied to so many features."""
        q, k = len(self), len(self.knots)
        shapes: list[tuple[str, Any, tuple[int, ...]]] = [
            ("feature", np.int64, (q,)), ("kind", np.uint8, (q,)), ("level", np.int64, (q,)),
            ("centre", np.float64, (q,)), ("spread", np.float64, (q,)),
            ("first_knot", np.int64, (q + 1,)), ("knots", np.float64, (k,)),
            ("scores", np.float64, (k,)), ("low", np.float64, (q,)), ("high", np.float64, (q,)),
        ]  # fmt: skip
        for name, dtype, shape in shapes:
            array = getattr(self, name)
            _require(isinstance(array, np.ndarray), f"{name} is not an array")
            _require(array.dtype == dtype and array.shape == shape, f"{name} has another form")
            _require(np.isfinite(array).all(), f"{name} is not finite")
        _require(
            ((self.feature >= 0) & (self.feature < n_features)).all(), "a column has no feature"
        )
        _require((self.kind <= _LEVEL).all(), "a column is of an unknown kind")
        _require((self.spread > 0).all() and (self.low <= self.high).all(), "a column has no width")
        sizes = np.diff(self.first_knot)
        _require(self.first_knot[0] == 0 and self.first_knot[-1] == k, "knots belong to no column")
        _require((sizes[self.kind == _NUMBER] >= 2).all() and (sizes >= 0).all(), "too few knots")
        number = isinstance(self.ranked, float) and 0 <= self.ranked <= 1
        _require(number, "the share of ranks is not between 0 and 1")
        for begin, end in zip(self.first_knot[:-1], self.first_knot[1:], strict=True):
            _require((np.diff(self.knots[begin:end]) > 0).all(), "knots are not in order")


def _codes(levels: Array) -> Array:
    """Return a code of each level, -1 if missing; levels from 255 on share one."""
    codes: Array = np.minimum(np.nan_to_num(levels, nan=-1), MAX_BINS - 1)
    return codes


def _require(condition: Any, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"columns of the smooth start: {otherwise}")


def _normal_scores(values: Array) -> tuple[Array, Array]:
    """Return at most 256 values and their normal scores, standardised over all rows."""
    knots, counts = np.unique(values, return_counts=True)
    reached = (np.cumsum(counts) - counts / 2) / len(values)
    scores: Array = special.ndtri(reached)
    mean = counts @ scores / len(values)
    deviation = np.sqrt(counts @ np.square(scores - mean) / len(values))
    some = np.arange(len(knots))
    if len(knots) > _KNOTS:
        levels = np.linspace(scores[0], scores[-1], _KNOTS)
        some = np.unique(np.clip(np.searchsorted(scores, levels), 0, len(knots) - 1))
    return knots[some], (scores[some] - mean) / deviation
