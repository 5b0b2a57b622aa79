"""Central intervals: how often they hold y, and how wide they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.metrics.checks import check_confidence, check_exact_y, weighted_average
from wgboost.predictive import Mixture

__all__ = ["coverage", "coverage_gap", "interval_score", "interval_width"]


def coverage(dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None) -> float:
    """Return the share of rows with y in the central interval; best near the confidence."""
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
    """Return the mean width of the central interval; y plays no role."""
    del y
    low, high = dist.interval(check_confidence(confidence))
    return weighted_average(high - low, sample_weight)


def interval_score(
    dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    """Return the interval score (Winkler's), in units of y: narrow is good, a miss is not.

    The width of the central interval, plus 2 / (1 - confidence) times the distance of y from it.
    Nobody does better than with the right interval.
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("the interval score needs ordered outcomes; for classes use brier or nll")
    if check_confidence(confidence) == 1:
        raise ValueError("confidence=1 leaves nothing outside to weigh a miss by; give less")
    low, high = dist.interval(confidence)
    outside = np.maximum(low - values, 0) + np.maximum(values - high, 0)
    return weighted_average(high - low + 2 / (1 - confidence) * outside, sample_weight)
