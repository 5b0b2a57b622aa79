"""The log masses of counts by their deviance, with all digits however large the counts are.

log y! and y log(mean) are of the size of y log y, and log masses are small: the difference of the
two has no digits left for counts near 1e15. By Stirling's formula what cancels can be left out,
and the rest is a sum of terms x - log(1 + x), none of which is negative (Loader 2000, Fast and
accurate computation of binomial probabilities).
"""

from __future__ import annotations

import math

import numpy as np

from wgboost.responses.stirling import log_gamma_correction
from wgboost.typing import Array

__all__ = ["count_deviance", "log_excess", "log_factorial_correction"]

_NEAR = 2e-3  # x - log(1 + x) by its series, good to 1e-13 there
_FAR = -0.5  # log(1 + x) from 1 + x itself


def log_excess(x: Array, whole: Array) -> Array:
    """Return x - log(1 + x) >= 0.

    `whole` is 1 + x with the digits that x does not have where it is near -1.
    """
    x, whole = np.broadcast_arrays(x, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess: Array = np.asarray(x - np.log1p(x))
    far, near = x < _FAR, np.abs(x) < _NEAR
    if far.any():
        excess[far] = x[far] - np.log(whole[far])
    if near.any():
        t = x[near]
        excess[near] = t * t * (1 / 2 - t * (1 / 3 - t * (1 / 4 - t * (1 / 5 - t / 6))))
    return excess


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
