"""The shape of a tree that XGBoost has grown on codes, in the node table of the library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data import Binned, Cuts
from wgboost.trees import FlatTrees
from wgboost.typing import Array

__all__ = ["Structure"]


@dataclass(frozen=True, eq=False)
class Structure:
    """Nodes of a tree: the root first, children behind their parent and beside each other."""

    feature: Array  # (nodes,), -1 for a leaf
    bin: Array  # (nodes,), codes up to it go left
    missing_left: Array  # (nodes,)
    left: Array  # (nodes,), -1 for a leaf
    gain: Array  # (nodes,)

    @classmethod
    def parsed(cls, tree: Mapping[str, Any], n_bins: Array) -> Structure:
        """Return a tree of XGBoost's JSON: a code goes left if it is below the split's condition.

        XGBoost may send all values one way and missing ones the other, by a condition below the
        first or beyond the last code.
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
            at = min(math.ceil(tree["split_conditions"][node]) - 1, last)
            if at < 0:  # no value goes left: the same with both sides exchanged
                at, default_left, children = last, not default_left, children[::-1]
            gain = tree["loss_changes"][node]
            nodes.append((feature, at, int(default_left), len(order), gain))
            order += children
        return cls(*(np.array(column) for column in zip(*nodes, strict=True)))

    @property
    def leaf(self) -> Array:
        """The number of each leaf (nodes,), -1 for an inner node."""
        ends = self.left < 0
        return np.where(ends, np.cumsum(ends) - 1, -1)

    def reached(self, counts: Array) -> Array:
        """Return how many rows come by each node, given those of each leaf."""
        rows = np.where(self.left < 0, counts[self.leaf], 0)
        for node in reversed(range(len(rows))):
            if self.left[node] >= 0:
                rows[node] = rows[self.left[node]] + rows[self.left[node] + 1]
        return rows

    def undone(self, reached: Array, least: int) -> tuple[Structure, Array]:
        """Return the tree without splits that leave fewer than so many rows on a side.

        And the leaf that takes the place of each of the leaves before.
        """
        old_leaf, which = self.leaf, np.zeros(int((self.left < 0).sum()), dtype=np.int32)
        nodes, order, n_leaves = [], [0], 0
        for node in order:
            left = int(self.left[node])
            if left >= 0 and min(reached[left], reached[left + 1]) >= least:
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
                    which[old_leaf[one]] = n_leaves
            n_leaves += 1
        return Structure(*(np.array(column) for column in zip(*nodes, strict=True))), which

    def trees(
        self, cuts: Cuts, shape: tuple[int, int], output: int, values: Array, reached: Array
    ) -> FlatTrees:
        """Return the tree with values (leaves, outputs), added to the outputs from `output` on."""
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
            cover=reached.astype(np.int64),
            values=np.ascontiguousarray(values, dtype=np.float32),
            sets=np.zeros((0, 8), np.uint32),
        )  # fmt: skip

    def leaf_of(self, binned: Binned, cuts: Cuts, n_threads: int) -> Array:
        """Return the leaf (n,) that each row of codes reaches."""
        numbers = np.arange(int((self.left < 0).sum()), dtype=np.float32)[:, None]
        numbered = self.trees(cuts, (1, 1), 0, numbers, np.zeros(len(self.left)))
        leaf: Array = numbered.predict_binned(binned, n_threads=n_threads)[:, 0, 0]
        return leaf.astype(np.int32)
