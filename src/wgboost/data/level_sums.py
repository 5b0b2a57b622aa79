"""Sums of directions over rows, from which the effects of levels are computed."""

from __future__ import annotations

import numpy as np

from wgboost.typing import Array, Directions

__all__ = ["row_sums", "safe_ratio"]


def row_sums(
    direction: Directions, curvature: Directions | None, weight: Array | None
) -> tuple[Array, Array, Array]:
    """Return weights (n,), weighted directions (n, d) and weighted curvatures (n, d) of rows.

    Directions and curvatures (n, m, d) are averaged over particles. Curvatures are 1 if None.
    """
    w = np.ones(len(direction)) if weight is None else weight.astype(np.float64)
    g = w[:, None] * direction.mean(axis=1, dtype=np.float64)
    c = np.repeat(w[:, None], g.shape[1], axis=1)
    if curvature is not None:
        c *= curvature.mean(axis=1, dtype=np.float64)
    return w, g, c


def safe_ratio(a: Array, b: Array) -> Array:
    """Return a / b, and 0 where b is not positive."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
