"""Logarithms of tail probabilities that underflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.distribution import Distribution

__all__ = ["LEAST", "log_tail"]

LEAST = 1e-250  # smaller probabilities have lost digits
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(24)
_TERMS = np.arange(64.0)  # of a sum over counts; the rest is a geometric series


def log_tail(response: Distribution, y: Array, theta: Array, *, upper: bool) -> Array:
    """Return log P(> y), or log P(<= y), in float64, also where the probability underflows.

    There it is the density at y times an integral of its decay, or a sum over counts.
    """
    theta = np.asarray(theta, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    with np.errstate(all="ignore"):
        mass = np.asarray((response.sf if upper else response.cdf)(y, theta), dtype=np.float64)
        log = np.asarray(np.log(mass))
        lost = ~(mass > LEAST) & np.isfinite(y)
        if lost.any():
            shape = mass.shape
            at = np.broadcast_to(theta, (*shape, theta.shape[-1]))[lost]
            tail = _sum if response.discrete else _integral
            log[lost] = tail(response, np.broadcast_to(y, shape)[lost], at, upper)
    return log


def _integral(response: Distribution, y: Array, theta: Array, upper: bool) -> Array:
    """Apply a Gauss-Laguerre rule, in units of the distance over which the density falls by e.

    Towards a finite end of the support it is a rule in the log of the distance to the end.
    """
    sign, end = (1.0, response.support[1]) if upper else (-1.0, response.support[0])
    room = np.abs(end - y) if np.isfinite(end) else np.abs(y - response.ppf(np.array(0.5), theta))

    def log_density(u: Array) -> Array:
        if not np.isfinite(end):
            points = y[:, None] + sign * room[:, None] * u
            return response.logpdf(points, theta[:, None])
        points = end - sign * room[:, None] * np.exp(-u)
        return response.logpdf(points, theta[:, None]) - u

    step = 1e-6
    first, second = log_density(np.array([[0.0, step]])).T
    slope = (first - second) / step
    logs = log_density(_NODES / slope[:, None]) - first[:, None] + _NODES
    inside = np.log((_WEIGHTS * np.exp(logs)).sum(axis=1))
    log: Array = first + np.log(room) - np.log(slope) + inside
    return np.where((room > 0) & (slope > 0), log, -np.inf)


def _sum(response: Distribution, y: Array, theta: Array, upper: bool) -> Array:
    first, sign = (np.floor(y) + 1, 1) if upper else (np.floor(y), -1)
    logs = response.logpdf(first[:, None] + sign * _TERMS, theta[:, None])
    top = logs[:, 0]
    ratio = np.exp(logs[:, -1] - logs[:, -2])
    ends = np.isfinite(logs[:, -1]) & (ratio < 1)
    rest = np.where(ends, np.exp(logs[:, -1] - top) * ratio / (1 - ratio), 0)
    log: Array = top + np.log(np.exp(logs - top[:, None]).sum(axis=1) + rest)
    return np.where(top > -np.inf, log, -np.inf)
