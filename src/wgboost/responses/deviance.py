"""The log masses of counts by their deviance, with all digits however large the counts are.

log y! and y log(mean) are of the size of y log y, and log masses are small: their difference has no
digits left for counts near 1e15. Stirling's formula shows which terms cancel. What remains is a sum
of terms x - log(1 + x) >= 0 (Loader 2000, Fast and accurate computation of binomial probabilities).
"""

from __future__ import annotations

import math

import numpy as np

from wgboost.responses.gamma_functions import log_gamma_correction
from wgboost.typing import Array

__all__ = ["count_deviance", "log_excess", "log_excess_series", "log_factorial_correction"]

_NEAR = 2e-3  # |x| below which x - log(1 + x) is taken from its series
_FAR = -0.5  # x below which log(1 + x) is taken from 1 + x


def log_excess(x: Array, whole: Array) -> Array:
    """Return x - log(1 + x) >= 0.

    `whole` is 1 + x, with the digits that are lost in x near -1.
    """
    x, whole = np.broadcast_arrays(x, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess: Array = np.asarray(x - np.log1p(x))
    far, near = x < _FAR, np.abs(x) < _NEAR
    if far.any():
        excess[far] = x[far] - np.log(whole[far])
    if near.any():
        excess[near] = log_excess_series(x[near])
    return excess


def log_excess_series(x: Array) -> Array:
    """Return x - log(1 + x) for |x| < 0.002, to a relative error of 1e-13."""
    series: Array = x * x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x / 6))))
    return series


def count_deviance(y: Array, mean: Array, dispersion: Array | float = 0.0) -> Array:
    """Return y log(y / mean) - (y + r) log((y + r) / (mean + r)), y > 0, r = 1 / dispersion.

    With a dispersion of 0 it is y log(y / mean) - y + mean.
    """
    mixed = 1 + dispersion * mean
    above = (y - mean) / mixed  # over y and times the dispersion: two x of opposite sign
    own = log_excess(-above / y, (mean / mixed) * (1 / y + dispersion))
    deviance: Array = y * own
    if np.any(dispersion):
        of_rate = log_excess(dispersion * above, (1 + dispersion * y) / mixed)
        deviance = deviance + of_rate / dispersion
    return deviance


def log_factorial_correction(y: Array) -> Array:
    """Return log y! - y log y + y, y > 0."""
    rest: Array = 0.5 * np.log(2 * math.pi * y) + log_gamma_correction(y)
    return rest
