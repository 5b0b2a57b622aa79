"""What a fitted model answers, whatever the response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.decisions import bayes_action
from wgboost.estimators.parameters import Parameters, checked_matrix
from wgboost.predictive import Mixture, mixture_of
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["Predictions"]


class Predictions(Parameters):
    """Predictive distributions of fitted rounds."""

    def _matrix(self, X: Any, *, reset: bool) -> Array:
        return checked_matrix(self, X, reset=reset)

    def _particles(self, X: Any, n_rounds: int | None = None) -> Directions:
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        particles: Directions = self.ensemble_.predict(
            X, start=self.start_.at(X), n_rounds=n_rounds, n_threads=self._n_threads()
        )
        return particles

    def _mixture(self, particles: Directions, offset: Any) -> Mixture:
        if offset is not None:
            known = self.response_.check_offset(offset, len(particles))
            particles = self.response_.with_offset(particles, known, self.units_)
        return mixture_of(self.response_, particles, self.units_)

    def predict_dist(self, X: Any, *, offset: Any = None, n_rounds: int | None = None) -> Mixture:
        """Return the predictive distribution of each row, a mixture over its particles.

        `offset` is the known part of the location, as in `fit`; without it, none is added. So for
        all predictions. `n_rounds` uses only the first so many rounds.
        """
        return self._mixture(self._particles(X, n_rounds), offset)

    def pred_dist(self, X: Any, *, offset: Any = None) -> Mixture:
        """Return `predict_dist`, under the name that NGBoost gives it."""
        return self.predict_dist(X, offset=offset)

    def staged_predict_dist(self, X: Any, *, offset: Any = None) -> Iterator[Mixture]:
        """Yield `predict_dist` after 1, 2, ... rounds, each at the cost of one."""
        check_is_fitted(self, "ensemble_")
        X = self._matrix(X, reset=False)
        for particles in self.ensemble_.staged_predict(
            X, start=self.start_.at(X), n_threads=self._n_threads()
        ):
            yield self._mixture(particles, offset)

    def predict_particles(self, X: Any, *, offset: Any = None) -> dict[str, Array]:
        """Return the particles of each row, by parameter (n, m), in the user's units."""
        return self.predict_dist(X, offset=offset).params()

    def sample(
        self, X: Any, n_samples: int = 1, random_state: Any = None, *, offset: Any = None
    ) -> Array:
        """Return draws (n, n_samples) from the predictive distributions.

        (n, n_samples, q) if y has several columns.
        """
        check_integer("n_samples", n_samples, low=1)
        draws = self.predict_dist(X, offset=offset).rvs(size=n_samples, random_state=random_state)
        return self._decode(np.swapaxes(draws, 0, 1))

    def _decode(self, values: Array) -> Array:
        return values

    def decide(
        self, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
        return_risks: bool = False, offset: Any = None,
    ) -> Any:  # fmt: skip
        """Return the Bayes action of each row; see `bayes_action` for the arguments."""
        return bayes_action(
            self.predict_dist(X, offset=offset),
            loss,
            actions,
            utility=utility,
            return_risks=return_risks,
        )

    def apply(self, X: Any) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree."""
        check_is_fitted(self, "ensemble_")
        if not hasattr(self.ensemble_, "apply"):
            raise TypeError("apply needs native trees; this model has another learner")
        leaves: Array = self.ensemble_.apply(
            self._matrix(X, reset=False), n_threads=self._n_threads()
        )
        return leaves

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self, "ensemble_")
        if not hasattr(self.ensemble_, "feature_gains"):
            raise AttributeError("feature importances need native trees")
        gains: Array = self.ensemble_.feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
