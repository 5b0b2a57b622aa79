"""Mutual information of an observation and the particle that it comes from."""

from __future__ import annotations

import numpy as np
from scipy import special

from wgboost.predictive.discretization import discretize
from wgboost.predictive.probabilities import Probabilities
from wgboost.predictive.quadrature import integrate, range_of
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.predictive.weights import log_mix, mix
from wgboost.typing import Array

__all__ = ["mutual_information"]

_MANY = 20_000  # largest number of counts that are summed one by one
_LEAST = float(np.finfo(np.float64).tiny)


def mutual_information(mixture: Probabilities) -> Array:
    """Return the mean over particles of their divergence from the mixture, in nats, (n,)."""
    if mixture.particles.shape[1] == 1:
        return np.zeros(len(mixture))
    if mixture.response.discrete:
        return _of_counts(mixture)
    low, high = mixture.response.support
    mirrored = mixture.response.mirrored(mixture.theta())
    if mirrored is None:
        total: Array = integrate(mixture, _divergence) + _near_end(mixture)
    else:  # each half from its own end, where numbers are precise
        halves, middle = (mixture, mixture.with_particles(mirrored)), (low + high) / 2
        parts = [
            integrate(half, _divergence, np.full(len(half), middle), middle) + _near_end(half)
            for half in halves
        ]
        total = parts[0] + parts[1]
    return np.maximum(total, 0)


def _of_counts(mixture: Probabilities) -> Array:
    """Return the mutual information of counts: a sum, or a mean over panels for many counts."""
    low, high = range_of(mixture)
    many = high - low > _MANY
    total = np.empty(len(mixture))
    total[~many] = integrate(mixture[~many], _divergence)
    if many.any():
        part = mixture[many]
        outcomes = discretize(part)
        total[many] = outcomes.mean(part.over_grid(part.response.logpdf, outcomes.values, _gain))
    return np.maximum(total, 0)


def _gain(logs: Array, weights: Array | None) -> Array:
    """Return the divergence of the posterior of the particle given y from the weights, (...)."""
    with np.errstate(invalid="ignore", over="ignore"):
        ratio = logs - log_mix(logs, weights)[..., None]
        each = np.exp(ratio) * ratio
    return mix(np.where(np.isfinite(each), each, 0), weights)


def _divergence(part: WeightedParticles, y: Array, _: slice) -> Array:
    def mean(logs: Array, weights: Array | None) -> Array:
        mixed = log_mix(logs, weights)[..., None]
        # Not finite where a point is rounded to the end of the support, or where the density is 0.
        with np.errstate(invalid="ignore", over="ignore"):
            each = np.exp(logs) * (logs - mixed)
        return mix(np.where(np.isfinite(each), each, 0), weights)

    return part.over_grid(part.response.logpdf, y, mean)


def _near_end(mixture: WeightedParticles) -> Array:
    """Return the divergence of the probabilities of a y below the smallest positive number."""
    if mixture.response.discrete or mixture.response.support[0] != 0:
        return np.zeros(len(mixture))

    def divergence(theta: Array, weights: Array | None) -> Array:
        each = mixture.response.cdf(np.array(_LEAST), theta)
        return mix(special.rel_entr(each, mix(each, weights)[:, None]), weights)

    return mixture.over_rows(divergence)
