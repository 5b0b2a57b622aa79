"""Where features are cut that no machine has all values of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from wgboost.data import Cuts, Schema
from wgboost.data.rows import take_rows
from wgboost.data.streaming import SAMPLE
from wgboost.distributed.partitions import PartedMatrix, Parts
from wgboost.typing import Array

__all__ = ["find_cuts"]

_GLANCE = 4096  # rows that tell most features of many values


def find_cuts(
    parts: Parts, schema: Schema, max_bins: int, weight: Array | None, sample: int = SAMPLE
) -> Cuts:
    """Return the cuts of all rows.

    Up to `sample` rows, and for features of at most `max_bins` different values, they are those of
    one machine; beyond, quantiles are those of so many rows drawn from all workers.
    """
    n = int(parts.bounds[-1])
    index = np.arange(n)
    if n > sample:
        index = np.sort(np.random.default_rng(0).choice(n, sample, replace=False))
    drawn = PartedMatrix(parts, 0, "", index).within()
    copies = len(drawn)
    found = parts.each(_taken, [schema] * copies, [where for _, where in drawn])
    rows = np.concatenate(found)
    cuts = Cuts.find(rows, max_bins=max_bins, weight=None if weight is None else weight[index])
    if n > sample:
        counted = [
            None if weight is None else np.flatnonzero(weight[i:j])
            for i, j in pairwise(parts.bounds)
        ]
        each = parts.each(_distinct, [schema] * copies, counted, [max_bins] * copies)
        edges = [
            _cut(own, few, max_bins)
            for own, few in zip(cuts.edges, zip(*each, strict=True), strict=True)
        ]
        cuts = Cuts(tuple(edges), cuts.categorical)
    return cuts


def _cut(edges: Array, distinct: tuple[Array | None, ...], max_bins: int) -> Array:
    """Return the edges of one feature: between all of its values, if they are few everywhere."""
    known = [values for values in distinct if values is not None]
    values = np.unique(np.concatenate(known)) if known else np.empty(0)
    if len(known) < len(distinct) or not 0 < len(values) <= max_bins:
        return edges
    return Cuts.find(values[:, None], max_bins=max_bins).edges[0]


def _taken(part: Any, schema: Schema, index: Array) -> Array:
    """Return some rows of a partition as a matrix."""
    return _matrix(take_rows(part, index), schema)


def _matrix(part: Any, schema: Schema) -> Array:
    if len(part) == 0:
        return np.empty((0, len(schema.levels)))
    matrix: Array = schema.apply(part)
    return matrix


def _distinct(part: Any, schema: Schema, counted: Array | None, most: int) -> list[Array | None]:
    """Return the values of each feature of a partition; None where they are more than `most`."""
    matrix = _matrix(part, schema)
    matrix = matrix if counted is None else matrix[counted]
    found: list[Array | None] = []
    for column in matrix.T:
        values: Array | None = None
        if len(np.unique(column[:_GLANCE])) <= most + 1:
            values = np.unique(column)
            values = values[~np.isnan(values)]
            values = values if len(values) <= most else None
        found.append(values)
    return found
