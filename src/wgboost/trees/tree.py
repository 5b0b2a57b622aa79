"""One tree of an ensemble, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass

from wgboost.typing import Array

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree as rows of arrays. Node 0 is the root; children stand behind their parent.

    At an inner node x goes left if x[feature] <= threshold (for codes: <= bin), a missing value
    if missing_left, and else to the node after `left`.
    """

    feature: Array  # (nodes,) int32; -1 marks a leaf
    threshold: Array  # (nodes,) float64
    bin: Array  # (nodes,) uint8
    missing_left: Array  # (nodes,) uint8
    left: Array  # (nodes,) int32; -1 for a leaf
    leaf: Array  # (nodes,) int32, row of values; -1 for an inner node
    gain: Array  # (nodes,) float32
    cover: Array  # (nodes,) int64, training rows that came by
    values: Array  # (leaves, outputs) float32
    output: int = 0  # first of the K outputs that the values are added to

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.values.shape[0])
