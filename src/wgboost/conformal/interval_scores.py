"""Nonconformity scores of values, and the values with at most a given score.

A score has two sides, one that falls and one that rises with y, and is the larger of them. So the
values with at most a certain score are an interval, and a larger score has a larger one.
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

_ROUNDING = 1e-9  # relative: a value as odd as the level is inside, whatever rounding makes of it
_LEAST = 1e-250  # a smaller probability has lost its digits, or soon will
_LOG_LEAST = math.log(_LEAST)
_ONE_DEVIATION = 0.15865525393145707  # the tail of a normal distribution beyond it


class IntervalScore(Protocol):
    """Scores of values y (n,) of the rows of one distribution, in the user's units."""

    discrete: bool

    def __init__(self, dist: Mixture) -> None: ...

    def below(self, y: Array) -> Array:
        """Return how odd y is for being small; never rises with y."""
        ...

    def above(self, y: Array) -> Array:
        """Return how odd y is for being large; never falls with y."""
        ...

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the smallest and the largest y with no score above the level."""
        ...


class ByCdf:
    """Minus the smaller of the probabilities of a value at most y and at least y.

    "Distributional conformal prediction": intervals are central ones of the predictive
    distribution, at another probability than it says, with its skewness and tails.

    Where that probability is below 1e-250, as of a model that is far too narrow, it is about to
    lose its digits, and values would be equally odd however far out they are. The score is then
    the log of how many times it is smaller than 1e-250: a positive number, above all others.
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
            # A response of one's own may lose its tail earlier, its sf being 1 - cdf.
            scores[lost] = np.where(logs > _LOG_LEAST, -np.exp(logs), _LOG_LEAST - logs)
        return scores

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the quantiles with the tail of the level beyond."""
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

    Intervals are mean +- level * deviation, within the support. Where there is no mean, or no
    finite deviation, the median and half the distance of the quantiles at -1 and +1 deviations of a
    normal distribution.
    """

    def __init__(self, dist: Mixture) -> None:
        self.discrete = dist.response.discrete
        self.centre = dist.mean() if dist.response.has_mean else dist.median()
        self.width = dist.std() if dist.response.has_mean else np.full(len(dist), np.nan)
        wild = ~np.isfinite(self.width)
        if wild.any():
            low, high = dist[wild].ppf(_ONE_DEVIATION), dist[wild].isf(_ONE_DEVIATION)
            self.width[wild] = high / 2 - low / 2
        self.support = dist.support()

    def _over_width(self, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Array = distance / self.width
        return np.where(distance == 0, 0.0, ratio)  # also where the width is zero

    def below(self, y: Array) -> Array:
        """Return how many deviations y is below the centre."""
        return self._over_width(self.centre - y)

    def above(self, y: Array) -> Array:
        """Return how many deviations y is above the centre."""
        return self._over_width(y - self.centre)

    def ends(self, level: float) -> tuple[Array, Array]:
        """Return the centre minus and plus so many deviations; of a discrete y rounded outwards."""
        if level == np.inf:
            return self.support
        reach = level * (1 + _ROUNDING) * self.width
        low, high = self.centre - reach, self.centre + reach
        if self.discrete:
            low, high = np.floor(low), np.ceil(high)
        return np.maximum(low, self.support[0]), np.minimum(high, self.support[1])


INTERVAL_SCORES: dict[str, type[IntervalScore]] = {"cdf": ByCdf, "scaled": ByScale}


def interval_score_of(conformity: Any, dist: Mixture) -> IntervalScore:
    """Return the scores of a distribution by name; raise if its y has no order, or columns."""
    check_choice("conformity", conformity, INTERVAL_SCORES)
    if not isinstance(dist, Mixture):
        raise TypeError(f"dist={dist!r} must be a distribution from predict_dist")
    if dist.response.nominal:
        raise ValueError("classes have no order and no intervals; conformal_sets is for them")
    if dist.response.y_shape:
        raise ValueError(
            "intervals are of one column: give dist.marginal(j) and y[:, j], or one model a column"
        )
    return INTERVAL_SCORES[conformity](dist)
