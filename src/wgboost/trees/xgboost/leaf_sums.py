"""Leaf values in float64 from the rows of all workers."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from wgboost.slicing import row_slices
from wgboost.trees.xgboost.collective import allreduce
from wgboost.typing import Array

__all__ = ["leaf_counts", "leaf_values"]

_BLOCK_ROWS = 2**14  # their copy in float64 stays in the cache


def leaf_counts(leaf: Array, n_leaves: int, drawn: Array | None) -> Array:
    """Count the rows of each leaf.

    Parameters
    ----------
    leaf : array (n,) of int
        The leaf of each row.
    n_leaves : int
        The number of leaves.
    drawn : array of int or None
        The rows to count; None counts all rows.

    Returns
    -------
    counts : array (n_leaves,) of int
        The number of rows of all workers.

    Examples
    --------
    >>> import numpy as np
    >>> leaf_counts(np.array([0, 1, 1]), 2, None)
    array([1, 2])
    """
    own = leaf if drawn is None else leaf[drawn]
    counts = allreduce(np.bincount(own, minlength=n_leaves).astype(np.float64))
    return np.rint(counts).astype(np.int64)


def leaf_values(
    leaf: Array, n_leaves: int, targets: Array, curvature: Array | None, weight: Array | None,
    l2: float,
) -> Array:  # fmt: skip
    """Return sum(w g) / (sum(w c) + l2) of each leaf and output; 0 where the divisor is 0.

    Parameters
    ----------
    leaf : array (n,) of int
        The leaf of each row.
    n_leaves : int
        The number of leaves.
    targets : array (n, outputs)
        The direction g of each row.
    curvature : array (n, outputs) or None
        The curvature c of each row; None is 1.
    weight : array (n,) or None
        The weight w of each row; None is 1.
    l2 : float
        The penalty of leaf values.

    Returns
    -------
    values : array (n_leaves, outputs) of float32

    Raises
    ------
    ValueError
        If a value is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> leaf_values(np.array([0, 1, 1]), 2, np.array([[1.0], [2.0], [4.0]]), None, None, 0.0)
    array([[1.],
           [3.]], dtype=float32)
    """
    sums = allreduce(_sums(leaf, n_leaves, targets, weight))
    if curvature is not None:
        mass = allreduce(_sums(leaf, n_leaves, curvature, weight))
    else:
        mass = allreduce(np.bincount(leaf, weight, minlength=n_leaves).astype(np.float64))[:, None]
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
    """Return weighted sums (leaves, outputs) of values (n, outputs), in the order of rows."""
    sums = np.zeros((n_leaves, values.shape[1]))
    for rows in row_slices(len(leaf), _BLOCK_ROWS):
        own = leaf[rows]
        weights = np.ones(len(own)) if weight is None else weight[rows].astype(np.float64)
        # One column per row, with its weight in the line of its leaf.
        of_leaf = sparse.csc_array(
            (weights, own, np.arange(len(own) + 1)), shape=(n_leaves, len(own))
        )
        sums += of_leaf @ values[rows].astype(np.float64)
    return sums
