"""Checks of the arguments of metrics, and the weighted mean over rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.responses.censoring import check_noise, is_censored
from wgboost.responses.observations import Observations
from wgboost.typing import Array
from wgboost.validation import check_number, check_weight

__all__ = [
    "add_noise",
    "check_bounds",
    "check_confidence",
    "check_exact_y",
    "check_scores",
    "check_y_for",
    "row_weights",
    "weighted_average",
]


def check_y_for(dist: Mixture, y: Any) -> Array:
    """Return y as the response takes it: labels as codes, `censored` y unchanged."""
    if not isinstance(dist, Mixture):
        raise TypeError(f"dist={dist!r} must be a distribution from predict_dist")
    values = dist.response.check(dist.encode_labels(y))
    if len(values) != len(dist):
        raise ValueError(f"y has {len(values)} rows, the distribution {len(dist)}")
    return values


def check_exact_y(dist: Mixture, y: Any) -> Array:
    """Return y as numbers in float64; raise ValueError where only bounds are known."""
    if isinstance(y, Observations):  # measured with error
        y = y.value
    values = check_y_for(dist, y)
    if is_censored(values):
        raise ValueError(
            "this metric needs exact values of y; for censored y use nll, concordance or "
            "calibration_curve"
        )
    return values


def add_noise(y: Any, y_std: Any) -> Observations:
    """Return observations with measurement errors of this standard deviation."""
    if isinstance(y, Observations):
        raise ValueError("y already has bounds or errors; leave y_std out")
    return Observations.of(y, noise=check_noise(y_std, y))


def check_bounds(dist: Mixture, y: Any) -> Observations:
    """Return the bounds of y, which are equal where it is known."""
    values = check_y_for(dist, y)
    return Observations.of(values if is_censored(values) else np.asarray(values))


def check_confidence(confidence: Any) -> float:
    """Return the probability of an interval, a number in [0, 1]."""
    return check_number("confidence", confidence, low=0, high=1)


def check_scores(name: str, scores: Any) -> Array:
    """Return scores (n,) in float64; infinite ones are allowed, NaN is not."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} has shape {values.shape}; one score for each row is needed")
    if np.isnan(values).any():
        raise ValueError(f"{name} is nan at row {int(np.argmax(np.isnan(values)))}")
    return values


def row_weights(sample_weight: Any, n: int) -> Array:
    """Return weights (n,) in float64, all 1 by default."""
    weight = check_weight(sample_weight, n)
    return np.ones(n) if weight is None else weight.astype(np.float64)


def weighted_average(scores: Array, sample_weight: Any) -> float:
    """Return the mean of scores (n,); rows of weight zero are left out, even if infinite."""
    weight = check_weight(sample_weight, len(scores))
    if weight is None:
        return float(np.mean(scores))
    weight, used = weight.astype(np.float64), weight > 0
    return float(np.average(scores[used], weights=weight[used]))
