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
    if not isinstance(target, (LogDensity, Target)) or target.likelihood is None:
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
    """Draw from the particles of each row.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    n_samples : int, default=1
        Number of draws per row.
    random_state : int, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    array (n, n_samples) or (n, n_samples, d)
        Draws, (n, n_samples) if a particle has one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.sample(X, 3, random_state=0).shape
    (60, 3)
    """
    check_integer("n_samples", n_samples, low=1)
    particles = self.predict_particles(X)
    n, m, d = particles.shape
    chosen = np.random.default_rng(random_state).integers(m, size=(n, n_samples))
    drawn: Array = particles[np.arange(n)[:, None], chosen]
    return drawn[..., 0] if d == 1 else drawn


def predict_quantiles(self: WGBoost, X: Any, alpha: Any = (0.05, 0.5, 0.95)) -> Array:
    """Predict quantiles of each coordinate of the particles.

    The m particles of a row are its quantiles at the levels 1 / 2m, 3 / 2m, ..., with linear
    interpolation between them. Levels beyond the first or the last give the outermost particle.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    alpha : float or list of floats, default=(0.05, 0.5, 0.95)
        Levels between 0 and 1.

    Returns
    -------
    array (n, len(alpha)) or (n, len(alpha), d)
        Quantiles, without the last axis if a particle has one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.predict_quantiles(X, [0.1, 0.9]).shape
    (60, 2)
    """
    levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(f"alpha={alpha!r} must be probabilities between 0 and 1")
    particles = self.predict_particles(X).astype(np.float64)
    found = np.moveaxis(np.quantile(particles, levels, axis=1, method="hazen"), 0, 1)
    return found[..., 0] if found.shape[2] == 1 else found


def predict_uncertainty(self: WGBoost, X: Any) -> Array:
    """Predict the variance of the particles.

    If targets are posteriors, it is what the model does not know of each parameter. If they are
    distributions of an observed quantity, it is the variance of that quantity.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.

    Returns
    -------
    array (n,) or (n, d)
        Variances, (n,) if a particle has one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.predict_uncertainty(X).shape
    (60,)
    """
    spread: Array = self.predict_particles(X).var(axis=1, dtype=np.float64)
    return spread[:, 0] if spread.shape[1] == 1 else spread


def ood_score(self: WGBoost, X: Any) -> Array:
    """Return the variance of the particles, summed over coordinates.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.

    Returns
    -------
    array (n,)
        Scores; larger means more different from the training data.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.ood_score(X).shape
    (60,)
    """
    total: Array = self.predict_particles(X).var(axis=1, dtype=np.float64).sum(axis=1)
    return total


def decide(
    self: WGBoost, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
    return_risks: bool = False,
) -> Any:  # fmt: skip
    """Return the Bayes action of each row, the one of least expected loss.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    loss : callable, optional
        A function of (action, theta) that returns an array (n, m), where theta are the particles
        (n, m, d).
    actions : array (a,), optional
        The actions to choose from. Without them the real line is searched, which needs particles of
        one coordinate.
    utility : callable, optional
        In place of a loss; its mean is maximised.
    return_risks : bool, default=False
        Whether to return the risks too.

    Returns
    -------
    actions : array (n,)
        The action of each row.
    risks : array (n, a) or (n,)
        With `return_risks`, the risks of all actions, or of the chosen ones without a list.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.decide(X, lambda a, theta: np.square(a - theta[..., 0])).shape
    (60,)
    """
    particles = self.predict_particles(X).astype(np.float64)
    chosen, risks = _particle_action(particles, loss, actions, utility)
    return (chosen, risks) if return_risks else chosen


def score(self: WGBoost, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """Return minus the `eval_metric` of rows, so that larger is better.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    y : array or list, optional
        What describes the targets of the rows, as in `fit`.
    sample_weight : array (n,), optional
        Sample weights.

    Returns
    -------
    float
        By default the mean of `log_likelihood`, or minus the mean energy distance to samples.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.score(X, samples) < 0
    True
    """
    listed = self.target is not None and not isinstance(self.target, (Target, LogDensity))
    target = None if listed else self.target
    matrix = self._matrix(X)
    rows = TargetData.of(target, matrix, y, sample_weight)
    metric = rows.metrics(self.eval_metric)[0]
    return -float(rows.scorer(metric, Units())(self.predict_particles(X)))
