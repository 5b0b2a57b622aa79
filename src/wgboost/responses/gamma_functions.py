"""The gamma function and its derivatives, without the large terms that cancel in likelihoods.

What is left of each after its leading terms is a function of log x between bounds. It is moved up
to x + 8 by the recurrence of the gamma function, and there a series in 1 / (x + 8) serves: good to
1e-12 for every x > 0, with nothing but arithmetic and a logarithm.
"""

from __future__ import annotations

import math

import numpy as np

from wgboost.typing import Array

__all__ = ["log_gamma_remainder", "scaled_digamma_remainder", "scaled_trigamma_remainder"]

_UP = 8
# Bernoulli numbers B_2, B_4, ... over 2k (2k - 1), over 2k, and as they are.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
_LOG_GAMMA = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))
_DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))


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
