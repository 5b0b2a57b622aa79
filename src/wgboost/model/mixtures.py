"""From particles to predictive distributions in the user's units."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from wgboost.predictive import Mixture, make_mixture
from wgboost.predictive.weights import mix
from wgboost.responses import Categorical, Ordinal, Response, Units, as_response
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.responses.registry import prior_settings
from wgboost.typing import Array, Directions

__all__ = ["as_mixture", "certain_particles", "with_classes"]

_CERTAIN = 1000.0  # a log-ratio: the probability of the other class is 0 in float64


def certain_particles(particles: Directions, response: Response) -> Directions:
    """Return particles for which the only class of a model is certain.

    A model of one class has a second one inside, which no label stands for.
    """
    return np.full_like(particles, -_CERTAIN if isinstance(response, Ordinal) else _CERTAIN)


def as_mixture(
    particles: Directions,
    shift: LocationScaleShift | None,
    response: Response,
    units: Units,
    *,
    offset: Array | None = None,
    prior: dict[str, Any] | None = None,
    error: Array | None = None,
) -> Mixture:
    """Return the predictive distributions of particles relative to a location and scale.

    `error` (n, q) is their expected squared error, not relative.
    """
    weights = None if prior is None else _importance_weights(response, particles, prior)
    if shift is not None:
        particles = shift.apply_to(particles, response)
    if offset is not None:
        particles = response.with_offset(particles, offset, units)
    return make_mixture(response, particles, units, weights, error)


def with_classes(dist: Mixture, classes: Array, ranks: Array | None) -> Mixture:
    """Return the distributions of classes with their labels.

    Sorted labels are `classes`; those of an ordinal response from low to high are `ranks`.
    """
    if isinstance(dist.response, Ordinal) and ranks is not None:
        dist = _by_class(dist, dist.response, classes, ranks)
    dist.classes = classes
    return dist


def _by_class(dist: Mixture, response: Ordinal, classes: Array, ranks: Array) -> Mixture:
    """Return distributions over ranks as distributions over classes."""
    logs = response.log_probabilities(dist.particles.astype(np.float64))
    if len(classes) > 1:
        logs = logs[..., np.argsort(np.searchsorted(classes, ranks))]
    logs = np.maximum(logs, -_CERTAIN)
    ratios = logs[..., :-1] - logs[..., -1:]
    error = None if dist.error is None else _error_of_probabilities(dist, response)
    return Mixture(Categorical(n_classes=logs.shape[-1]), ratios, weights=dist.weights, error=error)


def _error_of_probabilities(dist: Mixture, response: Ordinal) -> Array:
    """Return the squared errors (n, 1) of probabilities, summed over classes.

    The error of an ordinal response is that of its location, a logit.
    """
    each = np.moveaxis(response.probabilities(dist.posterior_particles()), 1, 2)  # (n, k, m)
    weights = None if dist.weights is None else dist.weights[:, None]
    error: Array = mix(np.square(each - mix(each, weights)[..., None]), weights).sum(axis=1)
    return error[:, None]


def _importance_weights(response: Response, particles: Directions, prior: Any) -> Array:
    """Return weights (n, m) that turn posteriors under the fitted prior into others."""
    if response.per_row():
        raise ValueError(
            "the model was fitted with a prior for each row, which new rows do not have; fit with "
            "one prior for all rows to change it later"
        )
    new = as_response(response, **prior_settings(prior))
    new.check_rows(len(particles))
    theta = particles.astype(np.float64)
    logs = new.log_prior(theta) - response.log_prior(theta)
    weights: Array = np.exp(logs - logs.max(axis=1, keepdims=True))
    size = weights.sum(axis=1) ** 2 / np.square(weights).sum(axis=1)
    few, m = int((size < 2).sum()), particles.shape[1]
    if few and m > 1:
        warnings.warn(
            f"under the new prior {few} of {len(size)} rows have fewer than 2 effective particles "
            f"of {m} (effective_sample_size); fit with that prior, or with more particles",
            stacklevel=5,
        )
    return weights
