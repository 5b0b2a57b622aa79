"""The energy score of each row of a mixture of multivariate normals.

It is E|Y - y| - E|Y - Y'| / 2 for two independent draws Y, Y' of the distribution, the CRPS for
several columns. Lengths are Euclidean, in units of each column.
"""

from __future__ import annotations

import math

import numpy as np

from wgboost.predictive.blocks import blocks
from wgboost.predictive.joint import JointMixture
from wgboost.predictive.weights import mix
from wgboost.typing import Array

__all__ = ["energy_scores", "mean_length"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_ANGLES = (_NODES + 1) * (math.pi / 4)
_SHARES = _WEIGHTS * (math.pi / 4) / np.square(np.sin(_ANGLES)) / math.sqrt(math.pi)
_SQUARES = np.square(np.tan(_ANGLES))


def mean_length(shift: Array, cov: Array) -> Array:
    """Return the mean of |Z| for Z ~ N(shift (..., q), cov (..., q, q)), (...).

    |Z| is the integral over u > 0 of (1 - exp(-u^2 |Z|^2)) / u^2 / sqrt(pi). Its mean has a closed
    form along the principal axes, where columns are independent, and is integrated by quadrature.
    """
    variance, axes = np.linalg.eigh(cov)
    variance = np.maximum(variance, 0)
    along = np.square(shift[..., None, :] @ axes)[..., 0, :]
    unit = np.sum(variance + along, axis=-1)  # the mean of |Z|^2
    scaled = np.where(unit > 0, unit, 1)[..., None]
    variance, along = variance / scaled, along / scaled
    log = np.zeros((*unit.shape, _ANGLES.size))
    for k in range(shift.shape[-1]):
        wider = 1 + 2 * _SQUARES * variance[..., k, None]
        log -= 0.5 * np.log(wider) + _SQUARES * along[..., k, None] / wider
    length: Array = np.sqrt(unit) * (-np.expm1(log) @ _SHARES)
    return length


def energy_scores(dist: JointMixture, y: Array) -> Array:
    """Return E|Y - y| - E|Y - Y'| / 2, (n,)."""
    n, m, _ = dist.particles.shape
    standard, scores = dist.units.standardise(y), np.empty(n)
    first, second = np.triu_indices(m)
    for rows, _ in blocks(n, 1, m * m * _ANGLES.size):
        theta, weights = dist.theta(rows), dist.weights_of(rows)
        mean, cov = dist.response.mean(theta), dist.response.cov(theta)
        to_y = mix(mean_length(mean - standard[rows, None], cov), weights)
        length = mean_length(mean[:, first] - mean[:, second], cov[:, first] + cov[:, second])
        share = np.full(mean.shape[:2], 1 / m) if weights is None else weights
        # Pairs of different particles count twice, once in each order.
        pair_weight = share[:, first] * share[:, second] * np.where(first == second, 1, 2)
        scores[rows] = to_y - 0.5 * np.sum(pair_weight * length, axis=1)
    return scores
