"""The continuous ranked probability score of each row of a mixture.

It is the integral over x of (cdf(x) - 1{y <= x})^2, and also E|Y - y| - E|Y - Y'| / 2 for two
independent draws Y, Y' of the distribution. y is in the user's units, and so is the score.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wgboost.predictive.layout import blocks
from wgboost.predictive.quadrature import integrate, range_of
from wgboost.predictive.rows import ParticleRows
from wgboost.predictive.weights import mix
from wgboost.typing import Array

__all__ = ["normal_crps", "numeric_crps"]


def _mean_distance(shift: Array, scale: Array) -> Array:
    """Return the mean of abs(Z) for Z ~ N(shift, scale)."""
    ratio = shift / scale
    density = np.exp(-0.5 * ratio * ratio) / math.sqrt(2 * math.pi)
    distance: Array = shift * special.erf(ratio / math.sqrt(2)) + 2 * scale * density
    return distance


def normal_crps(dist: ParticleRows, y: Array) -> Array:
    """Return E|Y - y| - E|Y - Y'| / 2 of mixtures of normals, (n,)."""
    n, m, _ = dist.particles.shape
    standard, scores = dist.units.standardise(y), np.empty(n)
    for rows, _ in blocks(n, 1, m * m):
        theta, weights = dist.theta(rows), dist.weights_of(rows)
        mean, scale = theta[..., 0], np.sqrt(dist.response.var(theta))
        to_y = mix(_mean_distance(mean - standard[rows, None], scale), weights)
        apart = mean[:, :, None] - mean[:, None, :]
        pairs = _mean_distance(apart, np.hypot(scale[:, :, None], scale[:, None, :]))
        each = mix(pairs, None if weights is None else weights[:, None])
        scores[rows] = to_y - 0.5 * mix(each, weights)
    return scores * dist.units.scale


def numeric_crps(dist: ParticleRows, y: Array) -> Array:
    """Return the integral of (cdf - 1{y <= x})^2 by quadrature, (n,)."""
    standard = dist.units.standardise(y)

    def integrand(part: ParticleRows, x: Array, rows: slice) -> Array:
        below = x < standard[rows, None]
        cdf, sf = (part.over_grid(side, x) for side in (part.response.cdf, part.response.sf))
        gap: Array = np.square(np.where(below, cdf, sf))
        return gap

    low, high = range_of(dist)
    if dist.response.discrete:
        high = high + 1  # the last whole number stands for the step up to the next
    # Beyond the range the cdf is 0 or 1, and only y can be there.
    outside = np.maximum(standard - high, 0) + np.maximum(low - standard, 0)
    scores: Array = (integrate(dist, integrand, kink=standard) + outside) * dist.units.scale
    return scores
