"""The concordance index, also for censored y."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.metrics.checks import check_bounds, row_weights
from wgboost.predictive import Mixture

__all__ = ["concordance"]


def concordance(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the concordance index: how often the larger prediction belongs to the larger y.

    The mean is over all pairs of rows whose order is known: the upper bound of one y is below the
    lower bound of the other, or equal to it if not both are known exactly. An event at the time at
    which another row is censored came first (Harrell). Predictions are medians; equal ones count
    one half.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations, which may be `censored`.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows. A pair has the product of the weights of its rows.

    Returns
    -------
    float
        1 is perfect, 0.5 is chance.

    Raises
    ------
    ValueError
        If no two rows have a known order.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> metrics.concordance(dist, [1.0, 3.0])
    1.0
    """
    bounds, median = check_bounds(dist, y), dist.median()
    order = np.argsort(median, kind="stable")
    rank = np.unique(median, return_inverse=True)[1][order]
    lower, upper = bounds.lower[order], bounds.upper[order]
    exact = bounds.exact[order]
    weight = row_weights(sample_weight, len(lower))[order]
    agreeing, pairs = 0.0, 0.0
    for start in range(0, len(lower), 512):  # a block of rows against all of them
        block = slice(start, start + 512)
        meeting = (upper[block, None] == lower[None, :]) & ~(exact[block, None] & exact[None, :])
        known = (upper[block, None] < lower[None, :]) | meeting
        earlier = known * weight[block, None] * weight[None, :]
        ahead = np.sign(rank[None, :] - rank[block, None])
        agreeing += float((earlier * (1 + ahead)).sum()) / 2
        pairs += float(earlier.sum())
    if pairs == 0:
        raise ValueError("no two rows have a known order; concordance needs one such pair")
    return agreeing / pairs
