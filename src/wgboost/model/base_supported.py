"""The methods that tell how far a model knows the surroundings of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.trees.support import SupportResult
from wgboost.typing import Array, Directions

__all__ = ["BaseSupported"]


class BaseSupported(ABC):
    """Base class of `BaseFitted`: the support of rows and their distances to training rows."""

    @property
    @abstractmethod
    def knows_support(self) -> bool:
        """Whether the model can tell the support of rows."""

    @abstractmethod
    def support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> SupportResult:
        """Tell how far the trees know the surroundings of rows.

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
        SupportResult
            Support (n,) from 0 to 1, and the lost values (n, m, d) of particles.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> bool((model.support(X).support == 1).all())
        True
        """

    @abstractmethod
    def predict_supported(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None, SupportResult]:
        """Compute `predict_particles` and `support` in one pass over the trees.

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
        particles : ndarray of shape (n, m, d)
            The particles, in standardised units.
        shift : LocationScaleShift or None
            Location and scale of each row that the particles are relative to.
        result : SupportResult
            The support of the rows.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> particles, shift, result = model.predict_supported(X)
        >>> result.lost.shape == particles.shape
        True
        """

    @abstractmethod
    def staged_supported(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None, SupportResult]]:
        """Compute `predict_supported` after 1, 2, ... rounds.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.

        Yields
        ------
        particles : ndarray of shape (n, m, d)
            The particles, in standardised units.
        shift : LocationScaleShift or None
            Location and scale of each row that the particles are relative to.
        result : SupportResult
            The support of the rows, by the trees so far.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> len(list(model.staged_supported(X)))
        5
        """

    @abstractmethod
    def explain_support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> Array:
        """Return the features that take the support of rows away.

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
        ndarray of shape (n, p)
            Lost support by feature. Sums over features are 1 - support.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> model.explain_support(np.array([[1000.0]])).round(1)
        array([[1.]])
        """

    @abstractmethod
    def distance(self, matrix: Array, n_threads: int = 1) -> Array:
        """Measure the distance of rows to the nearest training row.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n,)
            Distance by ranks, relative to the usual one of training rows; see `NearestRows`. A
            training row that is left out is half a rank from its neighbours, like any row between
            them.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> model.distance(np.array([[30.0], [30.5]])).round(3)
        array([0.   , 0.655])
        """

    @abstractmethod
    def surroundings(
        self, matrix: Array, trained: Array, n_threads: int = 1
    ) -> tuple[Array, Array]:
        """Compute the support and the distance of rows, some of which are training rows.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        trained : ndarray of shape (n,) of bool
            Which rows the model was trained on. Each of them is left out.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        support, distance : ndarray of shape (n,)
            What `support` and `distance` are for rows like these that are new to the model.

        Raises
        ------
        TypeError
            If the model has no trees.
        ValueError
            If the model does not know where its training rows are.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0]).model_
        >>> support, distance = model.surroundings(X, np.ones(60, dtype=bool))
        >>> bool((support < 1).any()), distance[:3].round(1)  # the first is below all others
        (True, array([3.3, 1. , 1. ]))
        """

    @property
    @abstractmethod
    def left_out_rows(self) -> tuple[Array, Array]:
        """Supports and distances of training rows (r,), each by the others: of all or a sample."""
