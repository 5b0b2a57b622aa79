"""Metrics of central intervals: coverage and width."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.metrics.checks import check_confidence, check_exact_y, weighted_average
from wgboost.predictive import Mixture

__all__ = ["coverage", "coverage_gap", "interval_score", "interval_width"]


def coverage(dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None) -> float:
    """Compute the share of rows with y in the central interval.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations.
    confidence : float, default=0.9
        The probability of the central interval, between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        Best near the confidence.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> metrics.coverage(dist, [1.0, 3.0], confidence=0.9)
    0.5
    """
    values = check_exact_y(dist, y)
    low, high = dist.interval(check_confidence(confidence))
    return weighted_average((values >= low) & (values <= high), sample_weight)


def coverage_gap(
    dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    """Return the distance of the coverage from the confidence."""
    share = coverage(dist, y, confidence, sample_weight=sample_weight)
    return abs(share - check_confidence(confidence))


def interval_width(
    dist: Mixture, y: Any = None, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    """Compute the mean width of the central interval.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,), optional
        Ignored; all metrics have the same arguments.
    confidence : float, default=0.9
        The probability of the central interval, between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        In units of y; smaller is better at the same coverage.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.interval_width(dist), 4)
    3.2897
    """
    del y
    low, high = dist.interval(check_confidence(confidence))
    return weighted_average(high - low, sample_weight)


def interval_score(
    dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    """Compute the interval score, also called Winkler score.

    It is the width of the central interval plus 2 / (1 - confidence) times the distance of y from
    it. The right interval has the best expected score.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations.
    confidence : float, default=0.9
        The probability of the central interval, between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        In units of y; smaller is better.

    Raises
    ------
    ValueError
        If y are classes, or if the confidence is 1.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.interval_score(dist, [1.0, 3.0]), 4)
    6.8412
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("the interval score needs ordered outcomes; for classes use brier or nll")
    if check_confidence(confidence) == 1:
        raise ValueError("confidence=1 has an infinite penalty; give less, such as 0.99")
    low, high = dist.interval(confidence)
    outside = np.maximum(low - values, 0) + np.maximum(values - high, 0)
    return weighted_average(high - low + 2 / (1 - confidence) * outside, sample_weight)
