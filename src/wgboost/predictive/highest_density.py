"""The mode of a mixture, and its shortest interval with a given probability."""

from __future__ import annotations

import numpy as np

from wgboost.predictive.discretization import discretize
from wgboost.predictive.golden_section import minimize_bracketed, minimum_of_grid
from wgboost.predictive.probabilities import Probabilities
from wgboost.typing import Array

__all__ = ["highest_density_intervals", "modes"]

_LEVELS = np.array([0.02, 0.2, 0.4, 0.5, 0.6, 0.8, 0.98])
_GRID = np.linspace(0, 1, 65)
_ROUNDING = 1e-12  # of probabilities, which must not add a count
_NEAR = 32  # number of values on either side that are tried


def modes(dist: Probabilities) -> Array:
    """Return the y of the largest density or probability of each row, (n,)."""
    n, discrete = len(dist), dist.response.discrete
    theta = dist.theta()[:, :, None]
    quantiles = dist.units.restore(dist.response.ppf(_LEVELS, theta)).reshape(n, -1)
    grid = np.concatenate([discretize(dist).values, quantiles], axis=1)
    grid = np.sort(np.nan_to_num(grid, nan=0.0), axis=1)

    def sparseness(y: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = dist.log_likelihood(np.round(y) if discrete else y)
        lost: Array = np.where(np.isnan(logs), np.inf, -logs)
        return lost

    x, value, left, right = minimum_of_grid(grid, sparseness(grid))
    x, value = minimize_bracketed(sparseness, x, value, left, right)
    candidates = [end for end in dist.support() if np.isfinite(end).all()]
    if discrete:
        candidates = [np.round(x), *(np.round(x) + shift for shift in (-2, -1, 1, 2))]
        x = np.round(x)
    for point in candidates:
        there = sparseness(point)
        better = there < value
        x, value = np.where(better, point, x), np.where(better, there, value)
    return x


def highest_density_intervals(dist: Probabilities, confidence: float) -> tuple[Array, Array]:
    """Return the ends (n,) of the shortest interval with this probability."""
    if confidence == 0:
        mode = modes(dist)
        return mode, mode
    if dist.response.discrete:
        return _of_counts(dist, confidence)
    outside = 1 - confidence

    def width(below: Array) -> Array:
        with np.errstate(invalid="ignore"):
            length = dist.isf(np.maximum(outside - below, 0)) - dist.ppf(below)
        widths: Array = np.where(np.isnan(length), np.inf, length)
        return widths

    grid = np.broadcast_to(outside * _GRID, (len(dist), _GRID.size))
    below, _ = minimize_bracketed(width, *minimum_of_grid(grid, width(grid)))
    return dist.ppf(below), dist.isf(np.maximum(outside - below, 0))


def _of_counts(dist: Probabilities, confidence: float) -> tuple[Array, Array]:
    """Return the ends of the fewest neighbouring values with this probability."""
    every = discretize(dist)
    reached = np.cumsum(every.probabilities, axis=1)
    before = reached - every.probabilities
    low, high = np.empty(len(dist)), np.empty(len(dist))
    for row in range(len(dist)):
        values = every.values[row]
        last = np.searchsorted(reached[row], before[row] + confidence - _ROUNDING)
        first = np.flatnonzero(last < values.size)
        width = values[last[first]] - values[first]
        mass = reached[row, last[first]] - before[row, first]
        best = np.lexsort((-mass, width))[0]  # the most probable of the shortest
        low[row], high[row] = values[first[best]], values[last[first[best]]]
    if every.edges is not None:
        some = np.flatnonzero(every.edges[:, 0] < every.edges[:, -1])
        low[some], high[some] = _refined(dist[some], confidence, every.values[some], low[some])
    return low, high


def _refined(
    dist: Probabilities, confidence: float, grid: Array, low: Array
) -> tuple[Array, Array]:
    """Return the ends of the fewest counts with this probability, by a search near `low`."""
    outside = 1 - confidence + _ROUNDING

    def end(start: Array) -> Array:
        rest = outside - dist.cdf(start - 1)
        possible = (rest >= 0) & (start >= 0)
        return np.where(possible, dist.isf(np.maximum(rest, 0)), np.inf)

    def width(start: Array) -> Array:
        start = np.round(start)
        return end(start) - start

    place = (grid < low[:, None]).sum(axis=1, keepdims=True) + np.arange(-_NEAR, _NEAR + 1)
    some = np.take_along_axis(grid, place.clip(0, grid.shape[1] - 1), axis=1)
    low, least = minimize_bracketed(width, *minimum_of_grid(some, width(some)))
    low = np.round(low)
    for start in (low - 1, low + 1):
        there = width(start)
        better = there < least
        low, least = np.where(better, start, low), np.where(better, there, least)
    return low, end(low)
