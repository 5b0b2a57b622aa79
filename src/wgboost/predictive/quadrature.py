"""Integrals over y of functions of a mixture, for what has no closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import special

from wgboost.predictive.layout import BLOCK
from wgboost.predictive.rows import ParticleRows
from wgboost.typing import Array

__all__ = ["integrate", "range_of"]

# Even steps of the log odds: dense where a component's mass is, and out to where none is left.
_TAILS = special.expit(np.arange(-36.0, 1.0, 4.0))
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_LAST = _TAILS[0:1]


def range_of(mixture: ParticleRows) -> tuple[Array, Array]:
    """Return the ends (n,) of the integrals: each component has 2e-16 of its mass beyond."""
    theta = mixture.theta()
    response = mixture.response
    return response.ppf(_LAST, theta).min(axis=1), response.isf(_LAST, theta).max(axis=1)


def integrate(
    mixture: ParticleRows,
    integrand: Callable[[ParticleRows, Array, slice], Array],
    kink: Array | None = None,
) -> Array:
    """Return the integral of a function over the range of a mixture, for each row, (n,).

    Parameters
    ----------
    mixture
        The rows.
    integrand
        Takes some rows' mixture, points (r, g) in standardised units and the slice of rows.
    kink
        One point per row, in standardised units, at which the function may jump.

    Notes
    -----
    Eight Gauss-Legendre points between neighbouring quantiles of any component, so scales may
    differ at will. For a discrete response the sum over the whole numbers of the range.
    """
    total = np.zeros(len(mixture))
    for rows in _row_blocks(mixture):
        part = mixture[rows]
        if mixture.response.discrete:
            points, weights = _whole_numbers(part)
        else:
            points, weights = _panels(part, None if kink is None else kink[rows])
        total[rows] = (integrand(part, points, rows) * weights).sum(axis=1)
    return total


def _row_blocks(mixture: ParticleRows) -> Iterator[slice]:
    n, m = mixture.particles.shape[:2]
    columns = (2 * m * _TAILS.size + 1) * _NODES.size
    if mixture.response.discrete and n:
        low, high = range_of(mixture)
        columns = int((high - low).max()) + 1
    tall = max(1, BLOCK // (columns * m))
    return (slice(row, row + tall) for row in range(0, n, tall))


def _whole_numbers(part: ParticleRows) -> tuple[Array, Array]:
    low, high = range_of(part)
    points = low[:, None] + np.arange(int((high - low).max()) + 1)
    return points, (points <= high[:, None]).astype(np.float64)


def _panels(part: ParticleRows, kink: Array | None) -> tuple[Array, Array]:
    """Return Gauss-Legendre points and weights (r, g) between the components' quantiles."""
    theta = part.theta()[:, :, None]
    lower, upper = part.response.ppf(_TAILS, theta), part.response.isf(_TAILS[:-1], theta)
    rows = len(theta)
    edges = [lower.reshape(rows, -1), upper.reshape(rows, -1)]
    if kink is not None:
        low, high = range_of(part)
        edges.append(np.clip(kink, low, high)[:, None])
    sorted_edges = np.sort(np.concatenate(edges, axis=1), axis=1)
    half = np.diff(sorted_edges, axis=1)[..., None] / 2
    points = sorted_edges[:, :-1, None] + half * (1 + _NODES)
    return points.reshape(rows, -1), (half * _WEIGHTS).reshape(rows, -1)
