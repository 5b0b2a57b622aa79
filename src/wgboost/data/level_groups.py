"""Groups of levels, for categories with more levels than codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.data.binning import MAX_BINS
from wgboost.data.level_sums import row_sums, safe_ratio
from wgboost.typing import Array, Directions

__all__ = ["LevelGroups", "group_levels"]

_GROUPS = 16
_OWN = 20  # rows of a level that has its own code
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class LevelGroups:
    """Hold the codes of categories with more than 255 levels.

    Frequent levels have their own code. Rare levels share one with levels of a similar effect on
    the training rows.

    Parameters
    ----------
    feature : array of shape (k,)
        Columns with more than 255 levels, ascending, int64.
    n_codes : array of shape (k,)
        Number of codes of each, int64.
    first_level : array of shape (k + 1,)
        First level of each column in `codes`, int64.
    codes : array of shape (levels of all k columns,)
        Code of each level, uint8.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.level_groups import LevelGroups
    >>> groups = LevelGroups(*map(np.array, ([0], [2], [0, 3])), np.array([0, 1, 1], np.uint8))
    >>> groups.apply(np.array([[2.0], [np.nan]])).ravel()
    array([ 1., nan])
    """

    feature: Array  # (k,)
    n_codes: Array  # (k,)
    first_level: Array  # (k + 1,)
    codes: Array  # (levels of all k columns,)

    def codes_of(self, i: int) -> Array:
        """Return the codes of the levels of the i-th of these columns."""
        codes: Array = self.codes[self.first_level[i] : self.first_level[i + 1]]
        return codes

    def apply(self, X: Array) -> Array:
        """Return X (n, p) with codes in place of levels, and NaN for unknown levels."""
        out = X.copy(order="K")
        for i, column in enumerate(self.feature):
            known = self.codes_of(i)
            level = np.nan_to_num(X[:, column], nan=-1.0, posinf=-1.0, neginf=-1.0)
            there = (level >= 0) & (level < len(known)) & (level == np.floor(level))
            at = np.where(there, level, 0).astype(np.int64)
            out[:, column] = np.where(there, known[at], np.nan)
        return out

    def n_levels(self, n_levels: Array) -> Array:
        """Return the number of codes (p,) of all columns, whose numbers of levels are given."""
        n_levels = n_levels.copy()
        n_levels[self.feature] = self.n_codes
        return n_levels

    def same_as(self, other: LevelGroups) -> bool:
        """Return whether all levels have the same codes."""
        names = ("feature", "n_codes", "first_level", "codes")
        return all(np.array_equal(getattr(self, one), getattr(other, one)) for one in names)

    def check(self, n_levels: Array) -> None:
        """Raise ValueError unless the arrays are valid groups of columns with these levels (p,)."""
        kinds = {"feature": np.int64, "n_codes": np.int64, "first_level": np.int64}
        for name, kind in {**kinds, "codes": np.uint8}.items():
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.dtype != kind or array.ndim != 1:
                raise ValueError(f"level groups: {name} has to be a {np.dtype(kind)} array, 1-d")
        many = np.flatnonzero(n_levels > MAX_BINS)
        first = np.concatenate([[0], np.cumsum(n_levels[many])])
        if not (np.array_equal(self.feature, many) and np.array_equal(self.first_level, first)):
            raise ValueError("level groups belong to other columns")
        if self.n_codes.shape != many.shape or self.codes.size != first[-1]:
            raise ValueError("level groups: a level has no code")
        for i, n_codes in enumerate(self.n_codes):
            if not self.codes_of(i).max() < n_codes <= MAX_BINS:
                raise ValueError("level groups: a level has a code that it cannot have")


def group_levels(
    X: Array,
    n_levels: Array,
    direction: Directions,
    curvature: Directions | None,
    weight: Array | None,
    rng: np.random.Generator,
) -> tuple[LevelGroups, Array]:
    """Group the levels of columns that have more than 255 by their effects.

    The effect of a level is the mean direction of its rows before the first round, shrunk by the
    variances between and within levels. A training row is grouped by the effect of its level on the
    rows of other folds, so that its code does not depend on its own y. New rows are grouped by the
    effect on all rows. Shrinkage makes the two comparable.

    Parameters
    ----------
    X : array of shape (n, p)
        Features, with levels 0, 1, ... of categories.
    n_levels : array of shape (p,)
        Number of levels, 0 for numbers.
    direction : array of shape (n, m, d)
        Directions of the first round.
    curvature : array of shape (n, m, d) or None
        Curvatures to divide by.
    weight : array of shape (n,) or None
        Sample weights.
    rng : numpy.random.Generator
        Draws the folds.

    Returns
    -------
    groups : LevelGroups
        Codes of all levels.
    coded : array of shape (n, p)
        X with the codes of the training rows.
    """
    w, g, c = row_sums(direction, curvature, weight)
    many = np.flatnonzero(n_levels > MAX_BINS)
    coded, codes, n_codes = X.copy(order="K"), [], []
    for column in many:
        there = ~np.isnan(X[:, column])
        level = X[there, column].astype(np.int64)
        of_rows, of_levels = _grouped(
            level, int(n_levels[column]), g[there], c[there], w[there], rng
        )
        coded[there, column] = of_rows
        codes.append(of_levels)
        n_codes.append(max(of_rows.max(initial=0), of_levels.max()) + 1)
    first = np.concatenate([[0], np.cumsum(n_levels[many])]).astype(np.int64)
    groups = LevelGroups(
        many, np.array(n_codes, dtype=np.int64), first, np.concatenate(codes).astype(np.uint8)
    )
    return groups, coded


def _grouped(
    level: Array, n_levels: int, g: Array, c: Array, w: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the codes of rows (n,) and of levels (n_levels,)."""
    mass = np.bincount(level, w, minlength=n_levels)
    frequent = np.argsort(-mass, kind="stable")[: MAX_BINS - _GROUPS]
    own = np.sort(frequent[mass[frequent] >= _OWN])
    rare = np.ones(n_levels, dtype=bool)
    rare[own] = False
    effects, effects_elsewhere = _effects(level, mass, g, c, w, rng)
    rows = np.flatnonzero(rare[level])
    of_levels = np.zeros(n_levels, dtype=np.int64)
    of_rows = np.zeros(len(level), dtype=np.int64)
    n_groups = 0
    if rows.size:
        of_rows[rows], of_levels[rare] = _boxes(effects_elsewhere[rows], w[rows], effects[rare])
        n_groups = int(max(of_rows.max(), of_levels.max())) + 1
    of_levels[own] = n_groups + np.arange(len(own))
    of_rows[~rare[level]] = of_levels[level[~rare[level]]]
    return of_rows, of_levels


