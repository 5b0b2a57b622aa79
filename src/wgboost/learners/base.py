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
    """One round's function from x to a movement of all particles."""

    def scaled(self, rate: float) -> FittedLearner:
        """Return the function multiplied by a rate."""
        ...

    def add_to(self, particles: Directions) -> None:
        """Add the function's values at the training rows to particles (n, m, d), in place.

        The result is the same, bit for bit, as adding `predict` of the training features.
        """
        ...

    def without_rows(self) -> FittedLearner:
        """Return the function without what `add_to` needs: a model of many rounds keeps these."""
        ...

    def predict(self, X: Any) -> Directions:
        """Return the movement (n, m, d) at new rows."""
        ...


@runtime_checkable
class Learner(Protocol):
    """Fits one round."""

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
        """Fit targets (n, m, d).

        With a curvature c > 0 of the same shape the targets are gradients g and the function
        is to follow the Newton movement; without, it is to follow the targets themselves.
        """
        ...
