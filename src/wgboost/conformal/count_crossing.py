"""Ends of CV+ intervals of counts, from tables of the cdf of each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wgboost.predictive import Mixture
from wgboost.predictive.count_tables import LONGEST_TABLE, CountTable, components_of, is_tabled
from wgboost.responses.integer_search import smallest_integer
from wgboost.typing import Array

__all__ = ["count_crossings"]

_ROUNDING = 1e-9  # relative, outwards: a value whose score is the level is inside
_LEAST = 1e-4  # smallest tail, which is a difference from 1
_DIGITS = 1e-6  # such a difference has too few digits below this


def count_crossings(
    dists: Sequence[Mixture], tails: Sequence[Array], least: int, tail: float
) -> tuple[Array, Array]:
    """Return the outermost counts (n,) whose tails are at least as large as `least` given ones.

    The tails of each of K distributions of n rows are compared with its own sorted `tails`. `tail`
    is the approximate size of the tail at the ends. Ends are NaN where a table would be too long or
    lacks digits, and for other responses than Poisson and negative binomial counts, with or without
    extra zeros.
    """
    low, high = np.full((2, len(dists[0])), np.nan)
    alike = len({dist.particles.shape for dist in dists}) == 1
    if not (alike and tail > _LEAST and is_tabled(dists[0].response)):
        return low, high
    theta = np.stack([dist.theta() for dist in dists], axis=1)
    weights = None
    if any(dist.weights is not None for dist in dists):
        equal = np.full(theta.shape[:1] + theta.shape[2:3], 1 / theta.shape[2])
        each = [equal if dist.weights is None else dist.weights for dist in dists]
        weights = np.stack(each, axis=1)
    parts = components_of(dists[0].response, theta, weights)

    def held(probability: Array) -> Array:
        """Return whether tails (K, r) are at least as large as `least` given ones."""
        rank = np.zeros(probability.shape[1], dtype=np.int64)
        for known, own in zip(tails, probability, strict=True):
            rank += np.searchsorted(known, own * (1 + _ROUNDING), side="right")
        return rank >= least

    smallest = np.array([known[0] if known.size else 1.0 for known in tails])[:, None]

    def blurred(tail: Array) -> Array:
        """Return whether upper tails (K, r) have too few digits for comparisons."""
        return np.asarray(((tail < _DIGITS) & (smallest < _DIGITS)).any(axis=0))

    for block in parts.blocks():
        table, rows = CountTable(parts.take(block)), block
        while rows.size and table.count < LONGEST_TABLE:
            first, reached = table.count, table.extend()
            for end, condition in ((low, held), (high, lambda cdf: ~held(1 - cdf))):
                new = np.flatnonzero(np.isnan(end[rows]))
                if new.size:
                    end[rows[new]] = first + _first_column(reached[..., new], condition)
            there = np.flatnonzero(high[rows] >= first)
            column = (high[rows[there]] - first).astype(np.intp)
            high[rows[there[blurred(1 - reached[column, :, there].T)]]] = np.nan
            rest = np.isnan(low[rows]) | (np.isnan(high[rows]) & ~blurred(1 - reached[-1]))
            rows = rows[rest]
            if not rest.all():
                table.keep(rest)
    return low, high


def _first_column(table: Array, condition: Callable[[Array], Array]) -> Array:
    """Return the first column of a table (w, K, r) at which a condition holds, NaN if none, (r,).

    If the condition holds for a column, it holds for all later ones.
    """
    found = np.flatnonzero(condition(table[-1]))
    last = len(table) - 1.0

    def reached(column: Array, rows: Array) -> Array:
        return condition(table[column.astype(np.intp), :, found[rows]].T)

    first = np.full(table.shape[2], np.nan)
    middle, step = np.full((2, found.size), [[last // 2], [last]])
    first[found] = smallest_integer(reached, middle, step, (0.0, last))
    return first
