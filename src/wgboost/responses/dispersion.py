"""Fisher information of the dispersion of negative binomial counts."""

from __future__ import annotations

import numpy as np

from wgboost.typing import Array

__all__ = ["dispersion_information"]

_LAGUERRE, _LAGUERRE_WEIGHTS = np.polynomial.laguerre.laggauss(6)
_LEGENDRE, _LEGENDRE_WEIGHTS = np.polynomial.legendre.leggauss(8)
_ROOT = (1 + _LEGENDRE) / 2
_X, _X_WEIGHTS = _ROOT**2, _LEGENDRE_WEIGHTS * _ROOT


def dispersion_information(mean: Array, dispersion: Array) -> Array:
    """Return the Fisher information of the log dispersion, float64.

    With r = 1 / dispersion, v = dispersion * mean and p = v / (1 + v) it is

        r^2 sum_{j >= 2} p^j B(j, r) / j = r^2 int_0^1 s^(r - 1) (-log(1 - p w) - p w) / w ds,

    w = 1 - s. If p or the dispersion is small, three terms of the sum are enough. Other small
    dispersions take a Gauss-Laguerre rule in -r log s. Large ones take integration by parts and a
    Gauss-Legendre rule in the square root of log(1 + v s) / log(1 + v), in which s^r is smooth at
    0. The relative error is 1e-5 for v < 1,000, and 1e-3 beyond.
    """
    mean, dispersion = np.broadcast_arrays(mean, dispersion)
    out = np.empty(mean.shape)
    v = dispersion * mean
    p = v / (1 + v)
    short = p * dispersion < 1e-3 * (1 + 2 * dispersion)
    smooth = ~short & (dispersion <= 0.7)
    for some, rule in ((short, _by_terms), (smooth, _by_laguerre), (~(short | smooth), _by_parts)):
        if some.any():
            out[some] = rule(dispersion[some], v[some], p[some])
    return out


def _by_terms(a: Array, _: Array, p: Array) -> Array:
    ratio = p * a / (1 + 2 * a)
    terms: Array = 1 + ratio * (4 / 3 + 3 * p * a / (1 + 3 * a))
    share: Array = p * p / (2 * (1 + a)) * terms
    return share


def _by_laguerre(a: Array, _: Array, p: Array) -> Array:
    total = np.zeros(p.shape)
    for time, weight in zip(_LAGUERRE, _LAGUERRE_WEIGHTS, strict=True):
        w = -np.expm1(-time * a)
        total -= weight * (np.log1p(-p * w) / w + p)
    return total / a


def _by_parts(a: Array, v: Array, p: Array) -> Array:
    total = np.zeros(p.shape)
    r, log = 1 / a, np.log1p(v)
    for x, weight in zip(_X, _X_WEIGHTS, strict=True):
        rise = np.expm1(x * log)  # v s
        s = rise / v
        w = 1 - s
        slope = p - (1 + rise) / v * ((1 - x) * log - p * w) / (w * w)
        total += weight * np.exp(r * np.log(s)) * slope
    return r * log * total
