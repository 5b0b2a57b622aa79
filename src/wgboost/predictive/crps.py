"""The continuous ranked probability score of each row of a mixture.

It is the integral over x of (cdf(x) - 1{y <= x})^2, and also E|Y - y| - E|Y - Y'| / 2 for two
independent draws Y, Y' of the distribution. y is in the user's units, and so is the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from wgboost.predictive.blocks import blocks
from wgboost.predictive.count_crps import count_crps
from wgboost.predictive.quadrature import integrate, range_of
from wgboost.predictive.shared_crps import shared_crps
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.predictive.weights import mix
from wgboost.responses import Cauchy, Laplace, Normal, Units
from wgboost.responses.counts import Count
from wgboost.responses.zero_inflated import ZeroInflated
from wgboost.typing import Array

__all__ = ["cauchy_crps", "laplace_crps", "mixture_crps", "normal_crps", "numeric_crps"]


def _mean_distance(shift: Array, scale: Array) -> Array:
    """Return the mean of abs(Z) for Z ~ N(shift, scale)."""
    ratio = shift / scale
    with np.errstate(over="ignore"):
        density = np.exp(-0.5 * ratio * ratio) / math.sqrt(2 * math.pi)
    distance: Array = shift * special.erf(ratio / math.sqrt(2)) + 2 * scale * density
    return distance


def normal_crps(dist: WeightedParticles, y: Array) -> Array:
    """Return E|Y - y| - E|Y - Y'| / 2 of mixtures of normals, (n,)."""

    def parts(theta: Array) -> tuple[Array, Array]:
        return theta[..., 0], np.sqrt(dist.response.var(theta))

    def pairs(mean: Array, scale: Array, other: Array, width: Array) -> Array:
        return _mean_distance(mean - other, np.hypot(scale, width))

    return _by_pairs(dist, y, parts, _mean_distance, pairs)


def laplace_crps(dist: WeightedParticles, y: Array) -> Array:
    """Return E|Y - y| - E|Y - Y'| / 2 of mixtures of Laplace distributions, (n,)."""

    def parts(theta: Array) -> tuple[Array, Array]:
        return theta[..., 0], np.sqrt(dist.response.var(theta) / 2)

    def distance(shift: Array, scale: Array) -> Array:
        far: Array = np.abs(shift) + scale * np.exp(-np.abs(shift) / scale)
        return far

    def pairs(mean: Array, scale: Array, other: Array, width: Array) -> Array:
        gap, middle = np.abs(mean - other), 0.5 * (scale + width)
        close = np.abs(scale - width) < 1e-4 * middle
        split = np.where(close, 1, scale * scale - width * width)
        cubes = scale**3 * np.exp(-gap / scale) - width**3 * np.exp(-gap / width)
        limit = (1.5 * middle + 0.5 * gap) * np.exp(-gap / middle)
        total: Array = gap + np.where(close, limit, cubes / split)
        return total

    return _by_pairs(dist, y, parts, distance, pairs)


def cauchy_crps(dist: WeightedParticles, y: Array) -> Array:
    """Return the score of mixtures of Cauchy distributions, (n,).

    E|Y - y| and E|Y - Y'| are infinite. If they are cut off at a bound, the part that grows with
    the bound is a multiple of the scales that cancels in E|Y - y| - E|Y - Y'| / 2.
    """

    def parts(theta: Array) -> tuple[Array, Array]:
        return theta[..., 0], dist.response.natural(theta, Units())["scale"]

    def distance(shift: Array, scale: Array) -> Array:
        far: Array = shift * np.arctan2(shift, scale) - scale * np.log(np.hypot(shift, scale))
        return 2 / math.pi * far

    def pairs(mean: Array, scale: Array, other: Array, width: Array) -> Array:
        return distance(mean - other, scale + width)

    return _by_pairs(dist, y, parts, distance, pairs)


def _by_pairs(
    dist: WeightedParticles,
    y: Array,
    parts: Callable[[Array], tuple[Array, Array]],
    distance: Callable[[Array, Array], Array],
    pairs: Callable[[Array, Array, Array, Array], Array],
) -> Array:
    """Return E|Y - y| - E|Y - Y'| / 2 from closed forms for one component and for two."""
    n, m, _ = dist.particles.shape
    standard, scores = dist.units.standardise(y), np.empty(n)
    for rows, _ in blocks(n, 1, m * m):
        weights = dist.weights_of(rows)
        mean, scale = parts(dist.theta(rows))
        to_y = mix(distance(mean - standard[rows, None], scale), weights)
        both = pairs(mean[:, :, None], scale[:, :, None], mean[:, None, :], scale[:, None, :])
        each = mix(both, None if weights is None else weights[:, None])
        scores[rows] = to_y - 0.5 * mix(each, weights)
    return scores * dist.units.scale


def mixture_crps(dist: WeightedParticles, y: Array) -> Array:
    """Return the score of each row, (n,), by the fastest method for its response."""
    response = dist.response
    if isinstance(response, Normal):
        return normal_crps(dist, y)
    if isinstance(response, Laplace):
        return laplace_crps(dist, y)
    if isinstance(response, Cauchy):
        return cauchy_crps(dist, y)
    if response.may_be_infinite:
        infinite = ~np.isfinite(range_of(dist)).all(axis=0)
        if infinite.any():  # every y is infinitely far from some of the mass
            scores = np.full(len(dist), np.inf)
            if not infinite.all():
                scores[~infinite] = mixture_crps(dist[~infinite], np.asarray(y)[~infinite])
            return scores
    standard, scale = dist.units.standardise(y), dist.units.scale
    if response.discrete:
        family = response.part if isinstance(response, ZeroInflated) else response
        if not isinstance(family, Count) or not family.recursive:
            return numeric_crps(dist, y)
        scores, bad = count_crps(dist, standard)
    else:
        scores, good = shared_crps(dist, standard)
        bad = ~good
    scores = scores * scale
    if bad.any():
        scores[bad] = numeric_crps(dist[bad], np.asarray(y)[bad])
    return scores


def numeric_crps(dist: WeightedParticles, y: Array) -> Array:
    """Return the integral of (cdf - 1{y <= x})^2 by quadrature, (n,)."""
    standard = dist.units.standardise(y)

    def integrand(part: WeightedParticles, x: Array, rows: slice) -> Array:
        below = x < standard[rows, None]
        cdf, sf = (part.over_grid(side, x) for side in (part.response.cdf, part.response.sf))
        gap: Array = np.square(np.where(below, cdf, sf))
        return gap

    low, high = range_of(dist)
    if dist.response.discrete:
        high = high + 1  # the last whole number is the step up to the next
    # The cdf is 0 or 1 beyond the range.
    outside = np.maximum(standard - high, 0) + np.maximum(low - standard, 0)
    scores: Array = (integrate(dist, integrand, kink=standard) + outside) * dist.units.scale
    return scores
