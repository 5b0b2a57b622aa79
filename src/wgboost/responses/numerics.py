"""Arithmetic that several responses share."""

from __future__ import annotations

import numpy as np

from wgboost.typing import Array

__all__ = ["clip_exponent", "coordinates", "log_positive", "safe_exp", "working_float"]


def working_float(values: Array) -> Array:
    """Return float32 values as they are, others in float64."""
    values = np.asarray(values)
    return values if values.dtype == np.float32 else values.astype(np.float64, copy=False)


def clip_exponent(exponent: Array, single: float = 30.0) -> Array:
    """Return an exponent such as a log scale, clipped to bounds far beyond plausible values.

    The bound of float32 is `single`; its default is that of the compiled core, scales 1e13 times
    smaller or larger than y. In float64 the square of the largest scale over the smallest is
    finite. A log scale beyond the bounds has a large finite score that brings it back.
    """
    exponent = working_float(exponent)
    limit = single if exponent.dtype == np.float32 else 170.0
    return np.minimum(np.maximum(exponent, -limit), limit)


def safe_exp(exponent: Array) -> Array:
    """Return exp of the clipped exponent."""
    return np.exp(clip_exponent(exponent))


def log_positive(y: Array) -> Array:
    """Return log y of y > 0, finite also where y is too small or too large for its precision."""
    y = working_float(y)
    limits = np.finfo(y.dtype)
    logs: Array = np.log(np.minimum(np.maximum(y, limits.tiny), limits.max))
    return logs


def coordinates(*parts: Array) -> Array:
    """Return the parts (...), of one shape, as coordinates (..., d)."""
    out = np.empty((*parts[0].shape, len(parts)), parts[0].dtype)
    for j, part in enumerate(parts):
        out[..., j] = part
    return out
