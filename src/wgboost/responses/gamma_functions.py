"""The gamma function and its derivatives without their leading terms.

These terms are large and cancel in likelihoods. There are two sets:

- `log_gamma_remainder`, `scaled_digamma_remainder` and `scaled_trigamma_remainder` are bounded in
  log x. The recurrence of the gamma function takes them to x + 8, where a series in 1 / (x + 8)
  applies: good to 1e-12 for every x > 0, with only arithmetic and a logarithm. They keep float32.
- `log_gamma_correction`, `digamma_correction` and `trigamma_correction` also leave out the terms in
  log x and tend to 0. Their differences between z and z + y keep all digits for large z.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wgboost.typing import Array

__all__ = [
    "digamma_correction",
    "log_gamma_correction",
    "log_gamma_remainder",
    "scaled_digamma_remainder",
    "scaled_trigamma_remainder",
    "trigamma_correction",
]

_UP = 8
# Bernoulli numbers B_2, B_4, ... over 2k (2k - 1), over 2k, and as they are.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
_LOG_GAMMA = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))
_DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))
_LARGE = 50.0  # from here on the asymptotic series is good to rounding
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def _odd_series(terms: tuple[float, ...], inverse: Array) -> Array:
    """Return the sum of terms[k] * inverse^(2k + 1)."""
    square = inverse * inverse
    total = np.full_like(inverse, terms[-1])
    for term in terms[-2::-1]:
        total *= square
        total += term
    total *= inverse
    return total


def log_gamma_remainder(x: Array) -> Array:
    """Return log gamma(x) - x log x + x, which is near log(2 pi / x) / 2."""
    inverse = 1 / (x + _UP)
    product = x * inverse
    for step in range(1, _UP):
        product *= (x + step) * inverse
    rest: Array = x * np.log1p(_UP / x) - _UP - np.log(product)
    return rest + 0.5 * np.log(2 * math.pi * inverse) + _odd_series(_LOG_GAMMA, inverse)


def scaled_digamma_remainder(x: Array) -> Array:
    """Return x (log x - digamma(x)), which falls from 1 at x = 0 to 1/2."""
    inverse = 1 / (x + _UP)
    rest = x * inverse * (0.5 + _odd_series(_DIGAMMA, inverse)) + 1
    for step in range(1, _UP):
        rest += x / (x + step)
    rest -= x * np.log1p(_UP / x)
    return rest


def scaled_trigamma_remainder(x: Array) -> Array:
    """Return x^2 trigamma(x) - x, which falls from 1 at x = 0 to 1/2."""
    inverse = 1 / (x + _UP)
    moved = x * inverse
    rest = moved * moved * (0.5 + _odd_series(_BERNOULLI, inverse)) + 1
    for step in range(1, _UP):
        part = x / (x + step)
        rest += part * part
    rest -= _UP * moved
    return rest


def log_gamma_correction(z: Array) -> Array:
    """Return log Gamma(z) - (z - 1/2) log z + z - log(2 pi) / 2, z > 0."""
    s = 1 / np.maximum(z, _LARGE)
    series: Array = s * (1 / 12 - s * s * (1 / 360 - s * s / 1260))
    if np.greater_equal(z, _LARGE).all():
        return series
    z = np.minimum(z, _LARGE)
    return np.where(
        z < _LARGE, special.gammaln(z) - (z - 0.5) * np.log(z) + z - _HALF_LOG_TWO_PI, series
    )


def digamma_correction(z: Array) -> Array:
    """Return digamma(z) - log z, z > 0."""
    s = 1 / np.maximum(z, _LARGE)
    series = -s * (0.5 + s * (1 / 12 - s * s / 120))
    z = np.minimum(z, _LARGE)
    return np.where(z < _LARGE, special.psi(z) - np.log(z), series)


def trigamma_correction(z: Array) -> Array:
    """Return trigamma(z) - 1 / z, z > 0."""
    s = 1 / np.maximum(z, _LARGE)
    series = s * s * (0.5 + s * (1 / 6 - s * s / 30))
    z = np.minimum(z, _LARGE)
    return np.where(z < _LARGE, special.zeta(2.0, z) - 1 / z, series)
