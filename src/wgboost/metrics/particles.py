"""Metrics of particles: their distance to target distributions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wgboost.metrics.checks import weighted_average
from wgboost.metrics.distances import EnergyDistanceTo
from wgboost.metrics.metric import Metric
from wgboost.predictive.weights import log_mix
from wgboost.targets import LogDensity
from wgboost.targets.autodiff import LogDensityTarget, evaluate
from wgboost.targets.base import RowTarget
from wgboost.targets.frozen import FrozenTarget
from wgboost.targets.samples import SampleTarget
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice

__all__ = ["PARTICLE_METRICS", "as_particle_metric", "log_predictive"]

PARTICLE_METRICS = ("nll", "energy_distance")
_QUANTILES = 64  # of a distribution of scipy.stats


def log_predictive(density: LogDensity, particles: Directions, y: Array) -> Array:
    """Compute the log of the mean over particles of the likelihood of y.

    Parameters
    ----------
    density : LogDensity
        A density with a likelihood.
    particles : ndarray of shape (n, m, d)
        The particles of each row.
    y : ndarray of shape (n,)
        The observations.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import LogDensity, metrics
    >>> def loglik(theta, y):
    ...     return -0.5 * (y - theta[..., 0]) ** 2
    >>> density = LogDensity(loglik, likelihood=loglik)
    >>> metrics.log_predictive(density, np.zeros((1, 2, 1)), np.array([1.0]))
    array([-0.5])
    """
    logs = np.asarray(evaluate(density, "likelihood", particles, y), dtype=np.float64)
    return log_mix(logs, None)


def as_particle_metric(metric: Any, target: RowTarget) -> Metric:
    """Return the metric of particles that early stopping minimises.

    Parameters
    ----------
    metric : str, callable, Metric or None
        "nll" is the mean of minus the log likelihood of y. "energy_distance" is the mean energy
        distance to the samples of each row, or to the quantiles of a distribution of scipy.stats. A
        function takes (particles (n, m, d), y) and may take `sample_weight`; smaller is better.
        None is the default metric of the targets.
    target : RowTarget
        The targets of the rows.

    Returns
    -------
    Metric

    Raises
    ------
    ValueError
        If the targets have no such metric. A density that is known up to a constant has none.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import metrics
    >>> from wgboost.targets.samples import SampleTarget
    >>> target = SampleTarget(np.zeros((3, 4, 1)), np.full((3, 4), 0.25))
    >>> metrics.as_particle_metric(None, target).name
    'energy_distance'
    """
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric(getattr(metric, "__name__", type(metric).__name__), metric)
    if metric is not None:
        check_choice("eval_metric", metric, PARTICLE_METRICS)
    own = _default_metric(target)
    if own is None:
        raise ValueError(
            f"eval_metric={metric!r} needs targets that are samples, distributions of scipy.stats "
            "or LogDensity(..., likelihood=...). For others give eval_metric as a function of "
            "(particles (n, m, d), y) of which smaller is better"
        )
    if metric not in (None, own.name):
        raise ValueError(f"eval_metric={metric!r} is not for these targets; {own.name!r} is")
    return own


def _default_metric(target: RowTarget) -> Metric | None:
    """Return the metric of a kind of targets, or None."""
    if isinstance(target, LogDensityTarget) and target.density.likelihood is not None:
        density, observed = target.density, target.y

        def nll(particles: Directions, y: Any, *, sample_weight: Any = None) -> float:
            del y
            return weighted_average(-log_predictive(density, particles, observed), sample_weight)

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
