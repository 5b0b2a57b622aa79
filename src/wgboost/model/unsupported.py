"""Particles of rows whose surroundings trees have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.model.base import RowParticles
from wgboost.predictive.posterior_particles import SMOOTHING
from wgboost.responses import Response
from wgboost.responses.codes import ClassCodes
from wgboost.trees import Constraints
from wgboost.trees.support import SupportResult
from wgboost.typing import Array, Directions

__all__ = ["add_lost", "added_error", "largest_error", "predicted_variance", "with_lost"]

_LARGEST_SHARE = 0.35
"""Largest error of class probabilities as a share of p (1 - p), where trees have support. The true
one is below that on average, also where one class is nearly certain."""

_NEGLIGIBLE = 1e-30  # a variance


def with_lost(
    known: RowParticles, result: SupportResult | None, response: Response | None, constraints: str
) -> RowParticles:
    """Return the particles of rows with what they lose for want of support.

    `constraints` are described as by `repr`.
    """
    if result is None:
        return known
    share = _share_of_scale(response, constraints)
    if share is None or not result.lost.any():  # few rows often have support in every tree
        return known._replace(support=result.support)
    moved, error = add_lost(response, known.particles, result.lost, share), known.error
    if error is not None and response is not None:
        added = added_error(response, known.particles, moved, result.lost, share)
        if known.shift is not None:
            added = added * np.exp(2 * known.shift.log_scale)[:, None]
        error = error + added
    if isinstance(response, ClassCodes):  # lost values would make probabilities worse
        moved = known.particles
    return known._replace(particles=moved, error=error, support=result.support)


def _share_of_scale(response: Response | None, description: str) -> float | None:
    """Return the share of the deviation of lost values that widens the response.

    Constraints, of which `description` is the `repr`, hold for every particle. With monotone ones
    all of the deviation goes into the scale. The share is None where there is no scale that may
    change, and with interaction constraints, since what is lost depends on all features of a tree.
    Particles of classes do not move.
    """
    constraints = Constraints.parse(description)
    if constraints is None or isinstance(response, ClassCodes):
        return SMOOTHING
    if not (any(constraints.monotone) or constraints.groups):
        return SMOOTHING
    scale = None if response is None else response.log_scale
    if constraints.groups or scale is None or scale == constraints.parameter:
        return None
    return 1.0


def add_lost(
    response: Response | None, particles: Directions, lost: Directions, share: float = SMOOTHING
) -> Directions:
    """Return particles (n, m, d) with the values that trees without support would have to add.

    With a scale among the parameters, this share of the deviation of locations goes into the scale.
    """
    lost = lost - lost.mean(axis=1, keepdims=True)  # so that the mean does not change
    scale = None if response is None else response.log_scale
    if scale is None or response is None:
        return particles + lost
    rows = np.flatnonzero(lost.any(axis=(1, 2)))
    if not rows.size:
        return particles
    some, moved = lost[rows], np.array(particles)
    others = [j for j in range(particles.shape[2]) if j != scale]
    moved[rows[:, None], :, others] += np.float32(np.sqrt(1 - share**2)) * np.moveaxis(
        some[:, :, others], 2, 1
    )
    variance = np.maximum(share**2 * _variance(response, some).sum(axis=1), _NEGLIGIBLE)
    now = moved[rows, :, scale]
    moved[rows, :, scale] = 0.5 * np.logaddexp(2.0 * now, np.log(variance)[:, None])
    return moved


def added_error(
    response: Response, particles: Directions, moved: Directions, lost: Directions,
    share: float = SMOOTHING,
) -> Array:  # fmt: skip
    """Return what lost values add to the expected squared error of rows, (n, q).

    It is what they add to the variance of y, so that the noise stays. `moved` are the particles
    with lost values, of which this share went into the scale.
    """
    if not response.nominal:
        added = _variance(response, moved) - _variance(response, particles)
        if response.log_scale is not None:
            added += share**2 * _variance(response, lost)
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
