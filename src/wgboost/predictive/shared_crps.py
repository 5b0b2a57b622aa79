"""The CRPS by one quadrature for all particles of a row.

The density of the mixture is integrated twice, from both ends up to y: once for the cdf, and once
for the square of it. Panels lie evenly in a coordinate in which densities are smooth: the log of a
positive y, the log odds of a share, the inverse hyperbolic sine of any other. The two halves know
how much probability they should add up to, which tells the rows that need more panels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from wgboost.predictive.layout import BLOCK
from wgboost.predictive.panels import INTEGRATE, MATCH, N, T, W
from wgboost.predictive.rows import ParticleRows
from wgboost.predictive.weights import mix
from wgboost.typing import Array

__all__ = ["shared_crps"]

_TAILS = np.array([1e-7, 1e-9, 1e-14])  # of the mean particle, where panels may begin and end
_LOOSE = 3e-7  # of the mixture there; further out if it has more
_PANELS = (4, 8, 16, 32, 64)  # of each half


@dataclass(frozen=True, eq=False)
class _Coordinate:
    """x as a function of u, with its slope."""

    to_u: Callable[[Array], Array]
    to_x: Callable[[Array], tuple[Array, Array]]


def _coordinate(part: ParticleRows, centre: Array) -> _Coordinate:
    low, high = part.response.support
    if low == 0 and high == 1:
        return _Coordinate(
            lambda x: special.logit(np.clip(x, 1e-300, 1 - 1e-9)).clip(-690, 20),
            lambda u: (special.expit(u), special.expit(u) * special.expit(-u)),
        )
    if low == 0:
        return _Coordinate(
            lambda x: np.log(np.clip(x, 1e-300, 1e300)), lambda u: (np.exp(u), np.exp(u))
        )
    middle = part.response.ppf(np.array(0.5), centre)[:, None]
    width = part.response.isf(np.array(0.25), centre)[:, None] - middle
    return _Coordinate(
        lambda x: np.arcsinh((x[:, None] - middle) / width)[:, 0],
        lambda u: (middle + width * np.sinh(u), width * np.cosh(u)),
    )


def shared_crps(dist: ParticleRows, y: Array) -> tuple[Array, Array]:
    """Return the CRPS (n,) at y (n,), both in standardised units, and the rows where it is good.

    For continuous responses.
    """
    n, m = dist.particles.shape[:2]
    scores, good = np.full(n, np.nan), np.zeros(n, dtype=bool)
    open_rows = np.arange(n)
    for panels in _PANELS:
        size = max(1, BLOCK // (2 * panels * N * m))
        for start in range(0, len(open_rows), size):
            rows = open_rows[start : start + size]
            with np.errstate(all="ignore"):
                scores[rows], good[rows] = _scores(dist[rows], y[rows], panels)
        open_rows = np.flatnonzero(~good)
        if not open_rows.size:
            break
    return scores, good


def _scores(part: ParticleRows, y: Array, panels: int) -> tuple[Array, Array]:
    theta, weights = part.theta(), part.weights
    centre = mix(np.moveaxis(theta, 1, 2), None if weights is None else weights[:, None])
    response = part.response
    low, high = _end(part, centre, upper=False), _end(part, centre, upper=True)
    map_ = _coordinate(part, centre)
    at = map_.to_u(y)
    first, last = np.minimum(map_.to_u(low), at), np.maximum(map_.to_u(high), at)
    ends = [map_.to_x(end[:, None])[0] for end in (first, at, last)]
    below = part.over_grid(response.cdf, ends[0])[:, 0]
    above = part.over_grid(response.sf, ends[2])[:, 0]
    left = _half(part, map_, first, at, below, panels)
    right = _half(part, map_, last, at, above, panels)
    # Between y and where its coordinate was held the integrand is that at the end.
    total = (
        left[0]
        + right[0]
        + np.abs(y - ends[1][:, 0]) * np.where(y > ends[1][:, 0], left[1], right[1]) ** 2
    )
    total += _beyond(part, ends[0][:, 0], below, -1) + _beyond(part, ends[2][:, 0], above, 1)
    return total, np.abs(left[1] + right[1] - 1) <= MATCH


def _end(part: ParticleRows, centre: Array, *, upper: bool) -> Array:
    """Return a point with little enough of the mixture beyond.

    A quantile of the mean particle, or where particles disagree the outermost of theirs.
    """
    side = part.response.sf if upper else part.response.cdf
    quantile = part.response.isf if upper else part.response.ppf
    end, beyond = quantile(_TAILS[0], centre), np.empty(len(centre))
    rows = np.arange(len(centre))
    for tail in (*_TAILS[1:], None):
        beyond[rows] = part[rows].over_grid(side, end[rows, None])[:, 0]
        rows = rows[~(beyond[rows] <= _LOOSE)]
        if not rows.size:
            break
        if tail is not None:
            end[rows] = quantile(tail, centre[rows])
            continue
        each, weights = quantile(_TAILS[0], part.theta(rows)), part.weights_of(rows)  # (r, m)
        if weights is not None:
            each = np.where(weights > 0, each, end[rows, None])
        end[rows] = each.max(axis=1) if upper else each.min(axis=1)
    return end


def _density(part: ParticleRows, x: Array) -> Array:
    def density(points: Array, theta: Array) -> Array:
        return np.exp(part.response.logpdf(points, theta))

    return part.over_grid(density, x)


def _half(
    part: ParticleRows, map_: _Coordinate, first: Array, last: Array, start: Array, panels: int
) -> tuple[Array, Array]:
    """Return the integral of the squared probability from first to last, and that at the last.

    `start` is the probability at the first; first > last for the upper half.
    """
    length = (last - first)[:, None] / panels
    u = first[:, None, None] + length[..., None] * (np.arange(panels)[:, None] + T)
    rows = len(u)
    x, slope = map_.to_x(u.reshape(rows, -1))
    size = (np.abs(length) * slope).reshape(rows, panels, N)
    mass = _density(part, x).reshape(rows, panels, N) * size
    each = mass @ W
    reached = start[:, None] + np.cumsum(each, axis=1)
    inside = (reached - each)[..., None] + mass @ INTEGRATE.T
    return (np.square(inside) * size @ W).sum(axis=1), reached[:, -1]


def _beyond(part: ParticleRows, end: Array, tail: Array, side: int) -> Array:
    """Return the integral of the squared tail from the end on, as of a power of the distance."""
    low, high = part.response.support
    if np.isfinite(high if side > 0 else low):
        return np.zeros(len(end))
    middle = part.response.ppf(np.array(0.5), part.theta()[:, 0])
    distance = np.abs(end - middle)
    power = distance * _density(part, end[:, None])[:, 0] / tail
    rest: Array = distance * tail * tail / np.maximum(2 * power - 1, 1e-9)
    return np.where(tail > 0, rest, 0)
