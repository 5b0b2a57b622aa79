"""What the trees of a fitted model say about rows and features."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.parameters import Parameters, checked_matrix
from wgboost.typing import Array

__all__ = ["TreeView"]


class TreeView(Parameters):
    """Leaves and importances of a model of native trees."""

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Array:
        return checked_matrix(self, X, reset=reset, weight=weight)

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
