"""The CRPS of large counts that are nearly normal, in closed form.

It is E|Y - y| - E|Y - Y'| / 2 by pairs of components. The mean of the absolute value of a whole
number D follows from its cumulants: the Edgeworth series of its density, integrated against |x|, is
a sum of Hermite polynomials at the kink of |x|. The sum over whole numbers differs from the
integral by Euler-Maclaurin corrections at that kink.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wgboost.predictive.blocks import blocks
from wgboost.responses.counts import Count
from wgboost.typing import Array

__all__ = ["is_approximately_normal", "normal_approximation_crps"]

_SKEWNESS = 1e-3  # largest squared skewness: terms of the fifth power and beyond are left out


def is_approximately_normal(family: Count, theta: Array, share: Array) -> Array:
    """Return whether every component of a row is close enough to normal for the series."""
    _, second, third, *_ = _cumulants(family, theta)
    close = third * third <= _SKEWNESS * second**3
    return np.asarray((close | (share <= 0)).all(axis=1))


def _cumulants(family: Count, theta: Array) -> Array:
    """Return the first six cumulants (6, ...) of a negative binomial or Poisson count."""
    mean = family.mean(theta)
    excess = family.var(theta) / mean - 1  # dispersion times mean
    w = excess * (1 + excess)
    second, tilt = mean * (1 + excess), 1 + 2 * excess
    ratios = (tilt, 1 + 6 * w, tilt * (1 + 12 * w), 1 + 30 * w + 120 * w * w)
    return np.stack([mean, second, *(second * ratio for ratio in ratios)])


def normal_approximation_crps(
    family: Count, theta: Array, share: Array, zero: Array, y: Array, *, skewed: bool = True
) -> Array:
    """Return the scores (r,) of components (r, m) with shares, and atoms `zero` (r,) at 0.

    If not `skewed`, only the first two cumulants are used.
    """
    r, m = share.shape
    scores = np.empty(r)
    one, two = np.triu_indices(m, 1)
    for rows, _ in blocks(r, 1, 8 * (one.size + m)):
        each, part, atom = _cumulants(family, theta[rows]), share[rows], zero[rows]
        each = np.where(part > 0, each, np.eye(6)[1][:, None, None])  # weight zero
        if not skewed:
            each[2:] = 0
        shifted = each.copy()
        shifted[0] -= y[rows, None]
        odd = np.array([-1.0, 1, -1, 1, -1, 1])[:, None, None]
        to_y = (part * _mean_distance(shifted)).sum(axis=1) + atom * y[rows]
        distance = _mean_distance(each[..., one] + odd * each[..., two])
        pairs = 2 * (part[:, one] * part[:, two] * distance).sum(axis=1)
        pairs += (part * part * _mean_distance(each + odd * each)).sum(axis=1)
        pairs += 2 * atom * (part * each[0]).sum(axis=1)
        scores[rows] = to_y - 0.5 * pairs
    return scores


def _mean_distance(cumulants: Array) -> Array:
    """Return E|D| of whole numbers D with the first six cumulants (6, ...)."""
    mean, variance = cumulants[:2]
    scale = np.sqrt(variance)
    k3, k4, k5, k6 = (k / scale**power for power, k in enumerate(cumulants[2:], 3))
    z = mean / scale  # the kink is at -z deviations
    x = -z
    with np.errstate(over="ignore"):
        density = np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    series = {
        3: k3 / 6, 4: k4 / 24, 5: k5 / 120, 6: k6 / 720 + k3 * k3 / 72, 7: k3 * k4 / 144,
        8: k4 * k4 / 1152 + k3 * k5 / 720, 9: k3**3 / 1296, 10: k3 * k3 * k4 / 1728,
        12: k3**4 / 31104,
    }  # fmt: skip
    near = np.clip(x, -40, 40)  # the density is 0 beyond
    hermite = [np.ones_like(near), near]
    for power in range(1, 12):
        hermite.append(near * hermite[-1] - power * hermite[-2])
    inside = 2 + sum(2 * value * hermite[power - 2] for power, value in series.items())
    height = 1 + sum(value * hermite[power] for power, value in series.items())
    distance = z * special.erf(z / math.sqrt(2)) + density * inside
    steps = density * (hermite[2] / (120 * variance) - height / 6) / variance
    total: Array = scale * (distance + steps)
    return total
