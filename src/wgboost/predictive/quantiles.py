"""Quantiles of mixtures, by root searches that cannot leave their brackets.

A quantile of a mixture is between the smallest and the largest quantile of its components. Searches
take N pairs of a row of theta (N, m, d) and a probability.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.predictive.count_tables import table_quantile
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.responses.integer_search import smallest_integer
from wgboost.typing import Array

__all__ = ["continuous_quantile", "discrete_quantile", "mixture_quantiles"]

_ROUNDING = float(np.finfo(np.float64).eps)
_QUARTER = np.array(0.25)
_MATCH = 1e-13  # relative error of the probability at a quantile
_FLAT = 1e-12  # largest error of a quantile by rounding of the cdf, in interquartile ranges
_WIDE = 1e48  # width from which a bracket is bisected by exponents, in interquartile ranges
_LARGEST = float(np.finfo(np.float64).max)
_SIGN = np.int64(np.iinfo(np.int64).min)

_Side = Callable[[Array, Array], Array]


def mixture_quantiles(mixture: WeightedParticles, q: Array, upper: bool) -> Array:
    """Return the y, in standardised units, with probability q (n, g) below or above."""
    low, high = mixture.response.support
    out = np.full(q.shape, np.nan)
    out[q == 0] = high if upper else low
    out[q == 1] = low if upper else high
    for row, column in mixture.pairs((q > 0) & (q < 1)):
        tail, theta, weight = q[row, column], mixture.theta(row), mixture.weights_of(row)
        if mixture.response.discrete:
            found = discrete_quantile(mixture.response, theta, weight, tail, upper)
        else:
            # From the nearer tail, which is precise; 1 - q is exact for q > 1/2.
            far = tail > 0.5
            tail = np.where(far, 1 - tail, tail)
            found = continuous_quantile(mixture.response, theta, weight, tail, far != upper)
        out[row, column] = found
    return out


def _take_weights(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def _centre(theta: Array, weight: Array | None) -> Array:
    """Return the mean particle (N, d), whose quantile is the first guess."""
    return mix(np.moveaxis(theta, 1, 2), None if weight is None else weight[:, None])


def _by_side(upper: Array, above: _Side, below: _Side, values: Array, theta: Array) -> Array:
    """Return above(values, theta) where `upper`, below(values, theta) elsewhere."""
    if upper.all() or not upper.any():
        return np.asarray((above if upper.any() else below)(values, theta))
    out = np.empty(np.broadcast_shapes(values.shape, theta.shape[:-1]))
    for side, function in ((upper, above), (~upper, below)):
        out[side] = function(values[side], theta[side])
    return out


def continuous_quantile(
    response: Response, theta: Array, weight: Array | None, tail: Array, upper: Array
) -> Array:
    """Return x with probability `tail` above it where `upper`, below it elsewhere, (N,).

    The particles are theta (N, m, d) with weights (N, m) that sum to 1, or None. `tail` (N,) is
    best at most 1/2. The probability at x is `tail` to a relative 1e-13, or x is the nearest number
    to the quantile.

    This is Newton's method on the log of the tail probability, from the quantile of the mean
    particle. The variable is the log of the distance to the nearest end of the support, if there is
    one: the quantile of a density that is a power of this distance takes one step, however steep it
    is. A step that leaves the bracket or is not half as long as the last one is replaced by
    bisection between the quantiles of components, of exponents if these differ by orders of
    magnitude.
    """
    centre = _centre(theta, weight)
    x = _by_side(upper, response.isf, response.ppf, tail, centre)
    with np.errstate(invalid="ignore", over="ignore"):
        spread = response.isf(_QUARTER, centre) - response.ppf(_QUARTER, centre)
    x = np.clip(x, -_LARGEST, _LARGEST)
    low, high = (np.full(x.shape, end).clip(-_LARGEST, _LARGEST) for end in response.support)
    step, bracketed = np.full(x.shape, np.inf), np.zeros(x.shape, dtype=bool)
    active = np.flatnonzero(~np.isnan(x)) if theta.shape[1] > 1 else np.empty(0, dtype=np.intp)
    while active.size:
        at, particles, share = x[active], theta[active], _take_weights(weight, active)
        side, goal = upper[active], tail[active]
        with np.errstate(over="ignore"):  # steps are long where the cdf is flat
            value = mix(_by_side(side, response.sf, response.cdf, at[:, None], particles), share)
            density = mix(np.exp(response.logpdf(at[:, None], particles)), share)
        beyond = np.where(side, value <= goal, value >= goal)  # the quantile is not above x
        a = low[active] = np.where(beyond, low[active], at)
        b = high[active] = np.where(beyond, at, high[active])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            run = value / density
            miss = np.log(value / goal)
            newton = miss * run * np.where(side, 1, -1)
            following, length = _moved(response.support, at, newton)
            good = (following > a) & (following < b) & (length <= step[active] / 2)
            # Rounding moves x by this much where the cdf is flat.
            blurred = _ROUNDING * run > _FLAT * spread[active] + np.spacing(np.abs(at))
            matched = (np.abs(miss) <= _MATCH) | (np.abs(newton) <= np.spacing(np.abs(at)) / 2)
        near = matched & ~blurred
        new = ~(good | near | bracketed[active])
        if new.any():
            rows = active[new]
            weights = _take_weights(weight, rows)
            ends = _bracket(response, theta[rows], weights, tail[rows], upper[rows])
            a[new] = low[rows] = np.maximum(low[rows], ends[0])
            b[new] = high[rows] = np.minimum(high[rows], ends[1])
            bracketed[rows] = True
        middle = _middle(a, b, response.support[0], spread[active])
        closed = ~(good | near) & ~((middle > a) & (middle < b))
        x[active] = np.where(near, at, np.where(good, following, np.where(closed, b, middle)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            halved = _moved(response.support, at, middle - at)[1]
        step[active] = np.where(good, length, np.where(np.isnan(halved), np.inf, halved))
        active = active[~(near | closed)]
    # Quantiles of components may overflow even if that of the mixture does not.
    x[np.abs(x) == _LARGEST] *= np.inf
    return x


def _moved(support: tuple[float, float], x: Array, newton: Array) -> tuple[Array, Array]:
    """Return x after a step along the log distance to the nearest end, and the step's length.

    `newton` is the step in x, which is taken if the support has no end.
    """
    low, high = support
    if np.isinf(low) and np.isinf(high):
        return x + newton, np.abs(newton)
    end = np.where(x - low <= high - x, low, high)
    distance = x - end
    relative = newton / distance
    return end + distance * np.exp(relative), np.abs(relative)


def _bracket(
    response: Response, theta: Array, weight: Array | None, tail: Array, upper: Array
) -> tuple[Array, Array]:
    """Return the smallest and the largest quantile of components with a positive weight."""
    quantiles = _by_side(upper, response.isf, response.ppf, tail[:, None], theta)
    quantiles = np.clip(quantiles, -_LARGEST, _LARGEST)
    if weight is None:
        return quantiles.min(axis=1), quantiles.max(axis=1)
    low: Array = np.where(weight > 0, quantiles, np.inf).min(axis=1)
    high: Array = np.where(weight > 0, quantiles, -np.inf).max(axis=1)
    return low, high


def _middle(a: Array, b: Array, low: float, spread: Array) -> Array:
    """Return points between a and b, by exponents if these differ by orders of magnitude."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle: Array = a + 0.5 * (b - a)
        distant = b > 4 * a if low == 0 else b - a > _WIDE * spread
    if distant.any():
        # The bits of doubles, read as integers, are in the same order.
        ends = (np.where(distant, end, 0).view(np.int64) for end in (a, b))
        first, last = (np.where(bits < 0, _SIGN - bits, bits) for bits in ends)
        bits = (first >> 1) + (last >> 1)
        between = np.where(bits < 0, _SIGN - bits, bits).view(np.float64)
        middle = np.where(distant, between, middle)
    return middle


def discrete_quantile(
    response: Response, theta: Array, weight: Array | None, q: Array, upper: bool
) -> Array:
    """Return the smallest whole x with cdf(x) >= q, or if `upper` with sf(x) <= q, (N,)."""
    found = table_quantile(response, theta, weight, q, upper=upper)
    rest = np.flatnonzero(np.isnan(found))
    if rest.size:
        weights = _take_weights(weight, rest)
        found[rest] = _search_quantile(response, theta[rest], weights, q[rest], upper)
    return found


def _search_quantile(
    response: Response, theta: Array, weight: Array | None, q: Array, upper: bool
) -> Array:
    """Return the smallest whole x from evaluations of the tails, (N,)."""
    centre = _centre(theta, weight)
    start = (response.isf if upper else response.ppf)(q, centre)
    side = response.sf if upper else response.cdf

    def reached(x: Array, rows: Array) -> Array:
        value = mix(side(x[:, None], theta[rows]), _take_weights(weight, rows))
        hit: Array = (value <= q[rows]) if upper else (value >= q[rows])
        return hit

    return smallest_integer(reached, start, np.sqrt(response.var(centre)) / 8, response.support)
