"""Small pieces of arithmetic that several responses share."""

from __future__ import annotations

import numpy as np

from wgboost.typing import Array

__all__ = ["safe_exp", "working_float"]


def working_float(values: Array) -> Array:
    """Return values in float32 if they are, else in float64."""
    values = np.asarray(values)
    return values if values.dtype == np.float32 else values.astype(np.float64, copy=False)


def safe_exp(exponent: Array) -> Array:
    """Return exp(exponent), held between bounds far outside any sensible scale.

    Neither the result nor its square overflows or vanishes: a log scale that wanders off gives
    a large score to come back by, not an infinity or a NaN.
    """
    exponent = working_float(exponent)
    # float32 as in the compiled core: 1e13 times smaller or larger than y.
    limit = 30.0 if exponent.dtype == np.float32 else 300.0
    grown: Array = np.exp(np.clip(exponent, -limit, limit))
    return grown
