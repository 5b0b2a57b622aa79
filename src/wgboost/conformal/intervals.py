"""Conformal intervals from one model, or from the models of folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.conformal.count_crossing import count_crossings
from wgboost.conformal.interval_scores import IntervalScore, interval_score_of
from wgboost.conformal.level import (
    check_confidence,
    conformal_level,
    conformal_rank,
    warn_if_infinite,
)
from wgboost.conformal.tail_crossing import tail_crossing
from wgboost.metrics.checks import check_exact_y, check_scores
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = [
    "conformal_interval",
    "cross_conformal_interval",
    "interval_at",
    "interval_scores",
]

_HALVINGS = 40  # of brackets that are a fraction of the interval
_ROUNDING = 1e-9  # relative: a value as odd as the level is inside
_IMPOSSIBLE = (
    'are infinitely odd for their model (it is far too narrow; conformity="scaled" goes by '
    "distances, which are finite)"
)


def interval_scores(dist: Mixture, y: Any, conformity: str = "cdf") -> Array:
    """Return how odd each y (n,) is for its row's distribution, larger being odder.

    By conformity="cdf" minus the probability p of the nearer tail, or log(1e-250 / p) where p is
    smaller than 1e-250; by "scaled" the distance from the mean in standard deviations.
    """
    sides = interval_score_of(conformity, dist)
    values = check_exact_y(dist, y)
    larger: Array = np.maximum(sides.below(values), sides.above(values))
    return larger


def interval_at(dist: Mixture, level: float, conformity: str = "cdf") -> tuple[Array, Array]:
    """Return the ends (n,) of the values that are no odder than the level."""
    return interval_score_of(conformity, dist).ends(float(level))


def conformal_interval(
    dist_calibration: Mixture, y_calibration: Any, dist: Mixture, confidence: float = 0.9,
    *, conformity: str = "cdf",
) -> tuple[Array, Array]:  # fmt: skip
    """Return the ends (n,) of intervals that hold y with at least this probability.

    Split conformal prediction. It holds for any model, right or wrong, if the calibration rows
    and the new row are exchangeable and the model has seen none of them: over draws of them all
    the chance is at least the confidence and, where scores have no ties, at most 1 / (n + 1) more.

    Parameters
    ----------
    dist_calibration, y_calibration
        Predictions of n rows that the model has not seen, and what was seen.
    dist
        Predictions of new rows, by the same model.
    confidence
        A probability between 0 and 1. With too few rows to tell it the interval is the whole
        support, and a warning says how many are needed.
    conformity
        "cdf": central intervals of the predictive distribution at another probability than it
        says. "scaled": mean plus and minus so many standard deviations.
    """
    scores = interval_scores(dist_calibration, y_calibration, conformity)
    level = conformal_level(scores, confidence)
    warn_if_infinite(scores, confidence, _IMPOSSIBLE)
    return interval_at(dist, level, conformity)


def cross_conformal_interval(
    dists: Sequence[Mixture],
    scores: Sequence[Any],
    confidence: float = 0.9,
    *,
    conformity: str = "cdf",
) -> tuple[Array, Array]:
    """Return the ends (n,) of intervals from the models of K folds: CV+.

    A row i of fold k, which the model of that fold has not seen, has a score; the model says for
    the new row which values y are no odder than that, an interval. The lower end returned is the
    j-th smallest of the lower ends of all rows, the upper end the j-th largest of the upper ends,
    j = floor((n + 1) (1 - confidence)).

    With alpha = 1 - confidence the chance to hold y is at least 1 - 2 alpha - b with
    b = min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1)), which is 0 for K = n (jackknife+), and
    close to 1 - alpha unless the models of different folds have little to do with each other.

    Parameters
    ----------
    dists
        For each fold the predictions of the same new rows, by that fold's model.
    scores
        For each fold the `interval_scores` of its rows, which its model has not seen.
    confidence, conformity
        As in `conformal_interval`.
    """
    if len(dists) == 0 or len(dists) != len(scores):
        raise ValueError(f"{len(dists)} distributions with {len(scores)} arrays of scores")
    if len({len(dist) for dist in dists}) > 1:
        raise ValueError(f"the folds predict {[len(dist) for dist in dists]} rows; give the same")
    for dist in dists:
        interval_score_of(conformity, dist)  # raises where there are no intervals
    known = [np.sort(check_scores("scores", of_fold)) for of_fold in scores]
    pooled = np.sort(np.concatenate(known))
    n = pooled.size
    rank = conformal_rank(n, check_confidence(confidence))
    level = float(pooled[rank - 1]) if rank <= n else np.inf
    least = n + 1 - rank
    low, high = np.full((2, len(dists[0])), np.nan)
    if conformity == "cdf" and len(dists) > 1 and -0.5 < level < 0:
        low, high = _crossings(dists, known, least, level)
    rest = np.flatnonzero(np.isnan(low) | np.isnan(high))
    if rest.size:
        some = [interval_score_of(conformity, dist[rest]) for dist in dists]
        ends = zip(*(one.ends(level) for one in some), strict=True)
        lows, highs = (np.stack(end) for end in ends)
        if not np.isfinite(level):
            warn_if_infinite(pooled, confidence, _IMPOSSIBLE)
            return lows.min(axis=0), highs.max(axis=0)
        low[rest] = _end(some, known, least, lows.max(axis=0), lows.min(axis=0), "below")
        high[rest] = _end(some, known, least, highs.min(axis=0), highs.max(axis=0), "above")
    # Below a confidence of one half nothing may be left inside.
    return np.minimum(low, high), np.maximum(low, high)


def _crossings(
    dists: Sequence[Mixture], scores: Sequence[Array], least: int, level: float
) -> tuple[Array, Array]:
    """Return both ends (n,) from a few evaluations of the tails; NaN where they were not found."""
    tails = [np.sort(np.maximum(-known, 0)) for known in scores]
    if dists[0].response.discrete:
        return count_crossings(dists, tails, least, -level)
    theta = np.mean([dist.theta().mean(axis=1) for dist in dists], axis=0)
    response, units, tail = dists[0].response, dists[0].units, np.asarray(-level)
    found = []
    for upper, quantile in ((False, response.ppf), (True, response.isf)):
        start = units.restore(quantile(tail, theta))
        y, solved = tail_crossing(dists, tails, least, start, -level, upper=upper)
        found.append(np.where(solved, y, np.nan))
    return found[0], found[1]


def _end(
    sides: Sequence[IntervalScore], scores: Sequence[Array], least: int, inner: Array,
    outer: Array, side: str,
) -> Array:  # fmt: skip
    """Return the outermost y that is inside for at least so many rows, (n,).

    At the pooled level at least so many rows have a score, and their ends are no further out than
    `outer` and, of these, none further in than `inner`: the end is between them.
    """
    discrete = sides[0].discrete
    if discrete:  # ends were rounded outwards
        inner = inner + (1 if side == "below" else -1)

    def inside(y: Array) -> Array:
        rows = np.zeros(len(y), dtype=np.int64)
        for one, known in zip(sides, scores, strict=True):
            odd = getattr(one, side)(y)
            # Whole numbers have ties, which rounding must not break.
            odd = odd - _ROUNDING * np.abs(odd) if discrete else odd
            rows += known.size - np.searchsorted(known, odd, side="left")
        return rows >= least

    inner, outer = inner.copy(), outer.copy()
    done = inside(outer) | ~np.isfinite(outer)
    inner[done] = outer[done]
    for _ in range(_HALVINGS):
        if discrete and (np.abs(outer - inner) <= 1)[~done].all():
            break
        middle = outer / 2 + inner / 2
        if discrete:
            middle = np.floor(middle) if side == "below" else np.ceil(middle)
        held = inside(middle)
        inner, outer = np.where(held, middle, inner), np.where(held, outer, middle)
    # Of whole numbers the last one inside; of others the first one outside, for rounding's sake.
    return np.where(done, outer, inner) if discrete else outer
