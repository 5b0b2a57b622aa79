"""The CRPS by one quadrature for all particles of a row.

The density of the mixture is integrated twice, from both ends to y: once for the cdf, and once for
its square. Panels have equal width in a coordinate in which densities are smooth: the log of a
positive y, the log odds of a y in (0, 1), or the inverse hyperbolic sine. Rows in which the
probabilities of the two halves do not sum to 1 get more panels.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.gauss_legendre import INTEGRATE, MATCH, N, T, W
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.typing import Array

__all__ = ["shared_crps"]

_TAILS = np.array([1e-7, 1e-9, 1e-14])  # of the mean particle, where panels may start and end
_LOOSE = 3e-7  # largest tail of the mixture there; else panels start further out
_PANELS = (4, 8, 16, 32, 64)  # of each half


@dataclass(frozen=True, eq=False)
class _Range:
    """Ranges of integration of the rows of a mixture; all fields are (n,)."""

    first: Array  # the ends and y as coordinates u
    at: Array
    last: Array
    below: Array  # the probability beyond either end
    above: Array
    beyond: Array  # the integral of the squared probability there
    middle: Array  # the median of the mean particle, and its distance from the upper quartile,
    width: Array  # if coordinates depend on them

    def __getitem__(self, rows: Array) -> _Range:
        return _Range(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[_Range]) -> _Range:
        """Return the rows of all parts."""
        every = ([getattr(part, field.name) for part in parts] for field in fields(cls))
        return cls(*map(np.concatenate, every))


def _to_u(response: Response, x: Array, middle: Array, width: Array) -> Array:
    """Return the coordinates of x (n,)."""
    low, high = response.support
    if low == 0 and high == 1:
        odds: Array = special.logit(np.clip(x, 1e-300, 1 - 1e-9)).clip(-690, 20)
        return odds
    if low == 0:
        logs: Array = np.log(np.clip(x, 1e-300, 1e300))
        return logs
    u: Array = np.arcsinh((x - middle) / width)
    return u


def _to_x(response: Response, u: Array, middle: Array, width: Array) -> tuple[Array, Array]:
    """Return x (n, g) at coordinates u (n, g), and its slope."""
    low, high = response.support
    if low == 0 and high == 1:
        return special.expit(u), special.expit(u) * special.expit(-u)
    if low == 0:
        return np.exp(u), np.exp(u)
    return middle[:, None] + width[:, None] * np.sinh(u), width[:, None] * np.cosh(u)


def shared_crps(dist: WeightedParticles, y: Array) -> tuple[Array, Array]:
    """Return the CRPS (n,) of a continuous response at y (n,), and where it has converged.

    Scores and y are in standardised units.
    """
    n, m = dist.particles.shape[:2]
    scores, good = np.full(n, np.nan), np.zeros(n, dtype=bool)
    with np.errstate(all="ignore"):
        blocks = row_blocks(max(n, 1), 2 * _PANELS[0] * N * m)
        ranges = _Range.joined([_range(dist[rows], y[rows]) for rows in blocks])
        open_rows = np.arange(n)
        for panels in _PANELS:
            for block in row_blocks(len(open_rows), 2 * panels * N * m):
                rows = open_rows[block]
                scores[rows], good[rows] = _scores(dist[rows], y[rows], ranges[rows], panels)
            open_rows = np.flatnonzero(~good)
            if not open_rows.size:
                break
    return scores, good


def _range(part: WeightedParticles, y: Array) -> _Range:
    theta, weights, response = part.theta(), part.weights, part.response
    centre = mix(np.moveaxis(theta, 1, 2), None if weights is None else weights[:, None])
    low, high = _end(part, centre, upper=False), _end(part, centre, upper=True)
    middle = width = np.ones(len(y))
    if response.support[0] != 0:
        middle = response.ppf(np.array(0.5), centre)
        width = response.isf(np.array(0.25), centre) - middle
    at = _to_u(response, y, middle, width)
    first = np.minimum(_to_u(response, low, middle, width), at)
    last = np.maximum(_to_u(response, high, middle, width), at)
    low, high = (_to_x(response, end[:, None], middle, width)[0] for end in (first, last))
    below = part.over_grid(response.cdf, low)[:, 0]
    above = part.over_grid(response.sf, high)[:, 0]
    beyond = _beyond(part, low[:, 0], below, -1) + _beyond(part, high[:, 0], above, 1)
    return _Range(first, at, last, below, above, beyond, middle, width)


def _scores(part: WeightedParticles, y: Array, where: _Range, panels: int) -> tuple[Array, Array]:
    left = _half(part, where, where.first, where.below, panels)
    right = _half(part, where, where.last, where.above, panels)
    end = _to_x(part.response, where.at[:, None], where.middle, where.width)[0][:, 0]
    # If the coordinate of y was clipped, the integrand is constant from there to y.
    total = (
        left[0]
        + right[0]
        + np.abs(y - end) * np.where(y > end, left[1], right[1]) ** 2
        + where.beyond
    )
    return total, np.abs(left[1] + right[1] - 1) <= MATCH


def _end(part: WeightedParticles, centre: Array, *, upper: bool) -> Array:
    """Return a point with almost none of the mixture beyond.

    It is a quantile of the mean particle, or the outermost one of all if particles disagree.
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


def _density(part: WeightedParticles, x: Array) -> Array:
    def density(points: Array, theta: Array) -> Array:
        return np.exp(part.response.logpdf(points, theta))

    return part.over_grid(density, x)


def _half(
    part: WeightedParticles, where: _Range, first: Array, start: Array, panels: int
) -> tuple[Array, Array]:
    """Return the integral of the squared probability from `first` to y, and the probability at y.

    `start` is the probability at `first`, which is above y for the upper half.
    """
    length = (where.at - first)[:, None] / panels
    u = first[:, None, None] + length[..., None] * (np.arange(panels)[:, None] + T)
    rows = len(u)
    x, slope = _to_x(part.response, u.reshape(rows, -1), where.middle, where.width)
    size = (np.abs(length) * slope).reshape(rows, panels, N)
    mass = _density(part, x).reshape(rows, panels, N) * size
    each = mass @ W
    reached = start[:, None] + np.cumsum(each, axis=1)
    inside = (reached - each)[..., None] + mass @ INTEGRATE.T
    return (np.square(inside) * size @ W).sum(axis=1), reached[:, -1]


def _beyond(part: WeightedParticles, end: Array, tail: Array, side: int) -> Array:
    """Return the integral of the squared tail beyond the end, as for a power of the distance."""
    low, high = part.response.support
    if np.isfinite(high if side > 0 else low):
        return np.zeros(len(end))
    middle = part.response.ppf(np.array(0.5), part.theta()[:, 0])
    distance = np.abs(end - middle)
    power = distance * _density(part, end[:, None])[:, 0] / tail
    rest: Array = distance * tail * tail / np.maximum(2 * power - 1, 1e-9)
    return np.where(tail > 0, rest, 0)
