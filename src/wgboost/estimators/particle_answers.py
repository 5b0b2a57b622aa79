"""Predictions from the particles of general targets.

The functions with a `self` are methods of `WGBoost`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.metrics import log_predictive
from wgboost.predictive.decisions import minimize_risk, risk_over_particles
from wgboost.responses import Units
from wgboost.targets import LogDensity, Target
from wgboost.targets.conversion import as_row_target
from wgboost.training.target_data import TargetData
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

if TYPE_CHECKING:
    from wgboost.estimators.general import WGBoost

__all__ = [
    "decide",
    "log_likelihood_of",
    "ood_score",
    "predict_quantiles",
    "predict_uncertainty",
    "sample",
    "score",
]


def log_likelihood_of(target: Any, particles: Directions, y: Array) -> Array:
    """Return the log of the mean over particles of a target's likelihood.

    Parameters
    ----------
    target : LogDensity or Target
        A target with a likelihood.
    particles : array (n, m, d)
    y : array (n,) or (n, q)

    Returns
    -------
    array (n,)
    """
    if getattr(target, "likelihood", None) is None:
        raise TypeError(
            "log_likelihood needs target=LogDensity(..., likelihood=...) or "
            "Target(..., likelihood=...)"
        )
    if len(y) != len(particles):
        raise ValueError(f"X has {len(particles)} rows, y has {len(y)}")
    if isinstance(target, LogDensity):
        return log_predictive(target, particles, y)
    rows: Any = as_row_target(target, y, len(y))
    logs: Array = rows.log_predictive(particles)
    return logs


def _particle_action(
    particles: Array, loss: Any, actions: Any, utility: Any
) -> tuple[Array, Array]:
    """Return the Bayes action of each row, and the risks.

    Parameters
    ----------
    particles : array (n, m, d)
    loss : callable or None
        A function of (action, particles) that returns an array (n, m).
    actions : array (a,) or None
        The actions to choose from; None searches the real line, for d = 1.
    utility : callable or None
        In place of a loss; its mean is maximised.

    Returns
    -------
    actions : array (n,)
    risks : array (n, a) or (n,)
    """
    n, m, d = particles.shape

    def search() -> tuple[Array, Array, Array]:
        if d > 1:
            raise ValueError(f"a particle has {d} parameters; give actions to choose from")
        low, high = particles.min(axis=(1, 2)), particles.max(axis=(1, 2))
        margin = np.maximum(high - low, 1e-3 * np.maximum(np.abs(low), 1))
        return low - margin, high + margin, particles[:, :, 0]

    if (loss is None) == (utility is None):
        raise ValueError("give a loss to minimise or a utility to maximise, one of the two")
    given, sign = (loss, 1.0) if utility is None else (utility, -1.0)
    risk = risk_over_particles(particles, np.full((n, m), 1 / m), given, sign)
    chosen, risks = minimize_risk(risk, search, actions)
    return chosen, sign * risks


def sample(self: WGBoost, X: Any, n_samples: int = 1, random_state: Any = None) -> Array:
    """Return draws from the particles: (n, n_samples) for one parameter, else (..., d)."""
    check_integer("n_samples", n_samples, low=1)
    particles = self.predict_particles(X)
    n, m, d = particles.shape
    chosen = np.random.default_rng(random_state).integers(m, size=(n, n_samples))
    drawn: Array = particles[np.arange(n)[:, None], chosen]
    return drawn[..., 0] if d == 1 else drawn


def predict_quantiles(self: WGBoost, X: Any, alpha: Any = (0.05, 0.5, 0.95)) -> Array:
    """Return the particles' quantiles, parameter by parameter.

    (n, len(alpha)) for one parameter, else (n, len(alpha), d). m particles stand for the
    levels 1 / 2m, 3 / 2m, ...; between them lines, beyond the first and the last none.
    """
    levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(f"alpha={alpha!r} must be probabilities between 0 and 1")
    particles = self.predict_particles(X).astype(np.float64)
    found = np.moveaxis(np.quantile(particles, levels, axis=1, method="hazen"), 0, 1)
    return found[..., 0] if found.shape[2] == 1 else found


def predict_uncertainty(self: WGBoost, X: Any) -> Array:
    """Return the variance of the particles: (n,) for one parameter, else (n, d).

    Where targets are posteriors, that is what the model does not know of each parameter.
    Where they are distributions of something observed, it is the variance of that.
    """
    spread: Array = self.predict_particles(X).var(axis=1, dtype=np.float64)
    return spread[:, 0] if spread.shape[1] == 1 else spread


def ood_score(self: WGBoost, X: Any) -> Array:
    """Return the variance of the particles, summed over parameters, (n,)."""
    total: Array = self.predict_particles(X).var(axis=1, dtype=np.float64).sum(axis=1)
    return total


def decide(
    self: WGBoost, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
    return_risks: bool = False,
) -> Any:  # fmt: skip
    """Return the Bayes action of each row.

    As in `WGBRegressor.decide`, but loss(action, theta) -> (n, m) gets the particles theta
    (n, m, d) themselves. Without `actions`, which more than one parameter needs, the least
    risk is sought over the real line.
    """
    particles = self.predict_particles(X).astype(np.float64)
    chosen, risks = _particle_action(particles, loss, actions, utility)
    return (chosen, risks) if return_risks else chosen


def score(self: WGBoost, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """Return minus the `eval_metric` of rows, larger being better.

    y describes the rows' targets as in `fit`; by default the score is the mean of
    `log_likelihood`, or minus the mean energy distance to samples.
    """
    listed = self.target is not None and not isinstance(self.target, (Target, LogDensity))
    target = None if listed else self.target
    matrix = self._matrix(X)
    rows = TargetData.of(target, matrix, y, sample_weight)
    metric = rows.metrics(self.eval_metric)[0]
    return -float(rows.scorer(metric, Units())(self.predict_particles(X)))
