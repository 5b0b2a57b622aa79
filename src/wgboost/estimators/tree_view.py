"""What the rounds of a fitted model say about rows and features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.parameters import checked_matrix
from wgboost.estimators.saving import Saving
from wgboost.typing import Array, Directions

__all__ = ["TreeView"]


class TreeView(Saving):
    """Particles of a fitted model; leaves and importances where it consists of native trees."""

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Array:
        return checked_matrix(self, X, reset=reset, weight=weight)

    def _new_rows(self, X: Any) -> Array:
        """Return X as the model takes it; raise if there is none."""
        check_is_fitted(self, "ensemble_")
        return self._matrix(X, reset=False)

    def _particles(self, X: Any, n_rounds: int | None = None) -> Directions:
        return self._after(self._new_rows(X), n_rounds)

    def _after(self, X: Array, n_rounds: int | None = None) -> Directions:
        """Particles (n, m, d) of checked rows, relative to the start's ground if it has one."""
        particles: Directions = self.ensemble_.predict(
            X, start=self.start_.at(X), n_rounds=n_rounds, n_threads=self._n_threads()
        )
        return particles

    def _staged_particles(self, X: Any) -> Iterator[Directions]:
        yield from self._staged(self._new_rows(X))

    def _staged(self, X: Array) -> Iterator[Directions]:
        yield from self.ensemble_.staged_predict(
            X, start=self.start_.at(X), n_threads=self._n_threads()
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
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
