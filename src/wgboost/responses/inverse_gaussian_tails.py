"""Tail probabilities and quantiles of the inverse Gaussian distribution of mean 1.

With r the logarithm of y, both tails are exp(-a^2) times a sum or difference of the scaled
functions erfcx at |a| and b, where a = sqrt(2 precision) sinh(r / 2), b = sqrt(2 precision)
cosh(r / 2). The density of r is log-concave, and so are both tails: Newton's method for the log of
a tail converges monotonically from a point beyond the quantile.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wgboost.typing import Array

__all__ = ["log_ratio_of_deviance", "log_ratio_quantile", "tails"]

_STEPS = 100


def log_ratio_of_deviance(deviance: Array) -> Array:
    """Return the r >= 0 with y + 1 / y - 2 = deviance, y = exp(r)."""
    half = 0.5 * deviance
    return np.log1p(half + np.sqrt(half * (half + 2)))


def _outer(log_ratio: Array, precision: Array, side: Array) -> tuple[Array, Array]:
    """Return a^2 and twice the tail away from r = 0 over exp(-a^2); side is its sign."""
    width = np.sqrt(2 * precision)
    a = width * np.sinh(0.5 * np.abs(log_ratio))
    other = special.erfcx(width * np.cosh(0.5 * log_ratio))
    return a * a, special.erfcx(a) - side * other


def tails(log_ratio: Array, precision: Array) -> tuple[Array, Array]:
    """Return the probabilities of a value below and above exp(log_ratio)."""
    up = log_ratio >= 0
    square, scaled = _outer(log_ratio, precision, np.where(up, 1.0, -1.0))
    outer = 0.5 * np.exp(-square) * scaled
    return np.where(up, 1 - outer, outer), np.where(up, outer, 1 - outer)


def log_ratio_quantile(lower: Array, upper: Array, precision: Array) -> Array:
    """Return the log ratio below which lies the probability lower = 1 - upper.

    The smaller of the two determines it. NaN where they are not probabilities.
    """
    lower, upper, precision = np.broadcast_arrays(lower, upper, precision)
    middle, _ = tails(np.zeros(()), precision)
    side = np.where(lower <= middle, -1.0, 1.0)
    tail = np.where(side < 0, lower, upper)
    inner = (tail > 0) & (tail < 1)
    log_tail = np.log(np.where(inner, tail, 0.5))
    # The tail is at most exp(-a^2): the r where that equals it lies beyond the quantile.
    r = side * log_ratio_of_deviance(-2 * log_tail / precision)
    for _ in range(_STEPS):
        square, scaled = _outer(r, precision, side)
        slope = np.sqrt(precision * (2 / math.pi)) * np.exp(-0.5 * r) / scaled
        step = (np.log(0.5 * scaled) - square - log_tail) / slope
        r = r + side * step
        if (np.abs(step) <= 4e-16 * np.maximum(np.abs(r), 1)).all():
            break
    r = np.where(inner, r, np.where(tail == 0, side * np.inf, np.nan))
    return np.where((lower >= 0) & (upper >= 0), r, np.nan)
