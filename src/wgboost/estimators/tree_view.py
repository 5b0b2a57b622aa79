"""What the rounds of a fitted model say about rows and features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from wgboost.ensemble import FlatTrees
from wgboost.estimators.parameters import Parameters, checked_matrix
from wgboost.responses import Ground
from wgboost.typing import Array, Directions

__all__ = ["TreeView"]


class TreeView(Parameters):
    """Particles of a fitted model; leaves and importances where it consists of native trees."""

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Array:
        return checked_matrix(self, X, reset=reset, weight=weight)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensemble_")

    def _particles(self, X: Any, n_rounds: int | None = None) -> Directions:
        check_is_fitted(self)
        matrix = self._matrix(X, reset=False)
        return self._particles_at(matrix, self._n_threads(), n_rounds)

    def _relative(self, X: Any, n_rounds: int | None = None) -> tuple[Directions, Ground | None]:
        """Return the particles of rows, and what they are relative to."""
        check_is_fitted(self)
        return self._relative_at(self._matrix(X, reset=False), self._n_threads(), n_rounds)

    def _relative_at(
        self, matrix: Array, n_threads: int, n_rounds: int | None = None
    ) -> tuple[Directions, Ground | None]:
        particles = self._particles_at(matrix, n_threads, n_rounds)
        return particles, self.start_.ground(matrix)

    def _particles_at(
        self, matrix: Array, n_threads: int, n_rounds: int | None = None
    ) -> Directions:
        """Return the particles of rows of a checked matrix (n, p)."""
        particles: Directions = self.ensemble_.predict(
            matrix, start=self.start_.at(matrix), n_rounds=n_rounds, n_threads=n_threads
        )
        return particles

    def _staged_particles(self, X: Any) -> Iterator[Directions]:
        check_is_fitted(self)
        yield from self._staged_particles_at(self._matrix(X, reset=False), self._n_threads())

    def _staged(self, X: Any) -> Iterator[tuple[Directions, Ground | None]]:
        """Yield `_relative` after 1, 2, ... rounds."""
        check_is_fitted(self)
        matrix = self._matrix(X, reset=False)
        ground = self.start_.ground(matrix)
        for particles in self._staged_particles_at(matrix, self._n_threads()):
            yield particles, ground

    def _staged_particles_at(self, matrix: Array, n_threads: int) -> Iterator[Directions]:
        yield from self.ensemble_.staged_predict(
            matrix, start=self.start_.at(matrix), n_threads=n_threads
        )

    def apply(self, X: Any) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree."""
        check_is_fitted(self)
        if not isinstance(self.ensemble_, FlatTrees):
            raise TypeError("apply needs native trees; this model has another learner")
        leaves: Array = self.ensemble_.apply(
            self._matrix(X, reset=False), n_threads=self._n_threads()
        )
        return leaves

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self)
        shares = self._importances()
        if shares is None:
            raise AttributeError("feature importances need native trees")
        return shares

    def _importances(self) -> Array | None:
        """Return `feature_importances_`, or None if another learner than trees was used."""
        if not isinstance(self.ensemble_, FlatTrees):
            return None
        gains: Array = self.ensemble_.feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains
