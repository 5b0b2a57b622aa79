"""A learner of exact trees: every threshold between two values of a feature is tried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

Array = np.ndarray

__all__ = ["ExactTree", "FittedExactTree"]


def _float32(X: Any) -> Array:
    """Features as scikit-learn's trees take them; its own checks cost more than a small tree."""
    return np.ascontiguousarray(X, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class FittedExactTree:
    """One tree: where it sends rows, and how each leaf moves the particles."""

    tree: DecisionTreeRegressor
    values: Array  # (nodes, m, d) float32
    leaf: Array  # (n,) of the training rows

    def scaled(self, rate: float) -> FittedExactTree:
        """Return the same tree with leaf values multiplied by a rate."""
        return replace(self, values=self.values * np.float32(rate))

    def add_to(self, particles: Array) -> None:
        """Add the values of the training rows to particles (n, m, d), in place."""
        particles += self.values[self.leaf]

    def without_rows(self) -> FittedExactTree:
        """Return the same tree without the places of training rows."""
        return replace(self, leaf=self.leaf[:0].copy())

    def predict(self, X: Any) -> Array:
        """Return the movement (n, m, d) at new rows."""
        movement: Array = self.values[self.tree.apply(_float32(X), check_input=False)]
        return movement


@dataclass(frozen=True)
class ExactTree:
    """Grows scikit-learn's tree on the summed movement and fills its leaves with means."""

    max_depth: int = 3
    min_samples_leaf: int = 1
    random_state: int = 1
    uses_codes: bool = field(default=False, init=False)

    def fit(
        self, features: Any, targets: Array, curvature: Array | None, weight: Array | None,
        rng: np.random.Generator,
    ) -> FittedExactTree:  # fmt: skip
        """Fit one round to the movement, which is targets / curvature if there is a curvature."""
        del rng
        if weight is not None:
            raise ValueError("ExactTree takes no weights")
        if curvature is not None:
            targets = targets / curvature
        flat = targets.reshape(len(targets), -1).astype(np.float64)
        tree = DecisionTreeRegressor(
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        )
        X = _float32(features.raw)
        tree.fit(X, flat.sum(axis=1), check_input=False)
        leaf, nodes = tree.apply(X, check_input=False), tree.tree_.node_count
        sums = np.stack([np.bincount(leaf, column, nodes) for column in flat.T], axis=1)
        means = sums / np.maximum(np.bincount(leaf, minlength=nodes), 1)[:, None]
        values = means.reshape(nodes, *targets.shape[1:]).astype(np.float32)
        return FittedExactTree(tree, values, leaf)
