"""One tree of an ensemble, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.typing import Array

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree as rows of arrays. Node 0 is the root; children stand behind their parent.

    At an inner node x goes left if x[feature] <= threshold (for codes: <= bin), a missing value
    if missing_left, and else to the node after `left`. A node with a category set asks for the
    code of a category instead: it goes left if the set holds it (see `categories`).
    """

    feature: Array  # (nodes,) int32; -1 marks a leaf
    threshold: Array  # (nodes,) float64
    bin: Array  # (nodes,) uint8
    missing_left: Array  # (nodes,) uint8
    category_set: Array  # (nodes,) int32, row of sets; -1 for a threshold and for a leaf
    left: Array  # (nodes,) int32; -1 for a leaf
    leaf: Array  # (nodes,) int32, row of values; -1 for an inner node
    gain: Array  # (nodes,) float32
    cover: Array  # (nodes,) int64, training rows that came by
    values: Array  # (leaves, outputs) float32
    sets: Array  # (sets, 8) uint32: 256 bits, one for each code
    output: int = 0  # first of the K outputs that the values are added to

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.values.shape[0])

    def categories(self, node: int) -> Array:
        """Return the codes that go left at a node; those not seen there go where missing ones go.

        The last of the 256 possible codes is none of a category: it stands for missing values.
        """
        which = int(self.category_set[node])
        if which < 0:
            raise ValueError(f"node {node} does not split by categories")
        bits = (self.sets[which][:, None] >> np.arange(32, dtype=np.uint32)) & 1
        return np.flatnonzero(bits)
