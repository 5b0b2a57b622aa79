"""Signal of the levels of categorical features."""

from __future__ import annotations

import numpy as np

from wgboost.data.binning import Binned
from wgboost.data.level_sums import row_sums, safe_ratio
from wgboost.typing import Array, Directions

__all__ = ["level_signal"]


def level_signal(
    binned: Binned,
    categorical: Array,
    direction: Directions,
    curvature: Directions | None = None,
    weight: Array | None = None,
) -> Array:
    """Return the variance (p,) of the levels' effects in units of the variance of a row.

    The directions (n, m, d) are averaged over particles. For each of the d outputs, S is the sum of
    squares between the K levels of a feature, divided by the variance of the rows. Levels without
    information have an expected S of K - 1; this and a standard deviation of S are subtracted. What
    is left of S, summed over outputs, relative to what was subtracted, is the ratio of the variance
    of the effects to that of the mean of the n / K rows of a level.

    Parameters
    ----------
    binned : Binned
        Codes (n, p) of the cuts of training.
    categorical : array of shape (p,)
        Whether a feature is categorical. Other features have a signal of 0.
    direction : array of shape (n, m, d)
        Directions of the rows, float32.
    curvature : array of shape (n, m, d) or None
        Curvatures to divide by.
    weight : array of shape (n,) or None
        Sample weights.

    Returns
    -------
    array of shape (p,)
        Signal of each feature, float32.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.binning import Cuts
    >>> from wgboost.trees.levels import level_signal
    >>> X = np.repeat([0.0, 1.0], 20)[:, None]
    >>> cuts = Cuts.find(X, n_levels=np.array([2]))
    >>> level_signal(cuts.apply(X), cuts.categorical, X[:, :, None] + 0.1) > 0
    array([ True])
    """
    w, g, c = row_sums(direction, curvature, weight)
    signal, n = np.zeros(len(categorical), dtype=np.float32), w.sum()
    common = safe_ratio(g.sum(axis=0) ** 2, c.sum(axis=0))
    variance = (safe_ratio(g**2, c).sum(axis=0) - common) / max(n - 1, 1.0)
    for f in np.flatnonzero(categorical):
        code, bins = binned.codes[:, f], int(binned.n_bins[f]) + 1
        G, C = (
            np.stack([np.bincount(code, lane, minlength=bins) for lane in lanes.T], axis=1)
            for lanes in (g, c)
        )
        levels = np.count_nonzero(np.bincount(code, w, minlength=bins))
        between = safe_ratio(safe_ratio(G**2, C).sum(axis=0) - common, variance)
        spare = levels - 1
        chance = spare + np.sqrt(2 * spare * (1 + spare / max(n - 1, 1.0)))
        left = np.maximum(between - chance, 0.0).sum()
        explained = np.minimum(between, chance).sum()
        if explained > 0:
            signal[f] = left / explained * levels / n
    return signal
