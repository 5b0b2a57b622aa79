"""How rare rows are among others, feature by feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["rarity"]

_BINS = 10  # of equal width
_INSIDE = 0.02, 0.98  # quantiles of a feature, between which bins are
_RANGE = 0.1, 10.0


def rarity(X: Any, n_levels: Array) -> Array:
    """Compute how much rarer each row is than it would be if rows were spread evenly.

    A feature is cut into ten bins of equal width, or has its categories. The rarity of a value is
    the number of rows in a bin, on average over bins with rows, over that in its own bin. That of a
    row is its largest over features.

    Parameters
    ----------
    X : array of shape (n, p)
        Features, with codes of categories.
    n_levels : array of shape (p,)
        Number of categories of each feature, 0 for numbers.

    Returns
    -------
    array of shape (n,)
        From 0.1 to 10; 1 if no feature varies.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.rarity import rarity
    >>> rarity(np.array([[0.0], [0.0], [0.0], [1.0]]), np.zeros(1, dtype=int)).round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    """
    largest = np.zeros(len(X))
    for f in range(X.shape[1]):
        codes = _codes(X[:, f].astype(np.float64), categorical=bool(n_levels[f]))
        _, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
        if len(counts) > 1:
            largest = np.maximum(largest, counts.mean() / counts[place])
    found: Array = np.clip(np.where(largest > 0, largest, 1.0), *_RANGE)
    return found


def _codes(x: Array, *, categorical: bool) -> Array:
    """Return the bin (n,) of each value; missing values have their own."""
    known = np.isfinite(x)
    if categorical or not known.any():
        return np.where(known, x, -1.0)
    low, high = np.quantile(x[known], _INSIDE)
    if not high > low:  # nearly all values are alike
        low, high = x[known].min(), x[known].max()
    with np.errstate(invalid="ignore", over="ignore"):
        place = (x / 2 - low / 2) / max(high / 2 - low / 2, np.finfo(float).tiny) * _BINS
    codes: Array = np.where(np.isnan(x), -1.0, np.clip(np.floor(place), 0, _BINS - 1))
    return codes
