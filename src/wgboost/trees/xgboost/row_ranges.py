"""Ranges of the training rows of nodes whose splits XGBoost has found."""

from __future__ import annotations

import numpy as np

from wgboost import _core
from wgboost.data.binning import Binned
from wgboost.trees.flat import FlatTrees
from wgboost.trees.ranges import NodeRanges
from wgboost.trees.xgboost.collective import gather
from wgboost.typing import Array

__all__ = ["ranges_of_rows"]

_NO_CODE = 255


def ranges_of_rows(
    trees: FlatTrees, binned: Binned, weight: Array | None, n_threads: int
) -> NodeRanges:
    """Return the ranges of the rows of all workers in the nodes of trees.

    Parameters
    ----------
    trees : FlatTrees
        The trees of a round.
    binned : Binned
        Codes of the rows of this worker.
    weight : array of shape (n,) or None
        Their weights; rows of weight zero do not count.
    n_threads : int
        Number of threads.

    Returns
    -------
    NodeRanges
        The same on all workers.
    """
    codes, missing = _core.node_ranges(
        codes=binned.codes.T, n_bins=binned.n_bins, weight=weight, first_node=trees.first_node,
        feature=trees.feature, bin=trees.bin, missing_left=trees.missing_left, left=trees.left,
        n_threads=n_threads,
    )  # fmt: skip
    found = gather(np.column_stack([codes, missing]).astype(np.float64))  # (workers, nodes, 5)
    if len(found) > 1:
        codes, missing = _merged(found.astype(np.int64))
    return NodeRanges.of_round(codes, missing, np.zeros((0, 16), np.uint32), trees.output.size)


def _merged(found: Array) -> tuple[Array, Array]:
    """Return codes (nodes, 4) and missing rows (nodes,) of the rows of all workers together."""
    low = np.sort(np.concatenate(found[:, :, :2], axis=1), axis=1)[:, :2]
    ends = np.where(found[:, :, 2:4] == _NO_CODE, -1, found[:, :, 2:4])
    high = np.sort(np.concatenate(ends, axis=1), axis=1)[:, -2:]
    high[high < 0] = _NO_CODE
    missing = np.minimum(found[:, :, 4].sum(axis=0), 2)
    return np.concatenate([low, high], axis=1).astype(np.uint8), missing.astype(np.uint8)
