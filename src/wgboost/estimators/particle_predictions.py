"""Particles of general targets, their means and their likelihood.

The functions with a `self` are methods of `WGBoost`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.estimators.particle_answers import log_likelihood_of
from wgboost.typing import Array, Directions

if TYPE_CHECKING:
    from wgboost.estimators.general import WGBoost

__all__ = [
    "log_likelihood",
    "predict",
    "predict_particles",
    "staged_predict",
    "staged_predict_particles",
]


def predict_particles(self: WGBoost, X: Any, *, n_rounds: int | None = None) -> Directions:
    """Predict the particles of each row.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    n_rounds : int, optional
        Use only the first rounds.

    Returns
    -------
    array (n, m, d)
        The particles.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.predict_particles(X).shape
    (60, 10, 1)
    """
    matrix = self._matrix(X)
    return self.model_.predict_particles(matrix, self._n_threads(), n_rounds)[0]


def staged_predict_particles(self: WGBoost, X: Any) -> Iterator[Directions]:
    """Predict the particles of each row after each round.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.

    Yields
    ------
    array (n, m, d)
        `predict_particles` after 1, 2, ... rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> len(list(model.staged_predict_particles(X)))
    5
    """
    matrix = self._matrix(X)
    for particles, *_ in self.model_.staged_particles(matrix, self._n_threads()):
        yield particles


def predict(self: WGBoost, X: Any) -> Array:
    """Predict the mean of the particles.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.

    Returns
    -------
    array (n,) or (n, d)
        Means, (n,) if a particle has one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> model.predict(X).shape
    (60,)
    """
    return _mean(self.predict_particles(X))


def staged_predict(self: WGBoost, X: Any) -> Iterator[Array]:
    """Predict the mean of the particles after each round.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.

    Yields
    ------
    array (n,) or (n, d)
        `predict` after 1, 2, ... rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBoost
    >>> X = np.arange(60.0)[:, None]
    >>> samples = X + np.random.default_rng(0).normal(size=(60, 20))
    >>> model = WGBoost(direction="energy", n_estimators=5, random_state=0).fit(X, samples)
    >>> len(list(model.staged_predict(X)))
    5
    """
    for particles in self.staged_predict_particles(X):
        yield _mean(particles)


def log_likelihood(self: WGBoost, X: Any, y: Any) -> Array:
    """Return the log predictive density of y.

    It is the log of the mean over particles of the target's likelihood.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
        Rows, with the columns of the fit.
    y : array (n,) or (n, q)
        Observations.

    Returns
    -------
    array (n,)
        Logs of densities.

    Raises
    ------
    TypeError
        If the target is not a `LogDensity` or a `Target` with a likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import Target, WGBoost
    >>> def score(theta, y):
    ...     return y[:, None] - theta
    >>> def likelihood(theta, y):
    ...     return -0.5 * np.square(y[:, None] - theta)[..., 0]
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> model = WGBoost(Target(score, likelihood=likelihood), direction="smoothed", n_estimators=5)
    >>> model.fit(X, X).log_likelihood(X, X).shape
    (60,)
    """
    return log_likelihood_of(self.target, self.predict_particles(X), np.asarray(y))


def _mean(particles: Directions) -> Array:
    mean: Array = particles.mean(axis=1, dtype=np.float64)
    return mean[:, 0] if mean.shape[1] == 1 else mean
