"""Metrics of y that is perhaps only known between bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.responses import Observations, is_censored
from wgboost.typing import Array

__all__ = ["calibration_curve", "concordance"]

_BINS = 200
_STEPS = 2000


def _bounds(dist: Mixture, y: Any) -> Observations:
    checked = dist.response.check(y)
    if len(checked) != len(dist):
        raise ValueError(f"y has {len(checked)} rows, the distribution {len(dist)}")
    return Observations.of(checked if is_censored(checked) else np.asarray(checked))


def concordance(dist: Mixture, y: Any) -> float:
    """Return how often the larger of two predictions belongs to the larger y; larger is better.

    Over all pairs of rows whose order is known: the upper bound of one y is below the lower bound
    of the other. Predictions are medians; equal ones count one half. 1 is perfect, 0.5 is chance.
    """
    seen, middle = _bounds(dist, y), dist.median()
    order = np.argsort(middle, kind="stable")
    rank = np.unique(middle, return_inverse=True)[1][order]
    lower, upper = seen.lower[order], seen.upper[order]
    agreeing, pairs = 0.0, 0
    for start in range(0, len(lower), 512):  # a block of rows against all of them
        block = slice(start, start + 512)
        earlier = upper[block, None] < lower[None, :]
        ahead = np.sign(rank[None, :] - rank[block, None])
        agreeing += float((earlier * (1 + ahead)).sum()) / 2
        pairs += int(earlier.sum())
    if pairs == 0:
        raise ValueError("no two rows have a known order; concordance has nothing to count")
    return agreeing / pairs


def calibration_curve(dist: Mixture, y: Any, levels: Any = None) -> tuple[Array, Array]:
    """Return probabilities, and the share of rows that fell below the quantile at each of them.

    The two are equal if the distributions are right. A row whose y lies between bounds has its
    share spread over the probabilities between them as the other rows suggest (the
    self-consistent estimate, which is Kaplan and Meier's where y is censored on the right).

    Parameters
    ----------
    dist, y
        Predictions, and what was seen.
    levels
        Probabilities in [0, 1]; 0, 0.05, ..., 1 by default.
    """
    grid = np.linspace(0, 1, 21) if levels is None else np.asarray(levels, dtype=np.float64)
    seen = _bounds(dist, y)
    low, high = dist.cdf(seen.lower), dist.cdf(seen.upper)  # 0 and 1 at the infinities
    exact = seen.exact
    # Mass of each of many small bins of probability; rows reach from one bin to another.
    first = np.minimum((low * _BINS).astype(int), _BINS - 1)
    last = np.where(exact, first, np.minimum((high * _BINS).astype(int), _BINS - 1))
    known = np.bincount(first[exact], minlength=_BINS).astype(float)
    mass = np.full(_BINS, 1 / _BINS)
    spread = ~exact
    for _ in range(_STEPS if spread.any() else 1):
        total = known.copy()
        if spread.any():
            reached = np.concatenate([[0.0], np.cumsum(mass)])
            between = np.maximum(reached[last[spread] + 1] - reached[first[spread]], 1e-9)
            # Each such row adds 1 / between to the bins it reaches, in proportion to their mass.
            change = np.bincount(first[spread], 1 / between, _BINS + 1)
            change -= np.bincount(last[spread] + 1, 1 / between, _BINS + 1)
            total += mass * np.cumsum(change)[:_BINS]
        updated = total / total.sum()
        still = np.abs(updated - mass).max() < 1e-9
        mass = updated
        if still:
            break
    reached = np.concatenate([[0.0], np.cumsum(mass)])
    return grid, np.interp(grid, np.linspace(0, 1, _BINS + 1), reached)
