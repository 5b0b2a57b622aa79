"""The regularised incomplete gamma functions, also for large parameters.

SciPy's series for the lower tail is slow if the shape is large and x is more than 4.5 deviations
below it, and above 1e6 it stops before it converges: 6e-16 becomes 3e-17 at a shape of 1e11.
Temme's uniform expansion replaces it there. SciPy's series for the upper tail of a small shape is
slow, and SciPy uses it for the lower tail too if 1 < x <= 1.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from wgboost.responses.deviance import log_excess_series
from wgboost.typing import Array

__all__ = ["inverse_lower_gamma", "inverse_upper_gamma", "lower_gamma", "upper_gamma"]

_LARGE = 2e3
_LEAST = 1 / 64  # smaller probabilities are not differences from 1
_SLOW = 1.1  # largest x for which SciPy uses the slow series
_FAR = 4.0  # deviations; SciPy uses the expansion itself up to 4.5
_NOTHING = 39.0  # deviations; a normal distribution has a larger tail, of 2e-333
_STEPS = 3  # Newton steps from SciPy's inverse
_TEMME = (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515)


def lower_gamma(shape: Array, x: Array) -> Array:
    """Return the probability of a value <= x of a gamma distribution of scale 1."""
    return _tail(_lower, shape, x, upper=False)


def upper_gamma(shape: Array, x: Array) -> Array:
    """Return the probability of a value > x of a gamma distribution of scale 1."""
    return _tail(_upper, shape, x, upper=True)


def inverse_lower_gamma(shape: Array, q: Array) -> Array:
    """Return the value below which `lower_gamma` is q.

    SciPy inverts its own series, which is not precise far below a large shape.
    """
    x = np.asarray(special.gammaincinv(shape, q))
    if not np.greater(shape, _LARGE).any():
        return x
    shape, q = np.broadcast_arrays(shape, q)
    far = (shape > _LARGE) & ((shape - x) / np.sqrt(shape) > _FAR) & (q > 0) & (x > 0)
    if not far.any():
        return x
    a, level, value = shape[far].astype(np.float64), np.log(q[far]), x[far].astype(np.float64)
    for _ in range(_STEPS):
        tail = np.maximum(lower_gamma(a, value), np.finfo(np.float64).tiny)
        log_density = (a - 1) * np.log(value) - value - special.gammaln(a)
        step = (np.log(tail) - level) * np.exp(np.log(tail) - log_density)
        value = np.clip(value - step, value / 2, a)
    x[far] = value
    return x


def inverse_upper_gamma(shape: Array, q: Array) -> Array:
    """Return the value above which `upper_gamma` is q."""
    x = np.asarray(special.gammainccinv(shape, q))
    if not np.greater(shape, _LARGE).any():
        return x
    return np.where(np.greater(q, 0.5), inverse_lower_gamma(shape, 1 - np.asarray(q)), x)


def _lower(shape: Array, x: Array) -> Array:
    """Return SciPy's gammainc, or that of a larger shape and terms where it is slow."""
    if not (np.less(shape, _SLOW).any() and np.less_equal(x, _SLOW).any()):
        return np.asarray(special.gammainc(shape, x))
    shape, x = np.broadcast_arrays(shape, x)
    slow = (shape < _SLOW) & (x > 1) & (x <= _SLOW)
    lower = np.empty(shape.shape, np.result_type(shape, x))
    lower[~slow] = special.gammainc(shape[~slow], x[~slow])
    shape, x = shape[slow], x[slow]
    terms = np.exp(shape * np.log(x) - x - special.gammaln(shape + 1)) * (1 + x / (shape + 1))
    lower[slow] = special.gammainc(shape + 2, x) + terms
    return lower


def _upper(shape: Array, x: Array) -> Array:
    """Return SciPy's gammaincc, or 1 - gammainc where it is ten times as fast and precise."""
    if not (np.less(shape, _SLOW).any() and np.less_equal(x, _SLOW).any()):
        return np.asarray(special.gammaincc(shape, x))
    shape, x = np.broadcast_arrays(shape, x)
    upper = np.empty(shape.shape, np.result_type(shape, x))
    quick = np.asarray((shape < _SLOW) & (x <= _SLOW))
    lower = _lower(shape[quick], x[quick])
    upper[quick] = 1 - lower
    quick[quick] = lower <= 1 - _LEAST
    upper[~quick] = special.gammaincc(shape[~quick], x[~quick])
    return upper


def _tail(side: Callable[[Array, Array], Array], shape: Array, x: Array, *, upper: bool) -> Array:
    """Return `side`, or the expansion far below a large shape."""
    if not np.greater(shape, _LARGE).any():
        return side(shape, x)
    shape, x = np.broadcast_arrays(shape, x)
    deviations = (shape - x) / np.sqrt(shape)
    far = (shape > _LARGE) & (deviations > _FAR) & (x > 0)
    if not far.any():
        return side(shape, x)
    value = np.full(shape.shape, float(upper), np.result_type(shape, x))
    value[~far] = side(shape[~far], x[~far])
    far &= deviations < _NOTHING
    tail = _far_below(shape[far].astype(np.float64), x[far].astype(np.float64))
    value[far] = 1 - tail if upper else tail
    return value


def _far_below(a: Array, x: Array) -> Array:
    """Return the lower tail at x < a: erfc(-eta sqrt(a / 2)) / 2 less a correction."""
    excess = np.maximum((x - a) / a, np.nextafter(-1, 0))
    near = np.where(np.abs(excess) < 1e-3, excess, 0)
    half_square = np.where(near != 0, log_excess_series(near), excess - np.log1p(excess))
    eta = -np.sqrt(2 * half_square)  # half_square is eta^2 / 2
    direct = 1 / excess - 1 / eta
    first = np.where(np.abs(eta) < 0.05, np.polynomial.polynomial.polyval(eta, _TEMME), direct)
    # Four deviations below, powers of 1 / excess are below those of sqrt(a) / 4.
    second = 1 / eta**3 - (1 / excess + 1) / excess**2 - 1 / (12 * excess)
    third = (1 + excess) * (3 / excess**2 + 2 / excess + 1 / 12) / excess**3
    third += 1 / (288 * excess) - 3 / eta**5
    density = np.exp(-a * half_square)
    scaled = 0.5 * special.erfcx(-eta * np.sqrt(a / 2))
    tail: Array = density * (scaled - (first + (second + third / a) / a) / np.sqrt(2 * math.pi * a))
    return tail
