"""Integrals over y of functions of a mixture, by quadrature."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.typing import Array

__all__ = ["integrate", "range_of"]

# Log odds of quantiles: dense where the mass of a component is, out to where none is left.
_ODDS = -np.array([36, 30, 24, 18, 14, 10, 7, 5, 3.5, 2.4, 1.6, 1, 0.5, 0])
_TAILS = special.expit(_ODDS)
_MIDDLES = special.expit((_ODDS[:-1] + _ODDS[1:]) / 2)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_LAST = _TAILS[0:1]
_LEAST = float(np.finfo(np.float64).tiny)
_STEEPEST = 600.0  # the exponential of twice as much overflows


def range_of(mixture: WeightedParticles) -> tuple[Array, Array]:
    """Return the ends (n,) of the integrals; each component has 2e-16 of its mass beyond."""
    theta = mixture.theta()
    response = mixture.response
    return response.ppf(_LAST, theta).min(axis=1), response.isf(_LAST, theta).max(axis=1)


def integrate(
    mixture: WeightedParticles,
    integrand: Callable[[WeightedParticles, Array, slice], Array],
    kink: Array | None = None,
    stop: float = np.inf,
) -> Array:
    """Return the integral of a function over the range of a mixture, for each row, (n,).

    The integrand takes the mixture of some rows, points (r, g) in standardised units and the slice
    of rows. It may jump at `kink` (n,). The integral ends at `stop`; a kink there makes it exact.
    For a discrete response the integral is a sum over whole numbers.

    There are eight Gauss-Legendre points between neighbouring quantiles of any component, so the
    scales of components may differ by any factor. Between two quantiles of a component the points
    follow a curve a + b exp(c t) through the quantile in the middle, as quantiles do in the log
    odds t if the density is a power in its tail or at its end.
    """
    total = np.zeros(len(mixture))
    for rows in _row_blocks(mixture):
        part = mixture[rows]
        if mixture.response.discrete:
            points, weights = _whole_numbers(part)
        else:
            points, weights = _panels(part, None if kink is None else kink[rows])
            weights = np.where(points < stop, weights, 0)
        total[rows] = (integrand(part, points, rows) * weights).sum(axis=1)
    return total


def _row_blocks(mixture: WeightedParticles) -> Iterator[slice]:
    n, m = mixture.particles.shape[:2]
    columns = (2 * m * _TAILS.size + 1) * _NODES.size
    if mixture.response.discrete and n:
        low, high = range_of(mixture)
        columns = int((high - low).max()) + 1
    return row_blocks(n, columns * m)


def _whole_numbers(part: WeightedParticles) -> tuple[Array, Array]:
    low, high = range_of(part)
    points = low[:, None] + np.arange(int((high - low).max()) + 1)
    return points, (points <= high[:, None]).astype(np.float64)


def _panels(part: WeightedParticles, kink: Array | None) -> tuple[Array, Array]:
    """Return Gauss-Legendre points and weights (r, g) between the quantiles of components."""
    theta, response = part.theta()[:, :, None], part.response
    edges = _rising(response.ppf(_TAILS, theta), response.isf(_TAILS[:-1], theta))  # (r, m, l)
    middles = _rising(response.ppf(_MIDDLES, theta), response.isf(_MIDDLES, theta))
    if response.support[0] == 0:  # smaller numbers are imprecise
        edges, middles = np.maximum(edges, _LEAST), np.maximum(middles, _LEAST)
    growth = _growth_rates(edges, middles)
    rows, m, levels = edges.shape
    all_edges = edges.reshape(rows, -1)
    if kink is not None:
        inside = np.clip(kink, all_edges.min(axis=1), all_edges.max(axis=1))
        all_edges = np.concatenate([all_edges, inside[:, None]], axis=1)
    order = np.argsort(all_edges, axis=1, kind="stable")
    all_edges = np.take_along_axis(all_edges, order, axis=1)
    start, end = all_edges[:, :-1], all_edges[:, 1:]
    # A panel is within one step of each component; its curve is that of the shortest step.
    owner = (order[:, :-1] // levels)[..., None] == np.arange(m)
    step = np.cumsum(owner, axis=1) - 1  # (r, panels, m)
    open_ = (step >= 0) & (step < levels - 1)
    step = np.clip(step, 0, levels - 2)
    length = np.diff(edges)[np.arange(rows)[:, None, None], np.arange(m), step]
    chosen = np.argmin(np.where(open_, length, np.inf), axis=2)
    row = np.arange(rows)[:, None]
    at = np.take_along_axis(step, chosen[..., None], axis=2)[..., 0]
    width = np.take_along_axis(length, chosen[..., None], axis=2)[..., 0]
    return _points(start, end, edges[row, chosen, at], width, growth[row, chosen, at])


def _rising(lower: Array, upper: Array) -> Array:
    """Return quantiles of both halves as one rising sequence."""
    return np.concatenate([lower, upper[..., ::-1]], axis=-1)


def _growth_rates(edges: Array, middles: Array) -> Array:
    """Return c for curves a + b exp(c t), t in [0, 1], through neighbouring edges and a middle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = 2 * (np.log(edges[..., 1:] - middles) - np.log(middles - edges[..., :-1]))
    held: Array = np.clip(np.nan_to_num(growth), -_STEEPEST, _STEEPEST)
    return held


def _points(
    start: Array, end: Array, first: Array, width: Array, growth: Array
) -> tuple[Array, Array]:
    """Return points and weights (r, g) of panels on the curves of their steps."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.expm1(growth)
        # The extent of the panel along the curve, times the growth rate.
        low, high = (np.log1p(rise * ((edge - first) / width)) for edge in (start, end))
        part = np.nan_to_num(high - low, posinf=_STEEPEST, neginf=-_STEEPEST)[..., None]
    part = np.clip(part, -_STEEPEST, _STEEPEST)
    t = (1 + _NODES) / 2
    straight = np.abs(part) < 1e-6
    safe = np.where(straight, 1, part)
    share = np.where(straight, t, np.expm1(safe * t) / np.expm1(safe))
    speed = np.where(straight, 1, safe * np.exp(safe * t) / np.expm1(safe))
    length = (end - start)[..., None]
    rows = len(start)
    points = start[..., None] + length * share
    return points.reshape(rows, -1), (length * speed * _WEIGHTS / 2).reshape(rows, -1)
