"""Ends of CV+ intervals of counts that are too large for tables.

The tails of Poisson and negative binomial counts are continued between whole numbers, where they
are smooth in y. The point at which enough rows agree is found as for a continuous y, and the end
is the next whole number. Where this point is as near to a whole number as its error, the tails at
whole numbers decide. Where components are narrow or nearly normal, they decide everywhere, from a
start that a normal distribution gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy import special

from wgboost.conformal.count_points import count_points
from wgboost.conformal.narrow_counts import mixture_tail
from wgboost.conformal.tail_crossing import TailPath, tail_crossing
from wgboost.predictive import Mixture
from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.count_tables import is_tabled
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.responses.counts import Count
from wgboost.responses.integer_search import smallest_integer
from wgboost.responses.zero_inflated import ZeroInflated
from wgboost.typing import Array

__all__ = ["large_count_crossings"]

_ROUNDING = 1e-9  # relative, outwards: a value whose score is the level is inside
_ERROR = 2e-8  # of the point, in standard deviations
_BENT = 1e-3  # the same where the mass is not straight between whole numbers
_NARROW = 0.01  # least share of a component's variance in that of the mixture
_STRAIGHT = 0.2  # largest skew for which a start is as good as a crossing of tails
_LARGEST = 1e12  # y has digits behind the point up to here

_Condition = Callable[[Array, Array], Array]


class _CountPath(TailPath):
    """Log tails along the log of y + 1."""

    def __init__(self, dists: Sequence[Mixture], *, upper: bool) -> None:
        super().__init__(dists, upper=upper)
        self.low = np.full(len(dists[0]), -1.0)

    def take(self, rows: Array) -> _CountPath:
        """Return the path of some rows."""
        return _CountPath([dist[rows] for dist in self.dists], upper=self.upper)

    def tail_and_density(self, dist: Mixture, y: Array) -> tuple[Array, Array]:
        """Return tails (r,) continued to y > -1, and about their derivatives."""
        response, parts = dist.response, np.empty((2, len(y)))
        assert isinstance(response, Count)
        for rows in row_blocks(len(y), dist.particles[0].size):
            each = response.tail_and_slope(y[rows, None], dist.theta(rows), upper=self.upper)
            weights = dist.weights_of(rows)
            for part, values in zip(parts, each, strict=True):
                part[rows] = mix(values, weights)
        return parts[0], parts[1]


def large_count_crossings(
    dists: Sequence[Mixture], tails: Sequence[Array], least: int, tail: float
) -> tuple[Array, Array]:
    """Return the outermost counts (n,) whose tails are at least as large as `least` given ones.

    As `count_crossings`, for counts of any size. Ends of other responses are NaN.
    """
    n = len(dists[0])
    low, high = np.full((2, n), np.nan)
    if not n or not is_tabled(dists[0].response):
        return low, high

    def held(probability: Sequence[Array]) -> Array:
        rank = np.zeros(len(probability[0]), dtype=np.int64)
        for known, own in zip(tails, probability, strict=True):
            rank += np.searchsorted(known, own * (1 + _ROUNDING), side="right")
        return rank >= least

    def reached_low(y: Array, rows: Array) -> Array:
        return held([mixture_tail(dist[rows], y, upper=False) for dist in dists])

    def reached_high(y: Array, rows: Array) -> Array:
        return ~held([mixture_tail(dist[rows], y, upper=True) for dist in dists])

    low[reached_low(np.zeros(n), np.arange(n))] = 0
    with np.errstate(all="ignore"):
        moments = dists[0].over_rows(partial(_moments, dists[0].response), 4)
    for end, reached, upper in ((low, reached_low, False), (high, reached_high, True)):
        rows = np.flatnonzero(np.isnan(end))
        if rows.size:
            path = _CountPath([dist[rows] for dist in dists], upper=upper)
            agree = partial(_of_rows, reached, rows)
            end[rows] = _end(path, tails, least, tail, moments[rows].T, agree)
    return low, high


def _of_rows(reached: _Condition, rows: Array, y: Array, at: Array) -> Array:
    return reached(y, rows[at])


def _end(
    path: _CountPath, tails: Sequence[Array], least: int, tail: float, moments: Array,
    reached: _Condition,
) -> Array:  # fmt: skip
    """Return the smallest count (n,) at which a condition holds; `moments` (4, n) of `_moments`."""
    mean, deviation, variance, skew = moments
    known = np.zeros(len(mean), dtype=bool)
    start, found = np.full((2, len(mean)), np.nan)
    with np.errstate(all="ignore"):
        # Narrow components make steps, on which a small error of the tail moves the point far.
        smooth = variance > _NARROW * np.square(deviation)
        rows = np.flatnonzero(smooth & (skew > _STRAIGHT))
        if rows.size:
            # A gamma distribution with the same moments.
            shape = np.square(mean / deviation)[rows]
            quantile = (special.gammainccinv if path.upper else special.gammaincinv)(shape, tail)
            begin = mean[rows] * (quantile / shape)
            point, solved = tail_crossing(path.take(rows), tails, least, begin, tail)
            error = deviation[rows] * (_ERROR + _BENT / variance[rows])
            error += _BENT / np.maximum(point + 1, 1e-3)
            solved &= point < _LARGEST
            known[rows] = solved & (np.abs(point - np.round(point)) > error)
            start[rows[solved]], found[rows] = (
                np.round(point[solved]),
                np.maximum(np.ceil(point), 0),
            )
    lost = np.flatnonzero(np.isnan(start))
    if lost.size:
        some = [dist[lost] for dist in path.dists]
        start[lost] = np.ceil(count_points(some, tails, least, tail, upper=path.upper))
    rest = np.flatnonzero(~known)
    if rest.size:
        found[rest] = smallest_integer(
            lambda y, at: reached(y, rest[at]), start[rest], np.ones(rest.size)
        )
    return found


def _moments(response: Response, theta: Array, weights: Array | None) -> Array:
    """Return the mean and the deviation of rows, and how narrow and skewed components are, (r, 4).

    The third is the least variance of counts. The fourth is the largest square of the skewness
    times the standard deviation: about the error of `count_points`. Extra zeros do not count there.
    """
    means, variance = response.mean(theta), response.var(theta)
    mean = mix(means, weights)
    spread = mix(variance + np.square(means - mean[:, None]), weights)
    if isinstance(response, ZeroInflated):
        response, theta = response.part, theta[..., :-1]
        means, variance = response.mean(theta), response.var(theta)
    skew = np.square(2 * variance / means - 1) / np.sqrt(variance)
    return np.stack([mean, np.sqrt(spread), variance.min(axis=1), skew.max(axis=1)], axis=1)
