"""The structure of a tree that XGBoost has grown on codes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.binning import Binned, Cuts
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array

__all__ = ["TreeStructure"]


@dataclass(frozen=True, eq=False)
class TreeStructure:
    """The nodes of a tree: the root first, and two children next to each other after their parent.

    Attributes
    ----------
    feature : array (nodes,)
        The feature of a split; -1 for a leaf.
    bin : array (nodes,)
        Codes up to this one go left.
    missing_left : array (nodes,)
        Whether missing values go left.
    left : array (nodes,)
        The left child; -1 for a leaf.
    gain : array (nodes,)
        The gain of a split.

    Examples
    --------
    >>> import numpy as np
    >>> tree = {
    ...     "left_children": [1, -1, -1], "right_children": [2, -1, -1],
    ...     "split_indices": [0, 0, 0], "split_conditions": [3.0, 0.0, 0.0],
    ...     "default_left": [1, 0, 0], "loss_changes": [5.0, 0.0, 0.0],
    ... }
    >>> structure = TreeStructure.from_json(tree, np.array([7]))
    >>> structure.n_leaves, int(structure.bin[0])
    (2, 2)
    >>> structure.node_counts(np.array([4, 6]))
    array([10,  4,  6])
    """

    feature: Array
    bin: Array
    missing_left: Array
    left: Array
    gain: Array

    @classmethod
    def from_json(cls, tree: Mapping[str, Any], n_bins: Array) -> TreeStructure:
        """Read a tree from XGBoost's JSON.

        A code goes left if it is below the condition of the split. XGBoost may send all values one
        way and missing ones the other, by a condition below the first or above the last code.

        Parameters
        ----------
        tree : mapping
            The tree in XGBoost's JSON.
        n_bins : array (p,)
            The number of bins of each feature.

        Returns
        -------
        structure : TreeStructure
        """
        first, second = tree["left_children"], tree["right_children"]
        nodes: list[tuple[Any, ...]] = []
        order = [0]
        for node in order:
            if first[node] < 0:
                nodes.append((-1, 0, 0, -1, 0.0))
                continue
            feature, default_left = tree["split_indices"][node], tree["default_left"][node]
            children = [first[node], second[node]]
            last = int(n_bins[feature]) - 1
            edge = min(math.ceil(tree["split_conditions"][node]) - 1, last)
            if edge < 0:  # no value goes left: exchange the sides
                edge, default_left, children = last, not default_left, children[::-1]
            gain = tree["loss_changes"][node]
            nodes.append((feature, edge, int(default_left), len(order), gain))
            order += children
        return cls(*(np.array(column) for column in zip(*nodes, strict=True)))

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.left < 0).sum())

    @property
    def leaf(self) -> Array:
        """The number of each leaf (nodes,), -1 for an inner node."""
        is_leaf = self.left < 0
        return np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)

    def node_counts(self, leaf_counts: Array) -> Array:
        """Return the number of rows in each node.

        Parameters
        ----------
        leaf_counts : array (leaves,)
            The number of rows in each leaf.

        Returns
        -------
        counts : array (nodes,)
        """
        rows = np.where(self.left < 0, leaf_counts[self.leaf], 0)
        for node in reversed(range(len(rows))):
            if self.left[node] >= 0:
                rows[node] = rows[self.left[node]] + rows[self.left[node] + 1]
        return rows

    def pruned(self, counts: Array, min_samples: int) -> tuple[TreeStructure, Array]:
        """Remove splits that leave fewer than `min_samples` rows on a side.

        Parameters
        ----------
        counts : array (nodes,)
            The number of rows in each node.
        min_samples : int
            The smallest number of rows of a child.

        Returns
        -------
        structure : TreeStructure
            The tree without these splits.
        new_leaf : array (leaves,)
            The leaf that replaces each of the former leaves.
        """
        old_leaf, new_leaf = self.leaf, np.zeros(self.n_leaves, dtype=np.int32)
        nodes, order, n_leaves = [], [0], 0
        for node in order:
            left = int(self.left[node])
            if left >= 0 and min(counts[left], counts[left + 1]) >= min_samples:
                split = (self.feature[node], self.bin[node], self.missing_left[node])
                nodes.append((*split, len(order), self.gain[node]))
                order += [left, left + 1]
                continue
            nodes.append((-1, 0, 0, -1, 0.0))
            below = [node]
            for one in below:
                if self.left[one] >= 0:
                    below += [int(self.left[one]), int(self.left[one]) + 1]
                else:
                    new_leaf[old_leaf[one]] = n_leaves
            n_leaves += 1
        return TreeStructure(*(np.array(column) for column in zip(*nodes, strict=True))), new_leaf

    def to_flat(
        self, cuts: Cuts, shape: tuple[int, int], output: int, values: Array, counts: Array
    ) -> FlatTrees:
        """Return the tree with leaf values as `FlatTrees`.

        Parameters
        ----------
        cuts : Cuts
            The bin edges of all features.
        shape : (int, int)
            The numbers of particles and of parameters.
        output : int
            The first output that the values are added to.
        values : array (leaves, outputs)
            The leaf values.
        counts : array (nodes,)
            The number of rows in each node.

        Returns
        -------
        trees : FlatTrees
        """
        feature = self.feature.astype(np.int32)
        threshold = cuts.thresholds[feature, self.bin]
        threshold[feature < 0] = np.inf
        return FlatTrees(
            len(cuts.edges), shape, 1,
            first_node=np.array([0, len(feature)], np.int64),
            first_leaf=np.array([0, len(values)], np.int64),
            first_set=np.zeros(2, np.int64),
            output=np.array([output], np.int32),
            feature=feature,
            threshold=threshold,
            bin=self.bin.astype(np.uint8),
            missing_left=self.missing_left.astype(np.uint8),
            category_set=np.full(len(feature), -1, np.int32),
            left=self.left.astype(np.int32),
            leaf=self.leaf.astype(np.int32),
            gain=self.gain.astype(np.float32),
            cover=counts.astype(np.int64),
            values=np.ascontiguousarray(values, dtype=np.float32),
            sets=np.zeros((0, 8), np.uint32),
        )  # fmt: skip

    def leaf_index(self, binned: Binned, cuts: Cuts, n_threads: int) -> Array:
        """Return the leaf of each row.

        Parameters
        ----------
        binned : Binned
            The codes of all rows.
        cuts : Cuts
            The bin edges of all features.
        n_threads : int
            The number of threads.

        Returns
        -------
        leaf : array (n,) of int
        """
        numbers = np.arange(self.n_leaves, dtype=np.float32)[:, None]
        numbered = self.to_flat(cuts, (1, 1), 0, numbers, np.zeros(len(self.left)))
        leaf: Array = numbered.predict_binned(binned, n_threads=n_threads)[:, 0, 0]
        return leaf.astype(np.int32)
