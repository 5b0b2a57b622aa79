"""Tails of mixtures of nearly normal counts, of which few components matter.

Large Poisson counts vary little, so that most components of a mixture are entirely on one side of
y. A normal distribution tells which ones, and only the others need special functions.
"""

from __future__ import annotations

import numpy as np

from wgboost.predictive import Mixture
from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.weights import mix
from wgboost.responses.poisson import Poisson
from wgboost.typing import Array

__all__ = ["mixture_tail"]

_LEAST_MEAN = 5e3  # below this, normal tails differ too much from those of Poisson counts
_CERTAIN = 12.0  # deviations; the remaining tail is below 1e-25
# The log of a tail z deviations out is -z^2 / 2 times a number within these bounds.
_BOUNDS = (0.8, 1.2)
_MARGIN = 50.0  # in logs


def mixture_tail(dist: Mixture, y: Array, *, upper: bool) -> Array:
    """Return the sf, or the cdf, at whole numbers y (n,) >= 0; equal to 1e-15, relative."""
    response = dist.response
    if not isinstance(response, Poisson):
        return (dist.sf if upper else dist.cdf)(y)
    tail = np.empty(len(y))
    for rows in row_blocks(len(y), dist.particles.shape[1]):
        tail[rows] = _tail(response, dist.theta(rows), dist.weights_of(rows), y[rows], upper)
    return tail


def _tail(response: Poisson, theta: Array, weights: Array | None, y: Array, upper: bool) -> Array:
    side = response.sf if upper else response.cdf
    mean = response.mean(theta)  # (r, m)
    if mean.min(initial=np.inf) < _LEAST_MEAN:
        return mix(side(y[:, None], theta), weights)
    z = (y[:, None] + 0.5 - mean) / np.sqrt(mean)
    z = -z if upper else z
    square = np.square(np.minimum(z, 0))  # minus twice the log of the tail
    nearest = square.min(axis=1, keepdims=True)
    known = z > _CERTAIN
    each = known.astype(np.float64)
    some = ~known & (_BOUNDS[0] * square < _BOUNDS[1] * nearest + 2 * _MARGIN)
    row, _ = np.nonzero(some)
    each[some] = side(y[row], theta[some])
    return mix(each, weights)
