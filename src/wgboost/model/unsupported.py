"""Particles of rows whose surroundings trees have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.responses import Response
from wgboost.typing import Array, Directions

__all__ = ["add_lost", "added_error", "largest_error", "predicted_variance"]

_SMOOTHING = 0.7
"""Share of the deviation of lost values that widens the response.

A few narrow particles far from each other are a poor density. As in kernel smoothing of a particle
filter, locations shrink and each particle becomes wider, so that the variance stays."""

_LARGEST_SHARE = 0.35
"""Largest error of class probabilities as a share of p (1 - p), where trees have support. The true
one is below that on average, also where one class is nearly certain."""

_NEGLIGIBLE = 1e-30  # a variance


def add_lost(response: Response | None, particles: Directions, lost: Directions) -> Directions:
    """Return particles (n, m, d) with the values that trees without support would have to add.

    With a scale among the parameters, a part of the variance of locations goes into the scale.
    """
    lost = lost - lost.mean(axis=1, keepdims=True)  # the mean stays
    scale = None if response is None else response.log_scale
    if scale is None or response is None:
        return particles + lost
    rows = np.flatnonzero(lost.any(axis=(1, 2)))
    if not rows.size:
        return particles
    some, moved = lost[rows], np.array(particles)
    others = [j for j in range(particles.shape[2]) if j != scale]
    moved[rows[:, None], :, others] += np.float32(np.sqrt(1 - _SMOOTHING**2)) * np.moveaxis(
        some[:, :, others], 2, 1
    )
    variance = np.maximum(_SMOOTHING**2 * _variance(response, some).sum(axis=1), _NEGLIGIBLE)
    now = moved[rows, :, scale]
    moved[rows, :, scale] = 0.5 * np.logaddexp(2.0 * now, np.log(variance)[:, None])
    return moved


def added_error(
    response: Response, particles: Directions, moved: Directions, lost: Directions
) -> Array:
    """Return what lost values add to the expected squared error of rows, (n, q).

    It is what they add to the variance of y, so that the noise stays. `moved` are the particles
    with lost values.
    """
    if not response.nominal:
        added = _variance(response, moved) - _variance(response, particles)
        if response.log_scale is not None:
            added += _SMOOTHING**2 * _variance(response, lost)
        bounded: Array = np.maximum(added, 0)
        return bounded
    before, after = (
        response.probabilities(each.astype(np.float64)).var(axis=1).sum(axis=1)
        for each in (particles, moved)
    )
    gained: Array = np.maximum(after - before, 0)[:, None]
    return gained


def _variance(response: Response, lost: Directions) -> Array:
    """Return the variance (n, q) over particles of lost locations."""
    where: Any = response.location
    columns = where if isinstance(where, slice) else slice(where, where + 1)
    variance: Array = lost[:, :, columns].var(axis=1, dtype=np.float64)
    return variance


def predicted_variance(response: Response, particles: Directions) -> Array:
    """Return the variance (n, q) of y that particles (n, m, d) predict; 0 if it is infinite."""
    theta = particles.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        noise, means = response.var(theta), response.mean(theta)
        variance = noise.mean(axis=1) + means.var(axis=1)
    found: Array = np.where(np.isfinite(variance), variance, 0.0).reshape(len(theta), -1)
    return found


def largest_error(response: Response, particles: Directions) -> Array:
    """Return the largest squared error (n, 1) of class probabilities, summed over classes."""
    probabilities = response.probabilities(particles.astype(np.float64)).mean(axis=1)
    largest: Array = (probabilities * (1 - probabilities)).sum(axis=1, keepdims=True)
    return _LARGEST_SHARE * largest
