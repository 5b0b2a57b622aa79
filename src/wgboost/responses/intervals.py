"""The probability that y lies between bounds, and how it changes with the parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wgboost.typing import Array

if TYPE_CHECKING:
    from wgboost.responses.likelihood import Likelihood

__all__ = ["between", "cdf_gradient"]

_STEP = 1e-4
_LEAST = 1e-250  # a smaller probability has lost its digits


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
    the density at the bound next to the bulk stands for it: in a tail the two differ by a factor
    that hardly changes.
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
        slope = gradient / np.maximum(mass, _LEAST)[..., None]
        log_mass = np.log(np.maximum(mass, _LEAST))
    lost = ~(mass > _LEAST)
    if lost.any():
        # The bound that is nearer to the bulk: the lower one if the bulk lies below the interval.
        bound = np.where(above < below, low, high)
        bound = np.where(np.isfinite(bound), bound, np.where(np.isfinite(low), low, high))
        row, particle = np.nonzero(lost)
        y, at = bound[row, particle], theta[row, particle]
        log_mass[lost] = np.minimum(response.logpdf(y, at), np.log(_LEAST))
        slope[lost] = response.likelihood_score(y, at)
    return log_mass, slope


def _gradient(response: Likelihood, y: Array, theta: Array) -> Array:
    """The gradient of cdf(y), nothing at infinity."""
    finite = np.isfinite(y)
    values = response.cdf_gradient(np.where(finite, y, 0), theta)
    return np.where(finite[..., None], values, 0)
