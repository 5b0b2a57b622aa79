"""Probability of y between bounds, and its gradient in the parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from wgboost.responses.log_tails import LEAST
from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.likelihood import Likelihood

__all__ = ["cdf_gradient", "cdf_slope", "log_interval_probability"]

_STEP = 1e-4
_DEEPEST = -1e8  # log probability below which the log density at the bound replaces it
_NARROW = 1e-7  # share of a tail below which a difference of its ends has too few digits


def cdf_gradient(response: Likelihood, y: Array, theta: Array) -> Array:
    """Return the gradient of cdf(y) in theta, (..., d), by central differences in float64."""
    theta = np.asarray(theta, dtype=np.float64)
    steps = _steps(response, theta)
    slopes = [cdf_slope(response, y, theta, j, steps[..., j]) for j in range(theta.shape[-1])]
    return np.stack(slopes, axis=-1)


def cdf_slope(
    response: Likelihood, y: Array, theta: Array, j: int, step: Array | float = _STEP
) -> Array:
    """Return the derivative of cdf(y) in coordinate j, (...), by a central difference in float64.

    It uses the smaller of the two tails, which keeps its digits.
    """
    theta = np.asarray(theta, dtype=np.float64)
    above = np.asarray(response.sf(y, theta), dtype=np.float64)
    shape = above.shape
    y, step = np.broadcast_to(y, shape), np.broadcast_to(step, shape)
    theta = np.broadcast_to(theta, (*shape, theta.shape[-1]))
    slope, upper = np.empty(shape), above < 0.5
    for rows, side, sign in ((upper, response.sf, -1), (~upper, response.cdf, 1)):
        if rows.any():
            ahead, behind = np.array(theta[rows]), np.array(theta[rows])
            ahead[:, j] += step[rows]
            behind[:, j] -= step[rows]
            change = side(y[rows], ahead) - side(y[rows], behind)
            slope[rows] = sign * change / (ahead[:, j] - behind[:, j])
    return slope


def _steps(response: Likelihood, theta: Array) -> Array:
    """Return steps (..., d) that are small relative to the standard error of one observation."""
    with np.errstate(over="ignore"):
        steps = _STEP / np.sqrt(1 + response.likelihood_fisher(theta))
    longer: Array = np.maximum(steps, 1e-12 * (1 + np.abs(theta)))  # not lost in rounding
    return longer


def log_interval_probability(
    response: Likelihood, lower: Array, upper: Array, theta: Array
) -> tuple[Array, Array]:
    """Return log P(lower <= y <= upper) (n, m) and its gradient in theta (n, m, d), in float64.

    lower and upper (n,) may be infinite; theta is (n, m, d). If the bounds are so close that their
    probabilities differ in the last digits only, density times width replaces the difference. If
    the probability underflows, logarithms of tails replace it. If those fail too, or are extremely
    small, the density at the bound nearest to the bulk replaces it.
    """
    theta = np.asarray(theta, dtype=np.float64)
    low, high = lower[:, None], upper[:, None]
    start = np.ceil(low) - 1 if response.discrete else low  # the largest value below the interval
    with np.errstate(all="ignore"):
        (below, from_start), (up_to_high, above) = (
            _sides(response, bound, theta) for bound in (start, high)
        )
        # From the smaller tail; both are needed in the middle.
        mass = np.where(below > 0.5, from_start - above,
                        np.where(above > 0.5, up_to_high - below, 1 - below - above))  # fmt: skip
        side = np.where(below > 0.5, from_start, np.where(above > 0.5, up_to_high, 0.5))
        gradient = _gradient(response, high, theta) - _gradient(response, start, theta)
        slope = gradient / np.maximum(mass, LEAST)[..., None]
        log_mass = np.log(np.maximum(mass, LEAST))
    narrow = (mass < _NARROW * side) & (side > LEAST) & np.isfinite(low) & np.isfinite(high)
    if narrow.any() and not response.discrete:
        row, particle = np.nonzero(narrow)
        log_mass[narrow], slope[narrow] = _narrow_interval(
            response, low[row, 0], high[row, 0], theta[row, particle]
        )
        mass = np.where(narrow, 1, mass)
    lost = ~(mass > LEAST)
    if lost.any():
        row, particle = np.nonzero(lost)
        far_up = (above < below)[lost]  # the bulk lies below the interval
        bounds, at = (start[row, 0], high[row, 0]), theta[row, particle]
        log_mass[lost], slope[lost] = _tail_interval(response, *bounds, at, far_up)
        tiny = lost & (log_mass < _DEEPEST)
        if tiny.any():
            row, particle = np.nonzero(tiny)
            y = np.where((above < below)[tiny], low[row, 0], high[row, 0])
            y = np.where(np.isfinite(y), y, np.where(np.isfinite(low), low, high)[row, 0])
            at = theta[row, particle]
            log_mass[tiny] = np.minimum(response.logpdf(y, at), np.log(LEAST))
            slope[tiny] = response.likelihood_score(y, at)
    return log_mass, slope


def _sides(response: Likelihood, bound: Array, theta: Array) -> tuple[Array, Array]:
    """Return cdf and sf (n, m) at a bound (n, 1), which may be infinite."""
    sides = (
        np.broadcast_to((bound == np.inf).astype(np.float64), theta.shape[:-1]).copy(),
        np.broadcast_to((bound == -np.inf).astype(np.float64), theta.shape[:-1]).copy(),
    )
    rows = np.isfinite(bound[:, 0])
    if rows.any():
        for out, function in zip(sides, (response.cdf, response.sf), strict=True):
            out[rows] = function(bound[rows], theta[rows])
    return sides


def _gradient(response: Likelihood, bound: Array, theta: Array) -> Array:
    """Return the gradient (n, m, d) of cdf at a bound (n, 1), 0 at infinity."""
    gradient, rows = np.zeros(theta.shape), np.isfinite(bound[:, 0])
    if rows.any():
        gradient[rows] = response.cdf_gradient(bound[rows], theta[rows])
    return gradient


def _narrow_interval(
    response: Likelihood, low: Array, high: Array, theta: Array
) -> tuple[Array, Array]:
    """Return log probability (k,) and gradient (k, d) of a very narrow interval."""
    middle = low + 0.5 * (high - low)
    with np.errstate(divide="ignore"):
        log: Array = response.logpdf(middle, theta) + np.log(high - low)
    return log, response.likelihood_score(middle, theta)


def _tail_interval(
    response: Likelihood, start: Array, high: Array, theta: Array, far_up: Array
) -> tuple[Array, Array]:
    """Return log P(start < y <= high) (k,) far out in a tail, and its gradient (k, d)."""
    log = np.empty(len(theta))
    gradient = np.empty(theta.shape)
    narrow = np.zeros(len(theta), dtype=bool)
    steps = _steps(response, theta)
    for upper in (True, False):
        rows = far_up == upper
        if not rows.any():
            continue
        tail = response.logsf if upper else response.logcdf
        ends = (start[rows], high[rows]) if upper else (high[rows], start[rows])
        log[rows], narrow[rows] = _difference(tail, *ends, theta[rows])
        for j in range(theta.shape[-1]):
            step = np.zeros((int(rows.sum()), theta.shape[-1]))
            step[:, j] = steps[rows, j]
            ahead, behind = (
                _difference(tail, *ends, theta[rows] + sign * step)[0] for sign in (1, -1)
            )
            with np.errstate(invalid="ignore"):
                gradient[rows, j] = (ahead - behind) / (2 * steps[rows, j])
    if narrow.any() and not response.discrete:
        log[narrow], gradient[narrow] = _narrow_interval(
            response, start[narrow], high[narrow], theta[narrow]
        )
    known = np.isfinite(log) & np.isfinite(gradient).all(axis=-1)
    return np.where(known, log, -np.inf), gradient


def _difference(
    tail: Callable[[Array, Array], Array], near: Array, far: Array, theta: Array
) -> tuple[Array, Array]:
    """Return the log probability between a bound and one further out, and whether it is narrow."""
    with np.errstate(all="ignore"):
        whole = tail(near, theta)
        fall = tail(far, theta) - whole
        log: Array = whole + np.log(-np.expm1(fall))
    narrow: Array = (fall > -_NARROW) & np.isfinite(near) & np.isfinite(far)
    return log, narrow
