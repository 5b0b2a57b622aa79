"""Panels of whole numbers that keep the probability and mean of the mixture."""

from __future__ import annotations

import numpy as np

from wgboost.predictive.probabilities import Probabilities
from wgboost.predictive.weights import log_mix
from wgboost.responses.counts import Count
from wgboost.typing import Array

__all__ = ["POINTS", "count_panels"]

POINTS = 4
"""Number of points of a panel."""
_NODES, _SHARES = np.polynomial.legendre.leggauss(POINTS)
_NODES, _SHARES = (_NODES + 1) / 2, _SHARES / 2
_ORDER = np.arange(1.0, POINTS + 1)


def count_panels(
    part: Probabilities, edges: Array, *, outside: bool = False
) -> tuple[Array, Array]:
    """Return whole numbers (r, g) of panels in rising order, and their probabilities.

    The edges (r, panels + 1) are whole numbers. A panel has the counts above its first edge up to
    the second; if `outside`, the last panel has all counts above the last edge too.

    A panel of up to four counts has all of them. A longer one has four points of a Gauss-Legendre
    rule, weighted by their probability. The weights are then tilted linearly in y so that the mean
    is right. If that makes a weight negative, because nearly all of the probability is at one end
    of the panel, the two counts next to the mean represent the panel.
    """
    mass, mean = _mass_and_mean(part, edges, outside=outside)
    start, width = edges[:, :-1, None], np.diff(edges, axis=1)[..., None]
    few = width <= POINTS
    points = start + np.where(few, np.minimum(_ORDER, width), np.ceil(width * _NODES))
    flat = points.reshape(len(edges), -1)
    logs = part.over_grid(part.response.logpdf, flat, log_mix).reshape(points.shape)
    top = logs.max(axis=2, keepdims=True)
    plain = ~np.isfinite(top)
    with np.errstate(invalid="ignore"):
        shares = np.where(plain, 1.0, np.exp(logs - np.where(plain, 0.0, top)))
    shares *= np.where(few, np.maximum(width, 1) >= _ORDER, _SHARES)
    shares /= shares.sum(axis=2, keepdims=True)
    offset = points - points[..., :1]  # small numbers, whose squares are precise
    centre = (shares * offset).sum(axis=2, keepdims=True)
    spread = (shares * np.square(offset - centre)).sum(axis=2, keepdims=True)
    missing = mean[..., None] - points[..., :1] - centre
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        tilt = np.where(spread > 0, missing / spread, 0.0)
        tilted = shares * (1 + tilt * (offset - centre))
        # Log masses of counts near 2^53 are imprecise: their shares can be too uneven to tilt.
        kept = np.abs(tilted.sum(axis=2, keepdims=True) - 1) <= 1e-9
    lopsided = ~((tilted >= 0).all(axis=2, keepdims=True) & kept)
    whole = np.floor(mean)
    near = np.minimum(whole[..., None] + np.minimum(_ORDER - 1, 1), start + width)
    rest = mean - whole
    nothing = np.zeros_like(rest)
    of_near = np.stack([1 - rest, rest, nothing, nothing], axis=2)
    points, shares = np.where(lopsided, near, points), np.where(lopsided, of_near, tilted)
    return points.reshape(flat.shape), (shares * mass[..., None]).reshape(flat.shape)


def _mass_and_mean(part: Probabilities, edges: Array, *, outside: bool) -> tuple[Array, Array]:
    """Return the probability (r, panels) of each panel and the mean of the counts in it."""
    response = part.response
    assert isinstance(response, Count)
    below, above, mean_below, mean_above = (
        part.over_grid(side, edges)
        for side in (response.cdf, response.sf, response.mean_below, response.mean_above)
    )
    # From the nearer tail: the difference of two numbers near 1 is imprecise.
    lower = below[:, 1:] < 0.5
    mass = np.where(lower, np.diff(below, axis=1), -np.diff(above, axis=1))
    total = np.where(lower, np.diff(mean_below, axis=1), -np.diff(mean_above, axis=1))
    mass = np.maximum(mass, 0)
    if outside:
        mass[:, -1] += above[:, -1]
        total[:, -1] += mean_above[:, -1]
    last = edges[:, 1:]
    first = np.minimum(edges[:, :-1] + 1, last)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = np.where(mass > 0, total / mass, first)
    return mass, np.clip(mean, first, last)
