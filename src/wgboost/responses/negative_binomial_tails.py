"""Tails of negative binomial counts.

They are shares of a beta distribution. For large counts SciPy's takes several times as long as an
incomplete gamma function, and a beta distribution is nearly a mixture of gamma distributions: with
first shape y + 1 and second shape r, and t = y + (r + 1) / 2, the density of -t log(x) is
proportional to

    z^(r - 1) exp(-z) (sinh(h) / h)^(r - 1),  h = z / (2 t).

The last factor is a series in h^2, and its terms are gamma densities of shapes r, r + 2, r + 4, ...
"""

from __future__ import annotations

import numpy as np
from scipy import special

from wgboost.responses.deviance import count_deviance, log_factorial_correction
from wgboost.responses.incomplete_gamma import lower_gamma, upper_gamma
from wgboost.typing import Array

__all__ = ["lower_tail", "tail_and_slope", "upper_tail"]

_LARGE = 256.0  # least count for the series
_MOST = 3e-3  # largest share of its second term
# Further terms by the share of the second: the first that is left out is below 1e-17.
_TERMS = ((1e-9, 1), (1e-6, 2), (1e-4, 3), (_MOST, 4))
_LOG_SINHC = (1 / 24, -1 / 2880, 1 / 181440, -1 / 9676800)  # log(sinh(u / 2) / (u / 2)) in u^2
_FARTHEST = 1e300  # its exponential and that of minus its logarithm are numbers
_CANCELLING = 1e3  # least shape from which z^r and Gamma(r + 1) cancel to few digits
_CANCELS = 0.9  # larger probabilities are not subtracted from 1
_TINY = 1e-6  # least complement of x for which a first-order correction of rounding is enough
_SMALL = 1e-6  # largest relative correction


def lower_tail(y: Array, mean: Array, dispersion: Array) -> Array:
    """Return the probability of a count <= y."""
    return _tail(y, mean, dispersion, upper=False)[0]


def upper_tail(y: Array, mean: Array, dispersion: Array) -> Array:
    """Return the probability of a count > y."""
    return _tail(y, mean, dispersion, upper=True)[0]


def tail_and_slope(y: Array, mean: Array, dispersion: Array, *, upper: bool) -> tuple[Array, Array]:
    """Return one of the tails, continued between counts, and the size of its derivative in y.

    The derivative is NaN where the series does not apply.
    """
    return _tail(y, mean, dispersion, upper=upper)


def _tail(y: Array, mean: Array, a: Array, *, upper: bool) -> tuple[Array, Array]:
    if not np.greater_equal(y, _LARGE).any():
        tail = _exact(y, mean, a, upper=upper)
        return tail, np.full(tail.shape, np.nan)
    shape = np.broadcast_shapes(np.shape(y), np.shape(mean), np.shape(a))
    y, mean, a = np.broadcast_arrays(*np.atleast_1d(y, mean, a))
    with np.errstate(over="ignore"):
        r, distance = 1 / a, np.log1p(1 / (a * mean))
        second = (r + 1) * np.square(distance + (r + 2) / (y + 0.5 * (r + 1))) / 24
        # Nearer to 0 SciPy is as fast.
        near = (y >= _LARGE) & (second <= _MOST) & (y * distance >= r)
    if near.all():
        tail, slope = _gamma_series(y, r, distance, second.max(), upper=upper)
        return tail.reshape(shape), slope.reshape(shape)
    tail, slope = np.empty(y.shape), np.full(y.shape, np.nan)
    tail[~near] = _exact(y[~near], mean[~near], a[~near], upper=upper)
    if near.any():
        largest = second[near].max()
        tail[near], slope[near] = _gamma_series(
            y[near], r[near], distance[near], largest, upper=upper
        )
    return tail.reshape(shape), slope.reshape(shape)


