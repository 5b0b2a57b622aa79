"""Quantiles of mixtures, by root searches that cannot leave their brackets.

A quantile of a mixture lies between the smallest and the largest of its components' quantiles.
The searches take pairs: row i of theta (N, m, d) with the probability at i.
"""

from __future__ import annotations

import numpy as np

from wgboost.predictive.rows import ParticleRows
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.typing import Array

__all__ = ["continuous_quantile", "discrete_quantile", "mixture_quantiles"]

_ROUNDING = float(np.finfo(np.float64).eps)
_QUARTER = np.array(0.25)
_CLOSE = 1e-12  # of the smallest component's interquartile range
_WIDE = 1e60  # in units of that
_LARGEST = float(np.finfo(np.float64).max)
_SIGN = np.int64(np.iinfo(np.int64).min)


def mixture_quantiles(mixture: ParticleRows, q: Array, upper: bool) -> Array:
    """Return the y, in standardised units, with probability q (n, g) below, or above, it."""
    low, high = mixture.response.support
    out = np.full(q.shape, np.nan)
    out[q == 0] = high if upper else low
    out[q == 1] = low if upper else high
    for row, column in mixture.pairs((q > 0) & (q < 1)):
        tail, theta, weight = q[row, column], mixture.theta(row), mixture.weights_of(row)
        if mixture.response.discrete:
            found = discrete_quantile(mixture.response, theta, weight, tail, upper)
        else:
            # From the nearer end: 1 - q is exact for q > 1/2, and the tail keeps its digits.
            far = tail > 0.5
            tail = np.where(far, 1 - tail, tail)
            found = continuous_quantile(mixture.response, theta, weight, tail, far != upper)
        out[row, column] = found
    return out


def _bracket(quantiles: Array, weight: Array | None) -> tuple[Array, Array]:
    """Return the smallest and the largest quantile of the components that count."""
    if weight is None:
        return quantiles.min(axis=1), quantiles.max(axis=1)
    low: Array = np.where(weight > 0, quantiles, np.inf).min(axis=1)
    high: Array = np.where(weight > 0, quantiles, -np.inf).max(axis=1)
    return low, high


def _chosen(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def continuous_quantile(
    response: Response, theta: Array, weight: Array | None, tail: Array, upper: Array
) -> Array:
    """Return x with probability `tail` above it where `upper`, below it elsewhere, (N,).

    Parameters
    ----------
    response
        A continuous response.
    theta, weight
        The particles (N, m, d) and their weights (N, m), which sum to 1, or None.
    tail, upper
        A probability in (0, 1), best at most 1/2, and the side on which it lies, both (N,).

    Notes
    -----
    Newton's method on the log of the tail probability, which is nearly straight in the tails; a
    step that leaves the bracket or does not halve is replaced by bisection, of exponents where
    components differ by many powers of ten. The result is the
    quantile to rounding, or to 1e-12 interquartile ranges of the narrowest component.
    """
    quantiles = np.where(
        upper[:, None], response.isf(tail[:, None], theta), response.ppf(tail[:, None], theta)
    )
    low, high = _bracket(quantiles, weight)
    beyond_numbers = np.isinf(low) | np.isinf(high)
    low, high = (np.clip(end, -_LARGEST, _LARGEST) for end in (low, high))
    spread = response.isf(_QUARTER, theta) - response.ppf(_QUARTER, theta)
    close = _CLOSE * _bracket(spread, weight)[0]
    with np.errstate(invalid="ignore", over="ignore"):
        x: Array = np.clip(np.nan_to_num(mix(quantiles, weight)), low, high)
        step = high - low
    x[np.isnan(low) | np.isnan(high)] = np.nan
    active = np.flatnonzero(step > 0)
    while active.size:
        at, parameters, share = x[active], theta[active], _chosen(weight, active)
        is_upper, goal = upper[active], tail[active]
        value = _one_sided(response, at, parameters, share, is_upper)
        density = mix(np.exp(response.logpdf(at[:, None], parameters)), share)
        beyond = np.where(is_upper, value <= goal, value >= goal)  # the quantile is not above x
        a = low[active] = np.where(beyond, low[active], at)
        b = high[active] = np.where(beyond, at, high[active])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            run = value / density
            newton = np.log(value / goal) * run * np.where(is_upper, 1, -1)
            good = (at + newton > a) & (at + newton < b) & (abs(newton) <= abs(step[active]) / 2)
            # Where the cdf is flat, rounding alone moves x by as much as the second term.
            near = abs(newton) + _ROUNDING * run <= 0.25 * _ROUNDING * abs(at) + close[active]
        middle = _middle(a, b, close[active])
        closed = (middle <= a) | (middle >= b) | (b - a <= close[active])
        step[active] = np.where(good, newton, middle - at)
        following = np.where(good, at + newton, middle)  # at + step would lose the smaller one
        x[active] = np.where(closed, b, np.where(near & ~good, at, following))
        active = active[~(near | closed)]
    # A component whose quantile is too large for a number does not make the mixture's so.
    x[beyond_numbers & (np.abs(x) == _LARGEST)] *= np.inf
    return x


def _middle(a: Array, b: Array, close: Array) -> Array:
    """Return points between a and b; by their exponents where they are worlds apart."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle: Array = a + 0.5 * (b - a)
        wide = b - a > _WIDE * close
    if wide.any():
        # The bits of doubles, read as whole numbers, rise with them.
        ends = (np.where(wide, end, 0).view(np.int64) for end in (a, b))
        low, high = (np.where(bits < 0, _SIGN - bits, bits) for bits in ends)
        bits = (low >> 1) + (high >> 1)
        between = np.where(bits < 0, _SIGN - bits, bits).view(np.float64)
        middle = np.where(wide, between, middle)
    return middle


def _one_sided(
    response: Response, x: Array, theta: Array, weight: Array | None, upper: Array
) -> Array:
    """Return the mixture's probability above x where `upper`, below x elsewhere."""
    value = np.empty(x.shape)
    for side, function in ((upper, response.sf), (~upper, response.cdf)):
        if side.any():
            value[side] = mix(function(x[side, None], theta[side]), _chosen(weight, side))
    return value


def discrete_quantile(
    response: Response, theta: Array, weight: Array | None, q: Array, upper: bool
) -> Array:
    """Return the smallest whole x with cdf(x) >= q, or if `upper` with sf(x) <= q, (N,)."""
    quantiles = (response.isf if upper else response.ppf)(q[:, None], theta)
    smallest, largest = _bracket(quantiles, weight)
    # One to each side: a component's rounding is not the mixture's.
    low: Array = np.maximum(smallest - 1, response.support[0])
    high: Array = np.minimum(largest + 1, response.support[1])
    active = np.flatnonzero(low < high)
    while active.size:
        middle = np.floor((low[active] + high[active]) / 2)
        function = response.sf if upper else response.cdf
        value = mix(function(middle[:, None], theta[active]), _chosen(weight, active))
        reached = (value <= q[active]) if upper else (value >= q[active])
        high[active] = np.where(reached, middle, high[active])
        low[active] = np.where(reached, low[active], middle + 1)
        active = active[low[active] < high[active]]
    return high
