"""Leaf values in float64 from the rows, wherever they are."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wgboost.trees.xgboost.collective import total
from wgboost.typing import Array

__all__ = ["leaf_counts", "leaf_values"]

_ROWS = 2**14  # at a time: their copy in float64 stays in the cache


def leaf_counts(leaf: Array, n_leaves: int, drawn: Array | None) -> Array:
    """Return how many of the drawn rows of all workers each leaf has."""
    mine = leaf if drawn is None else leaf[drawn]
    counts = total(np.bincount(mine, minlength=n_leaves).astype(np.float64))
    return np.rint(counts).astype(np.int64)


def leaf_values(
    leaf: Array, n_leaves: int, targets: Array, curvature: Array | None, weight: Array | None,
    l2: float,
) -> Array:  # fmt: skip
    """Return sum(w g) / (sum(w c) + l2) of each leaf and output; 0 where nothing has mass."""
    sums = total(_sums(leaf, n_leaves, targets, weight))
    if curvature is not None:
        mass = total(_sums(leaf, n_leaves, curvature, weight))
    else:
        mass = total(np.bincount(leaf, weight, minlength=n_leaves).astype(np.float64))[:, None]
    mass = mass + l2
    values = np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    if not np.isfinite(narrow).all():
        raise ValueError(
            "a leaf value is not finite in float32: the curvature is too small for the targets; a "
            "larger l2 bounds it"
        )
    return narrow


def _sums(leaf: Array, n_leaves: int, values: Array, weight: Array | None) -> Array:
    """Weighted sums (leaves, outputs) of values (n, outputs), in float64 and the rows' order."""
    sums = np.zeros((n_leaves, values.shape[1]))
    for begin in range(0, len(leaf), _ROWS):
        rows = slice(begin, begin + _ROWS)
        where = leaf[rows]
        share = np.ones(len(where)) if weight is None else weight[rows].astype(np.float64)
        # One column a row, with its weight in the line of its leaf.
        of_leaf = sparse.csc_array(
            (share, where, np.arange(len(where) + 1)), shape=(n_leaves, len(where))
        )
        sums += of_leaf @ values[rows].astype(np.float64)
    return sums
