"""Calibration: predicted probabilities compared with observed frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.metrics.checks import check_bounds, check_exact_y, row_weights
from wgboost.predictive import Mixture
from wgboost.predictive.blocks import row_blocks
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["calibration_curve", "calibration_error", "pit", "pit_bounds", "reliability_curve"]

_BINS = 200
_STEPS = 2000
_NUMBERS = 2**22  # size of a temporary array


def pit(dist: Mixture, y: Any, random_state: Any = None) -> Array:
    """Compute the probability integral transform, cdf(y), of each row.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations.
    random_state : int, Generator or None, default=None
        For a discrete response the value is drawn uniformly between cdf(y - 1) and cdf(y).

    Returns
    -------
    ndarray of shape (n,)
        Uniform on [0, 1] if the distributions are right.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> metrics.pit(dist, [0.0, 3.0]).round(4)
    array([0.5   , 0.9772])
    """
    values = check_exact_y(dist, y)
    below = dist.cdf(values)
    if not dist.response.discrete:
        return below
    before = dist.cdf(values - 1)
    share = np.random.default_rng(random_state).random(len(dist))
    between: Array = before + share * (below - before)
    return between


def pit_bounds(dist: Mixture, y: Any) -> tuple[Array, Array, Array]:
    """Return the cdf at both bounds of each y, and whether y is known exactly, (n,) each.

    The two differ for a discrete response and where y is `censored`. For truncated rows they are
    probabilities given that the row can be observed.
    """
    if dist.response.nominal:
        raise ValueError("classes have no quantiles; see reliability_curve")
    bounds = check_bounds(dist, y)

    def before(value: Array) -> Array:
        return dist.cdf(np.ceil(value) - 1 if dist.response.discrete else value)

    low, high = before(bounds.lower), dist.cdf(bounds.upper)  # 0 and 1 at the infinities
    if bounds.above is not None and bounds.below is not None:
        start = before(bounds.above)
        visible = np.maximum(dist.cdf(bounds.below) - start, 1e-300)
        low, high = (np.clip((end - start) / visible, 0, 1) for end in (low, high))
    return low, high, bounds.exact


def _share_below(low: Array, high: Array, weight: Array, levels: Array) -> Array:
    """Return the weighted share of rows below each level, (g,), uniform between the bounds."""
    total, width = np.zeros(len(levels)), high - low
    step = width <= 0
    for rows in row_blocks(len(low), max(1, len(levels)), _NUMBERS):
        ramp = (levels[:, None] - low[rows]) / np.where(step[rows], 1, width[rows])
        below = np.where(step[rows], levels[:, None] >= low[rows], ramp.clip(0, 1))
        total += below @ weight[rows]
    share: Array = total / weight.sum()
    return share


def calibration_curve(
    dist: Mixture, y: Any, levels: Any = None, *, sample_weight: Any = None
) -> tuple[Array, Array]:
    """Compute the share of rows below the predicted quantile at each probability.

    The shares equal the probabilities if the distributions are right. A discrete y counts in part
    where a level falls within the probability of y itself. A row whose y lies between bounds is
    spread over the probabilities between them as the other rows suggest (the self-consistent
    estimate, which is Kaplan and Meier's for y censored on the right). That estimate has 200 equal
    steps and is linear in between; without bounds the curve is exact.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations, which may be `censored`.
    levels : array-like of shape (g,), optional
        Probabilities in [0, 1]; 0, 0.05, ..., 1 by default.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    levels : ndarray of shape (g,)
        The probabilities.
    share : ndarray of shape (g,)
        The share of rows below the quantile at each probability.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> level, share = metrics.calibration_curve(dist, [0.0, 3.0], levels=[0.2, 0.6, 1.0])
    >>> share
    array([0. , 0.5, 1. ])
    """
    grid = np.linspace(0, 1, 21) if levels is None else np.asarray(levels, dtype=np.float64)
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all():
        raise ValueError(f"levels={levels!r} must be a list of probabilities between 0 and 1")
    low, high, exact = pit_bounds(dist, y)
    weight = row_weights(sample_weight, len(dist))
    if exact.all():
        return grid, _share_below(low, high, weight, grid)
    # The mass of each of many small bins. A censored row covers several bins.
    edges = np.linspace(0, 1, _BINS + 1)
    known = np.zeros(_BINS)
    if weight[exact].any():
        reached = _share_below(low[exact], high[exact], weight[exact], edges)
        known = np.diff(reached, prepend=0)[1:] * weight[exact].sum()
        known[0] += reached[0] * weight[exact].sum()
    first, last = (np.minimum((e[~exact] * _BINS).astype(int), _BINS - 1) for e in (low, high))
    mass = _self_consistent(known, first, last, weight[~exact])
    return grid, np.interp(grid, edges, np.concatenate([[0.0], np.cumsum(mass)]))


def _self_consistent(known: Array, first: Array, last: Array, weight: Array) -> Array:
    """Return the self-consistent mass of bins; rows with bounds cover bins `first` to `last`."""
    mass = np.full(_BINS, 1 / _BINS)
    for _ in range(_STEPS):
        reached = np.concatenate([[0.0], np.cumsum(mass)])
        between = np.maximum(reached[last + 1] - reached[first], 1e-9)
        # Each such row adds 1 / between to the bins it covers, in proportion to their mass.
        change = np.bincount(first, weight / between, _BINS + 1)
        change -= np.bincount(last + 1, weight / between, _BINS + 1)
        total = known + mass * np.cumsum(change)[:_BINS]
        updated: Array = total / total.sum()
        converged = np.abs(updated - mass).max() < 1e-9
        mass = updated
        if converged:
            break
    return mass


def reliability_curve(
    dist: Mixture, y: Any, *, code: int | None = None, n_bins: int = 10, sample_weight: Any = None
) -> tuple[Array, Array, Array]:
    """Compute predicted and actual shares of a class, by bins of the predicted probability.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions of classes.
    y : array-like of shape (n,)
        The labels, or codes if `dist` has no labels.
    code : int, optional
        The code of the class. By default the second of two classes, or the most probable class of
        each row if there are more.
    n_bins : int, default=10
        Number of bins of equal width.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    predicted : ndarray of shape (b,)
        The mean predicted probability in each bin that has rows.
    share : ndarray of shape (b,)
        The share of the class among the rows of the bin.
    weight : ndarray of shape (b,)
        The total weight of the rows of the bin.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> predicted, share, weight = metrics.reliability_curve(dist, [0, 1])
    >>> predicted.round(3), share, weight
    (array([0.119, 0.731]), array([0., 1.]), array([1., 1.]))
    """
    codes, shares = check_exact_y(dist, y).astype(int), dist.probabilities()
    check_integer("n_bins", n_bins, low=1)
    if code is None:
        chosen = np.ones(len(dist), dtype=int) if shares.shape[1] == 2 else shares.argmax(axis=1)
    else:
        code = check_integer("code", code, low=0, high=shares.shape[1] - 1)
        chosen = np.full(len(dist), code)
    predicted = shares[np.arange(len(dist)), chosen]
    weight = row_weights(sample_weight, len(dist))
    inside = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
    totals = [
        np.bincount(inside, weight * of, n_bins) for of in (1, predicted, chosen == codes)
    ]  # fmt: skip
    rows, sum_predicted, hits = (total[totals[0] > 0] for total in totals)
    return sum_predicted / rows, hits / rows, rows


def calibration_error(
    dist: Mixture, y: Any, *, n_bins: int = 10, sample_weight: Any = None
) -> float:
    """Compute the mean distance of predicted probabilities from frequencies.

    For numbers it is the mean over all levels in [0, 1] of the distance between `calibration_curve`
    and the level. For n rows and right distributions it is about 0.31 / sqrt(n) by chance. For
    classes it is the expected calibration error: the mean over rows of the distance in
    `reliability_curve`.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations, which may be `censored`, or classes.
    n_bins : int, default=10
        Number of bins for classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        0 is best, 1 is worst.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.calibration_error(dist, [0.0, 1.0]), 4)
    0.25
    """
    if dist.response.nominal:
        predicted, share, rows = reliability_curve(
            dist, y, n_bins=n_bins, sample_weight=sample_weight
        )
        return float(np.average(np.abs(predicted - share), weights=rows))
    middles = (np.arange(_BINS) + 0.5) / _BINS
    level, share = calibration_curve(dist, y, middles, sample_weight=sample_weight)
    return float(np.abs(share - level).mean())
