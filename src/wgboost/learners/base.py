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
    >>> from wgboost.learners import HistTree
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
        """
        ...

    def add_to(self, particles: Directions) -> None:
        """Add the values at the training rows to particles, in place.

        The result is bit for bit that of adding `predict` of the training features.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles that change.
        """
        ...

    def without_rows(self) -> FittedLearner:
        """Return the function without its values at the training rows.

        Returns
        -------
        FittedLearner
            A smaller object that still predicts.
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
        """
        ...


@runtime_checkable
class Learner(Protocol):
    """Fit one round.

    A protocol: an object with `uses_codes` and `fit` is a learner.

    Examples
    --------
    >>> from wgboost.learners import HistTree, Learner
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
        """
        ...