def _effects(
    level: Array, mass: Array, g: Array, c: Array, w: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the effects of levels (n_levels, d), and those on other folds of each row (n, d).

    Effects are best linear predictions in units of a row's standard deviation. The variance between
    levels is estimated by their sum of squares, minus its mean and standard deviation for levels
    without effects, so that it is mostly 0 for noise.
    """
    n_levels, fold = len(mass), _folds(level, rng)
    key = _FOLDS * level + fold
    effects, elsewhere = np.zeros((n_levels, g.shape[1])), np.zeros(g.shape)
    n, present = w.sum(), np.count_nonzero(mass)
    within_rows, spare = n - present, present - 1
    if within_rows <= 0 or spare <= 0:
        return effects, elsewhere
    for k in range(g.shape[1]):
        total = c[:, k].sum()
        if total <= 0:
            continue
        centred = g[:, k] - g[:, k].sum() / total * c[:, k]
        G_fold = np.bincount(key, centred, minlength=_FOLDS * n_levels)
        C_fold = np.bincount(key, c[:, k], minlength=_FOLDS * n_levels)
        G, C = (sums.reshape(n_levels, _FOLDS).sum(axis=1) for sums in (G_fold, C_fold))
        between = safe_ratio(G**2, C).sum()
        within = (safe_ratio(centred**2, c[:, k]).sum() - between) / within_rows
        chance = spare + np.sqrt(2 * spare * (1 + spare / within_rows))
        spread = (between - chance * within) / (total - (C**2).sum() / total)
        if within <= 0 or spread <= 0:
            continue
        prior, unit = within / spread, np.sqrt(total / n / within)
        effects[:, k] = unit * G / (C + prior)
        elsewhere[:, k] = unit * (G[level] - G_fold[key]) / (C[level] - C_fold[key] + prior)
    return effects, elsewhere


def _folds(level: Array, rng: np.random.Generator) -> Array:
    """Return a fold (n,) for each row; the rows of a level are spread over all folds."""
    order = rng.permutation(len(level))
    order = order[np.argsort(level[order], kind="stable")]
    counts = np.bincount(level)
    begin = np.repeat(np.cumsum(counts) - counts, counts)
    fold = np.empty(len(level), dtype=np.int64)
    fold[order] = (np.arange(len(level)) - begin) % _FOLDS
    return fold


def _boxes(points: Array, w: Array, others: Array) -> tuple[Array, Array]:
    """Split weighted points (n, d) into boxes; return the boxes of the points and of others.

    The box with the largest sum of squares along an axis is split at its mean, repeatedly.
    """
    inside = [(np.arange(len(points)), np.arange(len(others)))]
    spreads = [_spread(points, w)]
    while len(inside) < _GROUPS:
        at = int(np.argmax([size for size, _ in spreads]))
        size, axis = spreads[at]
        if size <= 0:
            break
        rows, levels = inside[at]
        values = points[rows, axis]
        middle = np.average(values, weights=w[rows])
        below = values <= middle
        low = others[levels, axis] <= middle
        halves = [(rows[below], levels[low]), (rows[~below], levels[~low])]
        inside[at : at + 1] = halves
        spreads[at : at + 1] = [_spread(points[some], w[some]) for some, _ in halves]
    boxes, boxes_of_others = np.zeros(len(points), np.int64), np.zeros(len(others), np.int64)
    for box, (rows, levels) in enumerate(inside):
        boxes[rows], boxes_of_others[levels] = box, box
    return boxes, boxes_of_others


def _spread(points: Array, w: Array) -> tuple[float, int]:
    """Return the largest sum of squares along an axis, and this axis."""
    total = w.sum()
    if total <= 0 or (points == points[:1]).all():
        return 0.0, 0
    squares = w @ np.square(points - w @ points / total)
    axis = int(np.argmax(squares))
    return float(squares[axis]), axis
