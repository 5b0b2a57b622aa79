"""The gamma function and its derivatives less their leading terms, exact for large arguments.

log-gamma, digamma and trigamma differ little between z and z + y when z is large; the differences
are taken of what is left once log z and its like are written out.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wgboost.typing import Array

__all__ = ["digamma_correction", "log_gamma_correction", "trigamma_correction"]

_LARGE = 50.0  # from here on the asymptotic series is good to rounding
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


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
