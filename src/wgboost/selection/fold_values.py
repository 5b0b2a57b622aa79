"""Metrics on folds at a number of rounds that the fold did not choose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgboost.typing import Array

__all__ = ["cross_validated_rounds", "cross_validated_values"]


def cross_validated_rounds(curves: Sequence[Array], weights: Sequence[float]) -> list[int]:
    """Return for each fold the number of rounds that is best on the other folds together.

    A single fold has the number that is best on itself.

    Parameters
    ----------
    curves : sequence of arrays
        Metric on each fold after 0, 1, 2, ... rounds of the model without it; smaller is better. A
        curve that early stopping ended goes on with its last value.
    weights : sequence of float
        Total weight of the rows of each fold.

    Examples
    --------
    >>> cross_validated_rounds([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0]], [1.0, 1.0])
    [2, 1]
    """
    length = max(len(curve) for curve in curves)
    whole = np.stack([np.pad(c, (0, length - len(c)), mode="edge") for c in map(_finite, curves)])
    weighted = whole * np.asarray(weights, dtype=np.float64)[:, None]
    if len(curves) == 1:
        return [int(weighted[0].argmin())]
    return [int(np.delete(weighted, k, axis=0).sum(axis=0).argmin()) for k in range(len(curves))]


def cross_validated_values(curves: Sequence[Array], weights: Sequence[float]) -> list[float]:
    """Return the metric on each fold at the number of rounds that is best on the other folds.

    A fold whose model was stopped earlier has its last value.

    Examples
    --------
    >>> cross_validated_values([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0]], [1.0, 1.0])
    [2.0, 2.0]
    """
    found = cross_validated_rounds(curves, weights)
    return [float(curve[min(r, len(curve) - 1)]) for curve, r in zip(curves, found, strict=True)]


def _finite(curve: Array) -> Array:
    """Return a curve with infinity in place of values that are not finite."""
    values = np.asarray(curve, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.inf)
