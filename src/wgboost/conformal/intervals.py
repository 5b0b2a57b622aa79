"""Conformal intervals from one model, or from the models of folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.conformal.bisection import bisect
from wgboost.conformal.count_crossing import count_crossings
from wgboost.conformal.interval_scores import IntervalScore, interval_score_of
from wgboost.conformal.large_counts import large_count_crossings
from wgboost.conformal.level import (
    check_conformal_confidence,
    conformal_level,
    conformal_rank,
    warn_if_infinite,
)
from wgboost.conformal.tail_crossing import TailPath, tail_crossing
from wgboost.metrics.checks import check_exact_y, check_scores
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = [
    "conformal_interval",
    "cross_conformal_interval",
    "interval_at",
    "interval_scores",
]

_LEAST_TAIL = 1e-3  # least tail of which 1 - tail has enough digits
_HALVINGS = 40  # of brackets that are a fraction of the interval
_ROUNDING = 1e-9  # relative: a value whose score is the level is inside
_INFINITE = (
    'have an infinite score (the model is far too narrow; conformity="scaled" has finite scores)'
)


def interval_scores(dist: Mixture, y: Any, conformity: str = "cdf") -> Array:
    """Compute the nonconformity score of each outcome; a larger score is less conforming.

    Parameters
    ----------
    dist : Mixture
        Predictive distributions of n rows.
    y : array-like of shape (n,)
        Outcomes.
    conformity : {"cdf", "scaled"}, default="cdf"
        "cdf" is minus the probability p of the nearer tail, or log(1e-250 / p) if p is below
        1e-250. "scaled" is the distance from the mean in standard deviations.

    Returns
    -------
    ndarray of shape (n,)
        Scores.

    Examples
    --------
    >>> from wgboost.conformal import interval_scores
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Normal
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[0.0, 0.0]]])
    >>> interval_scores(dist, [0.0, 2.0], conformity="scaled")
    array([0., 2.])
    """
    sides = interval_score_of(conformity, dist)
    values = check_exact_y(dist, y)
    larger: Array = np.maximum(sides.below(values), sides.above(values))
    return larger


def interval_at(dist: Mixture, level: float, conformity: str = "cdf") -> tuple[Array, Array]:
    """Compute the intervals of all values whose score is at most a level.

    Parameters
    ----------
    dist : Mixture
        Predictive distributions of n rows.
    level : float
        Largest score, as from `conformal_level`.
    conformity : {"cdf", "scaled"}, default="cdf"
        As in `interval_scores`.

    Returns
    -------
    low, high : ndarray of shape (n,)
        Ends of the intervals.

    Examples
    --------
    >>> from wgboost.conformal import interval_at
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Normal
    >>> low, high = interval_at(Mixture(Normal(), [[[0.0, 0.0]]]), 2.0, conformity="scaled")
    >>> print(low.round(3), high.round(3))
    [-2.] [2.]
    """
    return interval_score_of(conformity, dist).ends(float(level))


def conformal_interval(
    dist_calibration: Mixture, y_calibration: Any, dist: Mixture, confidence: float = 0.9,
    *, conformity: str = "cdf",
) -> tuple[Array, Array]:  # fmt: skip
    """Compute split conformal intervals, which cover y with at least the given probability.

    The guarantee holds for any model if the calibration rows and the new row are exchangeable and
    the model was not trained on them. The probability, over draws of all of them, is at least the
    confidence and, without ties of scores, at most 1 / (n + 1) more.

    Parameters
    ----------
    dist_calibration : Mixture
        Predictions of n rows that the model was not trained on.
    y_calibration : array-like of shape (n,)
        Outcomes of those rows.
    dist : Mixture
        Predictions of new rows by the same model.
    confidence : float, default=0.9
        A probability between 0 and 1. With too few calibration rows the interval is the whole
        support, and a warning says how many rows are needed.
    conformity : {"cdf", "scaled"}, default="cdf"
        "cdf" gives central intervals of the predictive distribution with an adjusted probability.
        "scaled" gives the mean plus and minus a number of standard deviations.

    Returns
    -------
    low, high : ndarray of shape (m,)
        Ends of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import conformal_interval
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Normal
    >>> known = Mixture(Normal(), np.zeros((19, 1, 2)))
    >>> y = np.linspace(-2, 2, 19)
    >>> low, high = conformal_interval(known, y, known[:1], 0.9, conformity="scaled")
    >>> print(low.round(3), high.round(3))
    [-2.] [2.]
    """
    scores = interval_scores(dist_calibration, y_calibration, conformity)
    level = conformal_level(scores, confidence)
    warn_if_infinite(scores, confidence, _INFINITE)
    return interval_at(dist, level, conformity)


def cross_conformal_interval(
    dists: Sequence[Mixture],
    scores: Sequence[Any],
    confidence: float = 0.9,
    *,
    conformity: str = "cdf",
) -> tuple[Array, Array]:
    """Compute CV+ intervals from the models of K folds.

    Each row i of fold k has a score by the model of that fold, which was not trained on it. That
    model also gives the new row an interval of the values with at most that score. The lower end
    returned is the j-th smallest lower end over all rows, and the upper end the j-th largest upper
    end, with j = floor((n + 1) (1 - confidence)).

    With alpha = 1 - confidence the probability of covering y is at least 1 - 2 alpha - b with
    b = min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1)), which is 0 for K = n (jackknife+). It is
    close to 1 - alpha unless the models of different folds are very different.

    Parameters
    ----------
    dists : sequence of Mixture
        Predictions of the same new rows by the model of each fold.
    scores : sequence of array-like
        `interval_scores` of the rows of each fold by its model.
    confidence : float, default=0.9
        A probability between 0 and 1.
    conformity : {"cdf", "scaled"}, default="cdf"
        As in `conformal_interval`.

    Returns
    -------
    low, high : ndarray of shape (m,)
        Ends of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import cross_conformal_interval
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Normal
    >>> dists = [Mixture(Normal(), np.zeros((1, 1, 2)))] * 2
    >>> scores = [np.linspace(0, 1, 10), np.linspace(0, 2, 10)]
    >>> low, high = cross_conformal_interval(dists, scores, 0.9, conformity="scaled")
    >>> bool(low[0] < -1 < 1 < high[0])
    True
    """
    if len(dists) == 0 or len(dists) != len(scores):
        raise ValueError(f"{len(dists)} distributions with {len(scores)} arrays of scores")
    if len({len(dist) for dist in dists}) > 1:
        raise ValueError(
            f"the folds predict {[len(dist) for dist in dists]} rows; use the same rows"
        )
    for dist in dists:
        interval_score_of(conformity, dist)  # raises if there are no intervals
    known = [np.sort(check_scores("scores", of_fold)) for of_fold in scores]
    pooled = np.sort(np.concatenate(known))
    n = pooled.size
    rank = conformal_rank(n, check_conformal_confidence(confidence))
    level = float(pooled[rank - 1]) if rank <= n else np.inf
    least = n + 1 - rank
    low, high = np.full((2, len(dists[0])), np.nan)
    ranked = len(dists) > 1 or dists[0].response.discrete  # one quantile has no steps of ranks
    if conformity == "cdf" and ranked and -0.5 < level < 0:
        low, high = _crossings(dists, known, least, level)
    rest = np.flatnonzero(np.isnan(low) | np.isnan(high))
    if rest.size:
        some = [interval_score_of(conformity, dist[rest]) for dist in dists]
        ends = zip(*(one.ends(level) for one in some), strict=True)
        lows, highs = (np.stack(end) for end in ends)
        if not np.isfinite(level):
            warn_if_infinite(pooled, confidence, _INFINITE)
            return lows.min(axis=0), highs.max(axis=0)
        low[rest] = _end(some, known, least, lows.max(axis=0), lows.min(axis=0), "below")
        high[rest] = _end(some, known, least, highs.min(axis=0), highs.max(axis=0), "above")
    # Below a confidence of one half the ends may be in the wrong order.
    return np.minimum(low, high), np.maximum(low, high)


def _crossings(
    dists: Sequence[Mixture], scores: Sequence[Array], least: int, level: float
) -> tuple[Array, Array]:
    """Return both ends (n,) from a few evaluations of the tails; NaN if they were not found."""
    tails = [np.sort(np.maximum(-known, 0)) for known in scores]
    if dists[0].response.discrete:
        low, high = count_crossings(dists, tails, least, -level)
        rest = np.flatnonzero(np.isnan(low) | np.isnan(high))
        low[rest], high[rest] = large_count_crossings(
            [dist[rest] for dist in dists], tails, least, -level
        )
        return low, high
    theta = np.mean([dist.theta().mean(axis=1) for dist in dists], axis=0)
    response, units, tail = dists[0].response, dists[0].units, np.asarray(-level)
    # A start needs few digits, and isf of a gamma distribution is slow.
    quick = tail > _LEAST_TAIL
    above = response.ppf(1 - tail, theta) if quick else response.isf(tail, theta)
    found = []
    for upper, start in ((False, response.ppf(tail, theta)), (True, above)):
        path, begin = TailPath(dists, upper=upper), units.restore(start)
        y, solved = tail_crossing(path, tails, least, begin, -level)
        found.append(np.where(solved, y, np.nan))
    return found[0], found[1]


def _end(
    sides: Sequence[IntervalScore], scores: Sequence[Array], least: int, inner: Array,
    outer: Array, side: str,
) -> Array:  # fmt: skip
    """Return the outermost y whose score is at most those of `least` calibration rows, (n,).

    The end is between `inner` and `outer`, the ends of the models at the pooled level.
    """
    discrete = sides[0].discrete
    if discrete:  # ends were rounded outwards
        inner = inner + (1 if side == "below" else -1)

    def inside(y: Array) -> Array:
        rows = np.zeros(len(y), dtype=np.int64)
        for one, known in zip(sides, scores, strict=True):
            new = getattr(one, side)(y)
            # Whole numbers have ties, which rounding must not break.
            new = new - _ROUNDING * np.abs(new) if discrete else new
            rows += known.size - np.searchsorted(known, new, side="left")
        return rows >= least

    inner, outer = inner.copy(), outer.copy()
    done = inside(outer) | ~np.isfinite(outer)
    inner[done] = outer[done]
    width = 1 if discrete else 0

    def closed(inner: Array, outer: Array) -> bool:
        return bool((np.abs(outer - inner) <= width)[~done].all())

    if not discrete:
        return bisect(inside, inner, outer, steps=_HALVINGS, closed=closed)[1]

    rounded = np.floor if side == "below" else np.ceil
    inner, outer = bisect(inside, inner, outer, steps=_HALVINGS, closed=closed, rounded=rounded)
    # The last whole number inside; for other y the first number outside, because of rounding.
    return np.where(done, outer, inner)
