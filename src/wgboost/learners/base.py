"""The two protocols of a learner.

A new learner is one file with a class that has `uses_codes` and `fit`; an object of it is
passed as `learner=`.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from wgboost.data import Features
from wgboost.typing import Array, Directions

__all__ = ["FittedLearner", "Learner"]


@runtime_checkable
class FittedLearner(Protocol):
    """Map x to a movement of all particles, for one round.

    A protocol.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.arange(4.0)[:, None]
    >>> fitted = HistTree().fit(Features.from_raw(X), X[:, :, None] // 2)
    >>> from wgboost.learners import FittedLearner
    >>> isinstance(fitted, FittedLearner)
    True
    """

    def scaled(self, rate: float) -> FittedLearner:
        """Return the function multiplied by a rate.

        Parameters
        ----------
        rate : float
            Factor.

        Returns
        -------
        FittedLearner
            The scaled function.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> fitted.scaled(0.5).predict(X).ravel().round(3)
        array([0. , 0.5, 1. , 1.5], dtype=float32)
        """
        ...

    def add_to(self, particles: Directions) -> None:
        """Add the values at the training rows to particles, in place.

        The result is bit for bit that of adding `predict` of the training features.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles that change.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> particles = np.zeros((4, 1, 1), dtype=np.float32)
        >>> fitted.add_to(particles)
        >>> particles.ravel().round(3)
        array([0., 1., 2., 3.], dtype=float32)
        """
        ...

    def without_rows(self) -> FittedLearner:
        """Return the function without its values at the training rows.

        Returns
        -------
        FittedLearner
            A smaller object that still predicts.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> fitted.without_rows().predict(X).shape
        (4, 1, 1)
        """
        ...

    def predict(self, X: Any) -> Directions:
        """Return the movement at new rows.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.

        Returns
        -------
        array of shape (n, m, d)
            Movement of each particle.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> fitted.predict(X).shape
        (4, 1, 1)
        """
        ...


@runtime_checkable
class Learner(Protocol):
    """Fit one round.

    A protocol: an object with `uses_codes` and `fit` is a learner.

    Examples
    --------
    >>> from wgboost.learners import Learner
    >>> from wgboost.learners.hist_tree import HistTree
    >>> isinstance(HistTree(), Learner)
    True
    """

    @property
    def uses_codes(self) -> bool:
        """Whether `fit` reads features.binned, or else features.raw."""
        ...

    def fit(
        self,
        features: Features,
        targets: Directions,
        curvature: Directions | None,
        weight: Array | None,
        rng: np.random.Generator,
    ) -> FittedLearner:
        """Fit the function of one round.

        Parameters
        ----------
        features : Features
            Features of the training rows.
        targets : array of shape (n, m, d)
            What to fit: gradients if there is a curvature, else the movement itself.
        curvature : array of shape (n, m, d) or None
            Curvatures to divide by.
        weight : array of shape (n,) or None
            Sample weights.
        rng : numpy.random.Generator, optional
            Source of randomness.

        Returns
        -------
        FittedLearner
            The fitted function.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.data.features import Features
        >>> from wgboost.learners import RegressorLearner
        >>> X = np.arange(4.0)[:, None]
        >>> fitted = RegressorLearner(LinearRegression()).fit(Features.from_raw(X), X[:, :, None])
        >>> fitted.predict(X).shape
        (4, 1, 1)
        """
        ...
