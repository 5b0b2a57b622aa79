"""Averages over weighted particles, which lie on the last axis. No weights mean equal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["check_weights", "log_mix", "mix"]


def check_weights(weights: Any, shape: tuple[int, ...]) -> Array | None:
    """Return weights (n, m) in float64, each row's sum 1; None stays None."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"weights have dtype {given.dtype}; numbers are needed")
    if given.shape != shape:
        raise ValueError(
            f"weights have shape {given.shape}; {shape} is needed: one per row and particle"
        )
    wide = given.astype(np.float64)
    bad = ~(np.isfinite(wide) & (wide >= 0))
    if bad.any():
        row, particle = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"weight {wide[row, particle]} of row {row}, particle {particle} must be >= 0"
        )
    # By the largest first: the sum of a row must neither overflow nor vanish.
    top = wide.max(axis=1, keepdims=True)
    if not (top > 0).all():
        raise ValueError(f"all weights of row {int(np.argmin(top))} are zero; one has to count")
    wide /= top
    wide /= wide.sum(axis=1, keepdims=True)
    return wide


def mix(values: Array, weights: Array | None) -> Array:
    """Return the weighted mean of values (..., m) over particles."""
    if weights is None:
        plain: Array = values.mean(axis=-1)
        return plain
    with np.errstate(invalid="ignore"):
        mean: Array = (values * weights).sum(axis=-1)
    if np.isnan(mean).any():  # a particle that counts for nothing may be infinite
        mean = (np.where(weights > 0, values, 0) * weights).sum(axis=-1)
    return mean


def log_mix(logs: Array, weights: Array | None) -> Array:
    """Return the log of the weighted mean of exp(logs) over particles, without underflow."""
    if weights is not None:
        logs = np.where(weights > 0, logs, -np.inf)
    top = logs.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    mean = mix(np.exp(logs - top), weights)
    if weights is not None:
        mean = mean / weights.sum(axis=-1)  # 1 but for rounding: the log of a mean of ones is 0
    with np.errstate(divide="ignore"):
        mixed: Array = np.log(mean) + top[..., 0]
    return mixed
