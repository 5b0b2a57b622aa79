"""Averages over weighted particles on the last axis. None means equal weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["check_weights", "log_mix", "mix"]


def check_weights(weights: Any, shape: tuple[int, ...]) -> Array | None:
    """Return weights (n, m) in float64 that sum to 1 in each row; None stays None."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"weights have dtype {given.dtype}; numbers are needed")
    if given.shape != shape:
        raise ValueError(
            f"weights have shape {given.shape}; {shape} is needed: one per row and particle"
        )
    values = given.astype(np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row, particle = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"weight {values[row, particle]} of row {row}, particle {particle} must be >= 0"
        )
    # Divide by the largest first: the sum of a row must neither overflow nor underflow.
    largest = values.max(axis=1, keepdims=True)
    if not (largest > 0).all():
        row = int(np.argmin(largest))
        raise ValueError(f"all weights of row {row} are zero; give at least one > 0")
    values /= largest
    values /= values.sum(axis=1, keepdims=True)
    return values


def mix(values: Array, weights: Array | None) -> Array:
    """Return the weighted mean of values (..., m) over particles."""
    if weights is None:
        plain: Array = values.mean(axis=-1)
        return plain
    with np.errstate(invalid="ignore"):
        mean: Array = (values * weights).sum(axis=-1)
    if np.isnan(mean).any():  # particles of weight zero may be infinite
        mean = (np.where(weights > 0, values, 0) * weights).sum(axis=-1)
    return mean


def log_mix(logs: Array, weights: Array | None) -> Array:
    """Return the log of the weighted mean of exp(logs) over particles, without underflow."""
    if weights is not None:
        logs = np.where(weights > 0, logs, -np.inf)
    largest = logs.max(axis=-1, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    mean = mix(np.exp(logs - largest), weights)
    if weights is not None:
        mean = mean / weights.sum(axis=-1)  # 1 up to rounding: the log of a mean of ones is then 0
    with np.errstate(divide="ignore"):
        mixed: Array = np.log(mean) + largest[..., 0]
    return mixed
