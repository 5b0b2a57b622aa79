"""Metrics of particles: how near they are to distributions that are known in another way."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wgboost.metrics.checks import weighted_average
from wgboost.metrics.distances import EnergyDistanceTo
from wgboost.metrics.metric import Metric
from wgboost.predictive.weights import log_mix
from wgboost.targets import FrozenTarget, LogDensity, LogDensityTarget, RowTarget, SampleTarget
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice

__all__ = ["PARTICLE_METRICS", "as_particle_metric", "log_predictive"]

PARTICLE_METRICS = ("nll", "energy_distance")
_QUANTILES = 64  # that stand for a distribution of scipy.stats


def log_predictive(density: LogDensity, particles: Directions, y: Array) -> Array:
    """Return the log of the mean over particles of the likelihood of y, (n,)."""
    logs = np.asarray(density.evaluate("likelihood", particles, y), dtype=np.float64)
    return log_mix(logs, None)


def as_particle_metric(metric: Any, target: RowTarget) -> Metric:
    """Return the metric of rows with these targets that a name or a function stands for.

    A function takes (particles (n, m, d), y), and `sample_weight` if it can, and returns a number,
    smaller being better. "nll" is the mean of minus the log likelihood of y, "energy_distance" the
    mean energy distance to each row's samples, or to the quantiles of a distribution of
    scipy.stats. None is the one of the two that the targets have. Raises ValueError where they
    have not: a density up to a constant says which particle is likelier, not how near a set of
    particles is, and the likeliest set is a single point.
    """
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric(getattr(metric, "__name__", type(metric).__name__), metric)
    if metric is not None:
        check_choice("eval_metric", metric, PARTICLE_METRICS)
    own = _own(target)
    if own is None:
        raise ValueError(
            f"eval_metric={metric!r} needs targets that can be measured against: samples, "
            "distributions of scipy.stats or LogDensity(..., likelihood=...). For others give "
            "eval_metric, a function of (particles (n, m, d), y), smaller being better"
        )
    if metric not in (None, own.name):
        raise ValueError(f"eval_metric={metric!r} is not for these targets; {own.name!r} is")
    return own


def _own(target: RowTarget) -> Metric | None:
    """Return the metric that targets bring along, if they do."""
    if isinstance(target, LogDensityTarget) and target.density.likelihood is not None:
        density, seen = target.density, target.y

        def nll(particles: Directions, y: Any, *, sample_weight: Any = None) -> float:
            del y
            return weighted_average(-log_predictive(density, particles, seen), sample_weight)

        return Metric("nll", nll)
    if not isinstance(target, (SampleTarget, FrozenTarget)):
        return None

    @functools.cache
    def to_target() -> EnergyDistanceTo:
        if isinstance(target, SampleTarget):
            return EnergyDistanceTo(target.samples, target.weights.astype(np.float64))
        return EnergyDistanceTo(target.quantiles(_QUANTILES)[..., None])

    def energy_distance(particles: Directions, y: Any, *, sample_weight: Any = None) -> float:
        del y
        return weighted_average(to_target()(particles), sample_weight)

    return Metric("energy_distance", energy_distance)
