"""Random draws of a round: rows, features, and projections of the outputs."""

from __future__ import annotations

import math

import numpy as np

from wgboost.typing import Array, RowIndices

__all__ = [
    "PROJECTIONS",
    "draw_features",
    "draw_projection",
    "draw_rows",
    "n_features_drawn",
    "n_rows_drawn",
]

PROJECTIONS = ("all", "sum", "particle_mean")


def draw_rows(
    n: int, weight: Array | None, share: float, rng: np.random.Generator
) -> RowIndices | None:
    """Return the indices of drawn rows, ascending, without rows of weight zero; None means all."""
    counted = np.arange(n) if weight is None else np.flatnonzero(weight)
    if share < 1.0:
        size = n_rows_drawn(counted.size, share)
        chosen = rng.choice(counted.size, size=size, replace=False, shuffle=False)
        return counted[np.sort(chosen)].astype(np.uint32)
    return None if counted.size == n else counted.astype(np.uint32)


def n_rows_drawn(size: int, share: float) -> int:
    """Return the number of rows that are drawn: at least one, if there are any."""
    return min(size, max(1, round(share * size)))


def draw_features(p: int, share: float, rng: np.random.Generator) -> Array:
    """Return the indices of drawn features, ascending."""
    if share == 1.0:
        return np.arange(p, dtype=np.int32)
    return np.sort(rng.choice(p, size=n_features_drawn(p, share), replace=False)).astype(np.int32)


def n_features_drawn(p: int, share: float) -> int:
    """Return the number of features that are drawn, rounded up."""
    return min(p, math.ceil(share * p - 1e-9))  # 0.7 * 10 may exceed 7 by rounding


def draw_projection(
    split_on: str | int, outputs: int, rng: np.random.Generator
) -> tuple[int, Array | None]:
    """Return the index of the projection in `PROJECTIONS`, and a random matrix (outputs, k).

    A random projection has the index after the last, the others have no matrix.
    """
    if isinstance(split_on, str):
        return PROJECTIONS.index(split_on), None
    k = int(split_on)
    if k >= outputs:  # no fewer than all outputs
        return PROJECTIONS.index("all"), None
    matrix = rng.standard_normal((outputs, k)) / np.sqrt(k)
    return len(PROJECTIONS), matrix.astype(np.float32)
