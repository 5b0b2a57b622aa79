"""The probability that y lies between bounds, and how it changes with the parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from wgboost.responses.log_tails import LEAST
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.likelihood import Likelihood

__all__ = ["between", "cdf_gradient"]

_STEP = 1e-4
_DEEPEST = -1e8  # log probabilities below hardly differ from log densities, and their slopes soar


def cdf_gradient(response: Likelihood, y: Array, theta: Array) -> Array:
    """Return the gradient of cdf(y) in theta, (..., d), by central differences in float64.

    From the side where less probability lies: the other one has no digits left in the tail.
    """
    theta = np.asarray(theta, dtype=np.float64)
    upper = response.sf(y, theta) < 0.5
    parts = []
    for j in range(theta.shape[-1]):
        step = np.zeros(theta.shape[-1])
        step[j] = _STEP
        below, above = (
            (side(y, theta + step) - side(y, theta - step)) / (2 * _STEP)
            for side in (response.cdf, response.sf)
        )
        parts.append(np.where(upper, -above, below))
    return np.stack(parts, axis=-1)


def between(response: Likelihood, lower: Array, upper: Array, theta: Array) -> tuple[Array, Array]:
    """Return log P(lower <= y <= upper) (n, m) and its gradient in theta (n, m, d), in float64.

    lower and upper (n,) may be infinite; theta is (n, m, d). Where the probability underflows,
    it is taken from logarithms of tails; where that is no number, or so far out that the
    difference does not matter, the density at the bound next to the bulk stands for it.
    """
    theta = np.asarray(theta, dtype=np.float64)
    low, high = lower[:, None], upper[:, None]
    start = low - 1 if response.discrete else low  # the last value that is too small
    with np.errstate(all="ignore"):
        below, above = response.cdf(start, theta), response.sf(high, theta)
        left = response.cdf(high, theta) - below  # for an interval on the left of the bulk
        right = response.sf(start, theta) - above
        mass = np.where(below > 0.5, right, np.where(above > 0.5, left, 1 - below - above))
        gradient = _gradient(response, high, theta) - _gradient(response, start, theta)
        slope = gradient / np.maximum(mass, LEAST)[..., None]
        log_mass = np.log(np.maximum(mass, LEAST))
    lost = ~(mass > LEAST)
    if lost.any():
        row, particle = np.nonzero(lost)
        far_up = (above < below)[lost]  # the bulk lies below the interval
        bounds, at = (start[row, 0], high[row, 0]), theta[row, particle]
        log_mass[lost], slope[lost] = _beyond(response, *bounds, at, far_up)
        stands = log_mass < _DEEPEST
        if stands.any():
            row, particle = np.nonzero(stands)
            y = np.where((above < below)[stands], low[row, 0], high[row, 0])
            y = np.where(np.isfinite(y), y, np.where(np.isfinite(low), low, high)[row, 0])
            at = theta[row, particle]
            log_mass[stands] = np.minimum(response.logpdf(y, at), np.log(LEAST))
            slope[stands] = response.likelihood_score(y, at)
    return log_mass, slope


def _beyond(
    response: Likelihood, start: Array, high: Array, theta: Array, far_up: Array
) -> tuple[Array, Array]:
    """Return log P(start < y <= high) (k,) far out in a tail, and its gradient (k, d)."""
    log = np.empty(len(theta))
    gradient = np.empty(theta.shape)
    for upper in (True, False):
        rows = far_up == upper
        if not rows.any():
            continue
        tail = response.logsf if upper else response.logcdf
        ends = (start[rows], high[rows]) if upper else (high[rows], start[rows])
        log[rows] = _difference(tail, *ends, theta[rows])
        for j in range(theta.shape[-1]):
            step = np.zeros(theta.shape[-1])
            step[j] = _STEP
            ahead, behind = (
                _difference(tail, *ends, theta[rows] + sign * step) for sign in (1, -1)
            )
            with np.errstate(invalid="ignore"):
                gradient[rows, j] = (ahead - behind) / (2 * _STEP)
    known = np.isfinite(log) & np.isfinite(gradient).all(axis=-1)
    return np.where(known, log, -np.inf), gradient


def _difference(
    tail: Callable[[Array, Array], Array], near: Array, far: Array, theta: Array
) -> Array:
    """Return the log of the probability between a bound and one that is further out."""
    with np.errstate(all="ignore"):
        whole = tail(near, theta)
        log: Array = whole + np.log1p(-np.exp(tail(far, theta) - whole))
    return log


def _gradient(response: Likelihood, y: Array, theta: Array) -> Array:
    """The gradient of cdf(y), nothing at infinity."""
    finite = np.isfinite(y)
    values = response.cdf_gradient(np.where(finite, y, 0), theta)
    return np.where(finite[..., None], values, 0)
