"""Nonconformity scores of values, and the values with at most a given score.

A score has two sides, one that decreases and one that increases with y, and is the larger of the
two. So the values with at most a given score are an interval, which grows with the score.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from wgboost.conformal.far_tails import far_quantile
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["INTERVAL_SCORES", "ByCdf", "ByScale", "IntervalScore", "interval_score_of"]

_ROUNDING = 1e-9  # relative: a value whose score is the level is inside in spite of rounding
_LEAST = 1e-250  # smaller probabilities are imprecise
_LOG_LEAST = math.log(_LEAST)
_ONE_DEVIATION = 0.15865525393145707  # tail of a normal distribution beyond one deviation


class IntervalScore(Protocol):
    """Scores of values y (n,) for the rows of one distribution, in the user's units."""

    discrete: bool

    def __init__(self, dist: Mixture) -> None: ...

    def below(self, y: Array) -> Array:
        """Return the score of y for being small, which never increases with y."""
        ...

    def above(self, y: Array) -> Array:
        """Return the score of y for being large, which never decreases with y."""
        ...

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the smallest and the largest y whose score is at most the level."""
        ...


class ByCdf:
    """Minus the smaller of the probabilities of a value at most y and at least y.

    This is distributional conformal prediction: intervals are central intervals of the predictive
    distribution with an adjusted probability, and keep its skewness and tails.

    A tail below 1e-250, as for a model that is far too narrow, is imprecise, and values further out
    would have equal scores. The score is then log(1e-250 / tail), which is positive and so larger
    than all other scores.
    """

    def __init__(self, dist: Mixture) -> None:
        self.dist = dist
        self.discrete = dist.response.discrete

    def below(self, y: Array) -> Array:
        """Return the score of the probability of a value <= y, at least -1/2."""
        return self._scores(y, self.dist.cdf(y), upper=False)

    def above(self, y: Array) -> Array:
        """Return the score of the probability of a value >= y, at least -1/2."""
        last = y - 1 if self.discrete else y
        return self._scores(last, self.dist.sf(last), upper=True)

    def _scores(self, y: Array, tail: Array, upper: bool) -> Array:
        scores: Array = -np.minimum(tail, 0.5)
        lost = tail <= _LEAST
        if lost.any():
            some = self.dist[lost]
            logs = (some.logsf if upper else some.logcdf)(y[lost])
            # The sf of a custom response may be 1 - cdf, which underflows earlier.
            scores[lost] = np.where(logs > _LOG_LEAST, -np.exp(logs), _LOG_LEAST - logs)
        return scores

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the quantiles whose tail has the score of the level."""
        if level == np.inf:
            return self.dist.support()
        if level >= 0:
            log_tail = (_LOG_LEAST - level) * (1 + _ROUNDING)
            low, high = (far_quantile(self.dist, log_tail, upper=side) for side in (False, True))
            return low, high
        tail = min(-level, 0.5) * (1 - _ROUNDING)
        return self.dist.ppf(tail), self.dist.isf(tail)


class ByScale:
    """The distance of y from the predictive mean in predictive standard deviations.

    Intervals are mean +- level * deviation, within the support. Without a mean or a finite
    deviation the median is used, and half the distance of the quantiles that are at -1 and +1
    deviations for a normal distribution.
    """

    def __init__(self, dist: Mixture) -> None:
        self.discrete = dist.response.discrete
        self.centre = dist.mean() if dist.response.has_mean else dist.median()
        self.width = dist.std() if dist.response.has_mean else np.full(len(dist), np.nan)
        infinite = ~np.isfinite(self.width)
        if infinite.any():
            some = dist[infinite]
            low, high = some.ppf(_ONE_DEVIATION), some.isf(_ONE_DEVIATION)
            self.width[infinite] = high / 2 - low / 2
        self.support = dist.support()

    def _over_width(self, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Array = distance / self.width
        return np.where(distance == 0, 0.0, ratio)  # also where the width is zero

    def below(self, y: Array) -> Array:
        """Return the distance of y below the centre, in deviations."""
        return self._over_width(self.centre - y)

    def above(self, y: Array) -> Array:
        """Return the distance of y above the centre, in deviations."""
        return self._over_width(y - self.centre)

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the centre -+ `level` deviations, rounded outwards if y is discrete."""
        if level == np.inf:
            return self.support
        reach = level * (1 + _ROUNDING) * self.width
        low, high = self.centre - reach, self.centre + reach
        if self.discrete:
            low, high = np.floor(low), np.ceil(high)
        return np.maximum(low, self.support[0]), np.minimum(high, self.support[1])


INTERVAL_SCORES: dict[str, type[IntervalScore]] = {"cdf": ByCdf, "scaled": ByScale}


def interval_score_of(conformity: Any, dist: Mixture) -> IntervalScore:
    """Return the scores of a distribution by name; raise if y has classes or several columns."""
    check_choice("conformity", conformity, INTERVAL_SCORES)
    if not isinstance(dist, Mixture):
        raise TypeError(f"dist={dist!r} must be a distribution from predict_dist")
    if dist.response.nominal:
        raise ValueError("classes have no intervals; use conformal_sets")
    if dist.response.y_shape:
        raise ValueError("intervals are for one column: give dist.marginal(j) and y[:, j]")
    return INTERVAL_SCORES[conformity](dist)
