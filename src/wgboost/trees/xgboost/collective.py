"""Sums over machines.

The rows of a fit may be spread over workers that talk through `xgboost.collective`. What
the engine computes from rows is a sum over them, made common here. On one machine there is nothing
to do.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from wgboost.trees.xgboost.library import library
from wgboost.typing import Array

__all__ = ["common", "total", "weighted_mean"]

_T = TypeVar("_T")


def total(values: Array) -> Array:
    """Return the sum of float64 arrays, one of the same shape from every worker."""
    collective = library().collective
    if not collective.is_distributed():
        return values
    flat = np.ascontiguousarray(values, dtype=np.float64).ravel()
    summed: Array = collective.allreduce(flat, collective.Op.SUM)
    return summed.reshape(values.shape)


def common(value: _T) -> _T:
    """Return what the first worker has."""
    collective = library().collective
    if not collective.is_distributed():
        return value
    shared: _T = collective.broadcast(value, 0)
    return shared


def weighted_mean(value: float, weight: float) -> float:
    """Return the mean of one number from every worker, each by the weight of its rows.

    A worker without rows has weight zero, and its number may be anything.
    """
    mine = [value * weight if weight else 0.0, weight]
    summed, mass = total(np.array(mine, dtype=np.float64))
    return float(summed / mass) if mass else float("nan")
