"""Mixtures as values of y with probabilities, so that expectations are sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.count_quadrature import POINTS, count_panels
from wgboost.predictive.probabilities import Probabilities
from wgboost.predictive.weights import log_mix
from wgboost.responses.zero_inflated import ZeroInflated
from wgboost.typing import Array

__all__ = ["Discretization", "discretize"]

# Log odds of the quantiles of components at which panels end: dense where most of the mass is.
_ODDS = -np.array([36, 24, 14, 9, 6, 4.5, 3.5, 2.75, 2.2, 1.75, 1.35, 1, 0.7, 0.4, 0.15])
_TAILS = special.expit(_ODDS)
_PANELS = 192
_NODES, _SHARES = np.polynomial.legendre.leggauss(POINTS)
_NODES, _SHARES = (_NODES + 1) / 2, _SHARES / 2
_WHOLE = 2048  # largest number of whole numbers that are taken one by one
_LARGEST = float(np.finfo(np.float64).max) / 8


@dataclass(frozen=True, eq=False)
class Discretization:
    """Values of y for each row, with probabilities that sum to 1."""

    values: Array  # (n, g), in the user's units
    probabilities: Array  # (n, g)
    mixture: Probabilities | None = None  # if values are those of panels, which can be cut
    edges: Array | None = None  # (n, panels + 1): ends of the panels, in standardised units

    def mean(self, values: Array) -> Array:
        """Return the mean (n,) of a function with these values (n, g)."""
        with np.errstate(invalid="ignore"):
            mean: Array = np.einsum("ng,ng->n", self.probabilities, values)
        if not np.isfinite(mean).all():
            # A value without probability has no effect, even if it is infinite.
            counted = np.where(self.probabilities != 0, values, 0.0)
            mean = np.einsum("ng,ng->n", self.probabilities, counted)
        return mean

    def cut_at(self, y: Array) -> Discretization | None:
        """Return the change if the panel around y (n,) is cut in two there.

        Means of the change are added to those of `self`: negative probabilities remove the panel,
        the others are those of its two parts. The mean of a function with a kink or a jump at y is
        then as precise as that of a smooth one. None for classes and single whole numbers.
        """
        if self.mixture is None or self.edges is None:
            return None
        dist, edges, rows = self.mixture, self.edges, np.arange(len(self.values))
        at = np.clip(dist.units.standardise(y), edges[:, 0], edges[:, -1])
        panel = np.sum(edges[:, 1:-1] <= at[:, None], axis=1)
        cut = np.stack([edges[rows, panel], at, edges[rows, panel + 1]], axis=1)
        if dist.response.discrete:
            values, shares = count_panels(dist, np.floor(cut))
        else:
            values, shares = _panels(dist, cut)
        of_panel = panel[:, None] * _NODES.size + np.arange(_NODES.size)
        whole = np.take_along_axis(self.probabilities, of_panel, axis=1)
        total = shares.sum(axis=1)
        used = total > 0  # a panel of no width has no inner mass
        shares *= np.where(used, whole.sum(axis=1) / np.where(used, total, 1), 0.0)[:, None]
        before = np.take_along_axis(self.values, of_panel, axis=1)
        return Discretization(
            np.concatenate([before, dist.units.restore(values)], axis=1),
            np.concatenate([np.where(used[:, None], -whole, 0.0), shares], axis=1),
        )


def discretize(dist: Probabilities, points: Array | None = None) -> Discretization:
    """Return values of a y of one column with their probabilities.

    Classes and up to 2,048 whole numbers are taken one by one. Otherwise the quantiles of the
    components are the ends of 192 panels with four Gauss-Legendre points each. Panels also end at
    `points` (n, k), in the user's units. The probability of a panel is that of the mixture, and its
    points are weighted by their density. So steep ends of a density and scales that differ by many
    powers of ten are resolved. Panels of counts also have the mean of the mixture, and zero has its
    own panel. Infinite values with their probability come last.
    """
    n = len(dist)
    if dist.response.nominal:
        shares = _class_probabilities(dist)
        codes = np.broadcast_to(np.arange(shares.shape[1], dtype=np.float64), shares.shape)
        return Discretization(codes, shares)
    inner = None if points is None else dist.units.standardise(points)
    if dist.response.discrete:
        return _of_counts(dist, inner)
    size = _PANELS + (0 if inner is None else inner.shape[1])
    edges = np.empty((n, size + 1))
    values, shares = (np.empty((n, size * _NODES.size)) for _ in range(2))
    for rows in _blocks(dist, size * _NODES.size):
        part = dist[rows]
        ends = _ends(part)
        if inner is not None:
            some = np.clip(inner[rows], ends[:, :1], ends[:, -1:])
            ends = np.sort(np.concatenate([ends, some], axis=1), axis=1)
        edges[rows] = ends
        values[rows], shares[rows] = _panels(part, ends, outside=True)
    values = dist.units.restore(values)
    if (np.abs(edges[:, [0, -1]]) >= _LARGEST).any():
        beyond = _infinite(dist, edges)
        there = np.flatnonzero(beyond.any(axis=0))
        ends = np.broadcast_to(np.array([-np.inf, np.inf])[there], (n, there.size))
        shares = np.concatenate([shares, beyond[:, there]], axis=1)
        values = np.concatenate([values, ends], axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    return Discretization(values, shares, dist, edges)


def _infinite(dist: Probabilities, edges: Array) -> Array:
    """Return the probabilities (n, 2) of -inf and inf, beyond panels up to the largest number."""
    response, ends = dist.response, edges[:, [0, -1]]
    below = dist.over_grid(response.cdf, ends[:, :1])
    above = dist.over_grid(response.sf, ends[:, 1:])
    return np.where(np.abs(ends) >= _LARGEST, np.concatenate([below, above], axis=1), 0.0)


def _class_probabilities(dist: Probabilities) -> Array:
    shares: Array = dist.probabilities()
    return shares if dist.classes is None else shares[:, : len(dist.classes)]


def _blocks(dist: Probabilities, columns: int) -> Iterator[slice]:
    return row_blocks(len(dist), columns * dist.particles.shape[1])


def _ends(part: Probabilities) -> Array:
    """Return the ends (r, panels + 1) of panels, in standardised units."""
    theta, response = part.theta()[:, :, None], part.response
    if isinstance(response, ZeroInflated):  # extra zeros would hide the lower quantiles
        theta, response = theta[..., :-1], response.part
    tails = _tails_of_each(theta.shape[1])
    below, above = response.ppf(tails, theta), response.isf(tails[:, ::-1], theta)
    quantiles = np.concatenate([below, above], axis=2)  # (r, m, levels)
    if part.weights is not None:  # replace particles of weight zero by that of the largest
        chosen = quantiles[np.arange(len(part)), part.weights.argmax(axis=1)]
        quantiles = np.where(part.weights[..., None] > 0, quantiles, chosen[:, None])
    every = np.sort(quantiles.reshape(len(part), -1), axis=1).clip(-_LARGEST, _LARGEST)
    place = np.linspace(0, every.shape[1] - 1, _PANELS + 1)
    left = np.minimum(place.astype(int), every.shape[1] - 2)
    share = place - left
    between: Array = every[:, left] * (1 - share) + every[:, left + 1] * share
    return np.maximum.accumulate(between, axis=1)  # rounding must not change their order


def _tails_of_each(m: int) -> Array:
    """Return tail probabilities (m, levels) of m components, the smallest first.

    Levels differ between components. Otherwise the quantiles of equal components would coincide,
    and panels would be as wide as those of a single one.
    """
    shift = (np.arange(m) + 0.5) / m - 0.5
    inner = np.diff(np.append(_ODDS[1:], -_ODDS[-1])) * shift[:, None]
    odds = np.column_stack([np.full(m, _ODDS[0]), _ODDS[1:] + inner])
    return np.asarray(special.expit(odds), dtype=np.float64)


def _panels(part: Probabilities, edges: Array, *, outside: bool = False) -> tuple[Array, Array]:
    """Return points (r, g) of panels and their probabilities.

    If `outside`, the first and the last panel have the probability beyond them too, unless they
    reach the largest number.
    """
    response = part.response
    below, above = (part.over_grid(side, edges) for side in (response.cdf, response.sf))
    # From the nearer tail: the difference of two numbers near 1 is imprecise.
    mass = np.where(below[:, 1:] < 0.5, np.diff(below, axis=1), -np.diff(above, axis=1))
    mass = np.maximum(mass, 0)
    if outside:
        mass[:, 0] += np.where(edges[:, 0] > -_LARGEST, below[:, 0], 0.0)
        mass[:, -1] += np.where(edges[:, -1] < _LARGEST, above[:, -1], 0.0)
    width = np.diff(edges, axis=1)[..., None]
    points = edges[:, :-1, None] + width * _NODES  # (r, panels, 4)
    flat = points.reshape(len(edges), -1)
    logs = part.over_grid(response.logpdf, flat, log_mix).reshape(points.shape)
    top = logs.max(axis=2, keepdims=True)
    plain = ~np.isfinite(top)  # too narrow or too steep for a density: equal weights
    with np.errstate(invalid="ignore"):
        shares = np.where(plain, 1.0, np.exp(logs - np.where(plain, 0.0, top))) * _SHARES
    shares *= (mass / shares.sum(axis=2))[..., None]
    return flat, shares.reshape(flat.shape)


def _of_counts(dist: Probabilities, inner: Array | None) -> Discretization:
    """Return whole numbers: all of them if they are few, else points of panels."""
    response, theta = dist.response, dist.theta()
    low = response.ppf(_TAILS[:1], theta).min(axis=1)
    high = response.isf(_TAILS[:1], theta).max(axis=1)
    few = high - low < _WHOLE
    size, panels = int((high - low)[few].max(initial=0)) + 1, 0
    if not few.all():
        panels = _PANELS + 2 + (0 if inner is None else 2 * inner.shape[1])
        size = max(size, panels * POINTS)
    values, shares = np.empty((len(dist), size)), np.zeros((len(dist), size))
    edges = np.repeat(low[:, None], panels + 1, axis=1)  # panels of no width are not cut
    for rows in _blocks(dist, size):
        part, some = dist[rows], np.flatnonzero(few[rows])
        points = low[rows, None] + np.arange(size)
        points = np.minimum(points, high[rows, None])
        if some.size:
            here = points[some]
            mass = np.exp(part[some].over_grid(response.logpdf, here, log_mix))
            mass[:, 1:][np.diff(here, axis=1) == 0] = 0  # beyond the largest number
            values[rows][some], shares[rows][some] = here, mass
        many = np.flatnonzero(~few[rows])
        if many.size:
            ends = _count_ends(part[many], None if inner is None else inner[rows][many])
            here, mass = count_panels(part[many], ends, outside=True)
            edges[rows][many] = ends
            values[rows][many, : here.shape[1]] = here
            values[rows][many, here.shape[1] :] = here[:, -1:]
            shares[rows][many, : here.shape[1]] = mass
    shares /= shares.sum(axis=1, keepdims=True)
    values = dist.units.restore(values)
    return Discretization(values, shares, dist, edges) if panels else Discretization(values, shares)


def _count_ends(part: Probabilities, inner: Array | None) -> Array:
    """Return the ends (r, panels + 1) of panels; 0 and inner points have panels of their own."""
    ends = np.floor(_ends(part))
    alone = [np.broadcast_to([-1.0, 0.0], (len(ends), 2))]
    if inner is not None:
        whole = np.floor(np.clip(inner, 0, ends[:, -1:]))
        alone += [whole - 1, whole]
    return np.sort(np.concatenate([*alone, ends], axis=1), axis=1)
