"""What a negative binomial count says about its dispersion."""

from __future__ import annotations

import numpy as np

from wgboost.typing import Array

__all__ = ["dispersion_information", "log_excess"]

_TIMES, _TIME_WEIGHTS = np.polynomial.laguerre.laggauss(6)
_LEGENDRE, _LEGENDRE_WEIGHTS = np.polynomial.legendre.leggauss(8)
_ROOT = (1 + _LEGENDRE) / 2
_X, _X_WEIGHTS = _ROOT**2, _LEGENDRE_WEIGHTS * _ROOT


def log_excess(y: Array, mean: Array, dispersion: Array) -> tuple[Array, Array]:
    """Return t - log(1 + t) and log(1 + t), 1 + t = (1 + dispersion y) / (1 + dispersion mean)."""
    t = dispersion * (y - mean) / (1 + dispersion * mean)
    far = np.abs(t) > 0.5
    log = np.log1p(np.where(far, 0, t))
    if far.any():
        # Near t = -1 the logarithm of the quotient has the digits.
        log = np.where(far, np.log1p(dispersion * y) - np.log1p(dispersion * mean), log)
    return np.where(np.abs(t) < 1e-3, _series(-t), t - log), log


def _series(q: Array) -> Array:
    """Return -log(1 - q) - q for small q."""
    excess: Array = q * q * (1 / 2 + q * (1 / 3 + q * (1 / 4 + q / 5)))
    return excess


def dispersion_information(mean: Array, dispersion: Array) -> Array:
    """Return the Fisher information of the log dispersion, float64.

    With r = 1 / dispersion and p = mean / (mean + r) it is

        r^2 sum_{j >= 2} p^j B(j, r) / j = r^2 int_0^1 s^(r - 1) (-log(1 - p w) - p w) / w ds,

    w = 1 - s. A Gauss-Laguerre rule in -r log s does it for small dispersions. For large ones the
    integral is taken by parts and by a Gauss-Legendre rule in the square root, which smoothens
    s^r at 0, of log(1 + v s) / log(1 + v), v = mean / r. Both are good to 1e-5 for v < 1,000 and
    to 1e-3 beyond.
    """
    mean, dispersion = np.broadcast_arrays(mean, dispersion)
    out = np.empty(mean.shape)
    smooth = dispersion <= 0.7
    for some, rule in ((smooth, _by_laguerre), (~smooth, _by_parts)):
        if some.any():
            out[some] = rule(mean[some], dispersion[some])
    return out


def _by_laguerre(mean: Array, dispersion: Array) -> Array:
    total = np.zeros(mean.shape)
    p = dispersion * mean / (1 + dispersion * mean)
    for time, weight in zip(_TIMES, _TIME_WEIGHTS, strict=True):
        w = -np.expm1(-time * dispersion)
        q = p * w
        total += weight * np.where(q < 1e-3, _series(q), -np.log1p(-q) - q) / w
    return total / dispersion


def _by_parts(mean: Array, dispersion: Array) -> Array:
    total = np.zeros(mean.shape)
    v, r = dispersion * mean, 1 / dispersion
    log, p = np.log1p(v), v / (1 + v)
    for x, weight in zip(_X, _X_WEIGHTS, strict=True):
        rise = np.expm1(x * log)  # v s
        s = rise / v
        w = 1 - s
        excess = np.where(p * w < 1e-3, _series(p * w), (1 - x) * log - p * w)
        slope = p - (1 + rise) / v * excess / (w * w)
        total += weight * np.exp(r * np.log(s)) * log * slope
    return r * total
