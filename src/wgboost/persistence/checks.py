"""Checks of trees that were read from a file."""

from __future__ import annotations

import numpy as np

from wgboost.trees.flat import FlatTrees

__all__ = ["check_trees"]


def check_trees(trees: FlatTrees, n_features: int, shape: tuple[int, int]) -> None:
    """Raise ValueError unless trees are valid and have these features and particles."""
    if trees.n_features != n_features or trees.shape != shape:
        raise ValueError(
            f"trees of {trees.n_features} features and particles {trees.shape} in a model of "
            f"{n_features} and {shape}"
        )
    trees.check_arrays()
    if not np.isfinite(trees.values).all():
        raise ValueError("a leaf value is not finite")
    if not np.isfinite(trees.gain).all() or (trees.cover < 0).any():
        raise ValueError("a gain is not finite, or a node has a negative number of rows")
