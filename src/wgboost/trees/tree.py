"""One tree of an ensemble, for inspection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.typing import Array

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False)
class Tree:
    """Hold one tree as rows of arrays.

    Node 0 is the root, and children come after their parent. At an inner node x goes left if
    x[feature] <= threshold (for codes: <= bin), a missing value if missing_left. A node with a
    category set sends the codes in the set to the left; see `categories`.

    Parameters
    ----------
    feature : array of shape (nodes,)
        Feature that a node splits on, int32; -1 marks a leaf.
    threshold : array of shape (nodes,)
        Largest value that goes left, float64.
    bin : array of shape (nodes,)
        Largest code that goes left, uint8.
    missing_left : array of shape (nodes,)
        Whether missing values go left, uint8.
    category_set : array of shape (nodes,)
        Row of `sets`, int32; -1 for a threshold and for a leaf.
    left : array of shape (nodes,)
        Left child, int32; the right one follows. -1 for a leaf.
    leaf : array of shape (nodes,)
        Row of `values`, int32; -1 for an inner node.
    gain : array of shape (nodes,)
        Gain of the split, float32.
    cover : array of shape (nodes,)
        Number of training rows that reach the node, int64.
    values : array of shape (leaves, outputs)
        Leaf values, float32.
    sets : array of shape (sets, 8)
        Bits of 256 codes as uint32.
    output : int, default=0
        First of the K outputs that the values are added to.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.arange(4.0)[:, None]
    >>> fitted = HistTree().fit(Features.from_raw(X), X[:, :, None] // 2)
    >>> fitted.trees[0].n_leaves
    2
    """

    feature: Array  # (nodes,)
    threshold: Array  # (nodes,)
    bin: Array  # (nodes,)
    missing_left: Array  # (nodes,)
    category_set: Array  # (nodes,)
    left: Array  # (nodes,)
    leaf: Array  # (nodes,)
    gain: Array  # (nodes,)
    cover: Array  # (nodes,)
    values: Array  # (leaves, outputs)
    sets: Array  # (sets, 8)
    output: int = 0

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.values.shape[0])

    def categories(self, node: int) -> Array:
        """Return the codes that go left at a node.

        Codes that did not occur at the node go where missing values go. The last of the 256 codes
        stands for missing values.

        Parameters
        ----------
        node : int
            Index of the node.

        Returns
        -------
        array of int
            The codes.

        Raises
        ------
        ValueError
            If the node does not split by categories.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.data import Features
        >>> from wgboost.learners.hist_tree import HistTree
        >>> X = np.repeat([0.0, 1.0, 2.0], 4)[:, None]
        >>> features = Features.from_raw(X, n_levels=np.array([3]))
        >>> fitted = HistTree().fit(features, (X == 1.0)[:, :, None].astype(float))
        >>> left = fitted.trees[0].categories(0)
        >>> left[left < 3]
        array([0, 2])
        """
        which = int(self.category_set[node])
        if which < 0:
            raise ValueError(f"node {node} does not split by categories")
        bits = (self.sets[which][:, None] >> np.arange(32, dtype=np.uint32)) & 1
        return np.flatnonzero(bits)