def _gamma_series(
    y: Array, r: Array, distance: Array, second: float, *, upper: bool
) -> tuple[Array, Array]:
    """Return a tail from the probabilities of gamma distributions of shapes r, r + 2, ...

    Also returned is the size of its derivative in y. `distance` is -log(x), and `second` is at
    least the share of the second term.
    """
    terms = next(number for most, number in _TERMS if second <= most)
    t = y + 0.5 * (r + 1)
    z, per_square = np.minimum(t * distance, _FARTHEST), np.square(1 / t)
    first, term = (upper_gamma if upper else lower_gamma)(r, z), _power_term(r, z)
    factors, powers = [np.ones_like(r)], np.ones_like(r)
    change, sum_, total = np.zeros_like(r), 0.0, 1.0
    density, of_weights, of_total = term * r / z, 0.0, 0.0
    for k in range(1, terms + 1):
        factor = sum((j * _LOG_SINHC[j - 1]) * factors[k - j] for j in range(1, k + 1))
        factors.append(factor * (r - 1) / k)
        shape = r + 2 * k
        powers = powers * ((shape - 2) * (shape - 1) * per_square)
        next_term = term * z / (shape - 1)
        change = change + (term + next_term)
        term = next_term * z / shape
        weight = factors[k] * powers
        part = weight * change
        total, sum_ = total + weight, sum_ + part
        density = density + weight * next_term
        of_weights, of_total = of_weights + k * part, of_total + k * weight
    # The weights of the terms sum to `total`, and all have the first probability in common.
    mean_change = sum_ / total
    slope = (density * distance + 2 / t * (of_weights - of_total * mean_change)) / total
    return first + (mean_change if upper else -mean_change), slope


def _power_term(r: Array, z: Array) -> Array:
    """Return z^r exp(-z) / Gamma(r + 1), by which probabilities of shapes r and r + 1 differ."""
    large = r > _CANCELLING
    if not large.any():
        return np.asarray(np.exp(r * np.log(z) - z - special.gammaln(r + 1)))
    term = np.empty(r.shape)
    term[~large] = _power_term(r[~large], z[~large])
    r, z = r[large], z[large]
    term[large] = np.exp(-count_deviance(r, z) - log_factorial_correction(r))
    return term


def _exact(y: Array, mean: Array, a: Array, *, upper: bool) -> Array:
    share, rest = a * mean / (1 + a * mean), 1 / (1 + a * mean)
    if upper:
        return _beta_share(y + 1, 1 / a, share, rest)
    return _beta_share(1 / a, y + 1, rest, share)


def _beta_share(first: Array, second: Array, x: Array, rest: Array) -> Array:
    """Return the cdf at x of a beta distribution; rest = 1 - x, and either may be tiny."""
    shape = np.broadcast_shapes(*(np.shape(part) for part in (first, second, x, rest)))
    first, second, x, rest = np.broadcast_arrays(*np.atleast_1d(first, second, x, rest))
    near = x <= rest
    # Below the mean the other tail is close to 1: 1 - tail would cancel.
    beyond = ~near & (x * (first + second) < first) & (rest >= _TINY)
    share = np.empty(x.shape)
    share[near] = special.betainc(first[near], second[near], x[near])
    share[beyond] = _rounded_share(first[beyond], second[beyond], x[beyond], rest[beyond])
    left = ~(near | beyond)
    other = special.betainc(second[left], first[left], rest[left])
    share[left] = 1 - other
    lost = left.copy()
    lost[left] = other > _CANCELS
    share[lost] = special.betaincc(second[lost], first[lost], rest[lost])
    return share.reshape(shape)


def _rounded_share(first: Array, second: Array, x: Array, rest: Array) -> Array:
    """Return the cdf at 1 - rest, of which x > 1/2 is a rounded value.

    Ten times as fast as SciPy's betaincc.
    """
    share = special.betainc(first, second, x)
    with np.errstate(all="ignore"):
        log_density = (first - 1) * np.log(x) + (second - 1) * np.log(rest)
        density = np.exp(log_density - special.betaln(first, second))
        change = density * ((1 - x) - rest)  # 1 - x is exact
    # A larger change than a few roundings of x comes from a density without correct digits.
    return share + np.where(np.abs(change) < _SMALL * share, change, 0)
