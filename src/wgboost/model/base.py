"""The methods that a fitted model and a bag of models have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

from wgboost.model.base_supported import BaseSupported
from wgboost.predictive import Mixture
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.typing import Array, Directions

__all__ = ["BaseFitted", "RowParticles"]


class RowParticles(NamedTuple):
    """The particles of rows, and what belongs to them.

    Attributes
    ----------
    particles : ndarray of shape (n, m, d)
        The particles, in standardised units.
    shift : LocationScaleShift or None
        Location and scale of each row that the particles are relative to. None unless the model has
        a smooth start.
    error : ndarray of shape (n, q) or None
        Expected squared error of the locations of y, in standardised units, or the sum of that of
        all class probabilities. None if it is not known.
    support : ndarray of shape (n,) or None
        How far the trees know the surroundings of rows, from 0 to 1. None if it is not known.
    """

    particles: Directions
    shift: LocationScaleShift | None = None
    error: Array | None = None
    support: Array | None = None


class BaseFitted(BaseSupported):
    """Base class of `FittedModel` and `FittedBag`."""

    @abstractmethod
    def predict_particles(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> RowParticles:
        """Compute the particles of rows, before location and scale of the start are applied.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.
        n_rounds : int or None, default=None
            Number of rounds to use; None uses all.

        Returns
        -------
        RowParticles
            Particles, shift, error and support.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> particles, shift, error, support = model.predict_particles(X)
        >>> particles.shape, shift is None, error.shape, support.shape
        ((20, 10, 2), True, (20, 1), (20,))
        """

    @abstractmethod
    def staged_particles(self, matrix: Array, n_threads: int = 1) -> Iterator[RowParticles]:
        """Compute the particles of rows after 1, 2, ... rounds.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.

        Yields
        ------
        RowParticles
            Particles, shift and support.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> len(list(model.staged_particles(X)))
        2
        """

    @abstractmethod
    def mixture(
        self,
        particles: Directions,
        shift: LocationScaleShift | None = None,
        error: Array | None = None,
        support: Array | None = None,
        *,
        offset: Any = None,
        exposure: Any = None,
        prior: dict[str, Any] | None = None,
    ) -> Mixture:
        """Make predictive distributions from particles.

        Parameters
        ----------
        particles : ndarray of shape (n, m, d)
            Particles from `predict_particles`.
        shift : LocationScaleShift or None, default=None
            Location and scale from `predict_particles`.
        error : ndarray of shape (n, q) or None, default=None
            Expected squared error from `predict_particles`.
        support : ndarray of shape (n,) or None, default=None
            Support from `predict_particles`.
        offset : float, array-like of shape (n,) or None, default=None
            Known part of the location.
        exposure : float, array-like of shape (n,) or None, default=None
            Known factor of the mean, instead of an offset.
        prior : dict or None, default=None
            Another prior than that of the fit. Particles are weighted by the ratio of the two.

        Returns
        -------
        Mixture
            One distribution for each row, in the user's units.

        Raises
        ------
        TypeError
            If the model has no response, as for general targets.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> model.mixture(*model.predict_particles(X))
        <Mixture of normal: 20 rows, 10 particles>
        """

    @abstractmethod
    def select_predictive(self, dist: Mixture) -> Mixture:
        """Select the particles that predictions use.

        Parameters
        ----------
        dist : Mixture
            Distributions from `mixture`, with the particles of all members.

        Returns
        -------
        Mixture
            Distributions without the members that only take part in OOD scores, which only bags in
            files of earlier versions have.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> dist = model.mixture(*model.predict_particles(X))
        >>> model.select_predictive(dist) is dist
        True
        """

    @abstractmethod
    def feature_importances(self) -> Array | None:
        """Compute the share of each feature in the total gain of the splits.

        Returns
        -------
        ndarray of shape (p,) or None
            Shares that sum to 1, as a mean over members; None without native trees.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(40.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> model.feature_importances()
        array([1.])
        """
