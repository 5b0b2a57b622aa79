"""Bin edges of features whose values are spread over workers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Cuts
from wgboost.data.rows import take_rows
from wgboost.data.schema import Schema
from wgboost.data.streaming import SAMPLE
from wgboost.distributed.partitions import PartitionedMatrix, Partitions
from wgboost.typing import Array

__all__ = ["find_cuts", "find_ends"]

_PREVIEW_ROWS = 4096  # enough to recognise most features with many distinct values


def find_cuts(
    parts: Partitions, schema: Schema, max_bins: int, weight: Array | None, sample: int = SAMPLE
) -> Cuts:
    """Return the bin edges of all features, `max_bins` bins at most for each.

    The edges are those of one machine if the table has at most `sample` rows, and for features with
    at most `max_bins` distinct values. Otherwise they are quantiles of a random sample of rows.
    """
    n = int(parts.offsets[-1])
    index = np.arange(n)
    if n > sample:
        index = np.sort(np.random.default_rng(0).choice(n, sample, replace=False))
    sampled = PartitionedMatrix(parts, 0, "", index).rows_by_partition()
    n_parts = len(sampled)
    rows = parts.map(_sampled_rows, [schema] * n_parts, [positions for _, positions in sampled])
    cuts = Cuts.find(
        np.concatenate(rows), max_bins=max_bins, weight=None if weight is None else weight[index]
    )
    if n <= sample:
        return cuts
    counted = [
        None if weight is None else np.flatnonzero(weight[i:j]) for i, j in pairwise(parts.offsets)
    ]
    values = parts.map(_distinct_values, [schema] * n_parts, counted, [max_bins] * n_parts)
    edges = [
        _feature_edges(own, of_parts, max_bins)
        for own, of_parts in zip(cuts.edges, zip(*values, strict=True), strict=True)
    ]
    return Cuts(tuple(edges), cuts.categorical)


def find_ends(parts: Partitions, schema: Schema, cuts: Cuts, weight: Array | None) -> BinEnds:
    """Return the smallest and largest value of each bin of all rows of positive weight."""
    n = len(parts.lengths)
    offsets = parts.offsets
    weights = [None if weight is None else weight[i:j] for i, j in pairwise(offsets)]
    return BinEnds.merge(parts.map(_partition_ends, [schema] * n, [cuts] * n, weights))


def _partition_ends(partition: Any, schema: Schema, cuts: Cuts, weight: Array | None) -> BinEnds:
    """Return the ends of the bins of a partition."""
    matrix = _matrix(partition, schema)
    if not len(matrix):
        return BinEnds.none(cuts)
    return BinEnds.of(matrix, cuts.apply(matrix), cuts, weight)


def _feature_edges(edges: Array, distinct: tuple[Array | None, ...], max_bins: int) -> Array:
    """Return the edges of a feature: between all of its values if these are few."""
    known = [values for values in distinct if values is not None]
    values = np.unique(np.concatenate(known)) if known else np.empty(0)
    if len(known) < len(distinct) or not 0 < len(values) <= max_bins:
        return edges
    return Cuts.find(values[:, None], max_bins=max_bins).edges[0]


def _sampled_rows(partition: Any, schema: Schema, positions: Array) -> Array:
    """Return some rows of a partition as a matrix."""
    return _matrix(take_rows(partition, positions), schema)


def _matrix(partition: Any, schema: Schema) -> Array:
    """Return a partition as a matrix of numbers."""
    if len(partition) == 0:
        return np.empty((0, len(schema.levels)))
    matrix: Array = schema.apply(partition)
    return matrix


def _distinct_values(
    partition: Any, schema: Schema, counted: Array | None, max_values: int
) -> list[Array | None]:
    """Return the distinct values of each feature; None where there are more than `max_values`."""
    matrix = _matrix(partition, schema)
    matrix = matrix if counted is None else matrix[counted]
    found: list[Array | None] = []
    for column in matrix.T:
        values: Array | None = None
        if len(np.unique(column[:_PREVIEW_ROWS])) <= max_values + 1:
            values = np.unique(column)
            values = values[~np.isnan(values)]
            values = values if len(values) <= max_values else None
        found.append(values)
    return found
