"""Quantiles of predictive distributions at log probabilities below the smallest float."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.conformal.bisection import bisect
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["far_quantile"]

_CLOSE = 1e-13  # error of log distances, the relative error of distances
_HALVINGS = 100  # more than a bracket of these ends can take
_LEAST, _MOST = -746.0, 710.0  # the exponentials of these are 0 and infinity


def far_quantile(dist: Mixture, log_tail: float, *, upper: bool) -> Array:
    """Return y (n,) with this log probability in the upper or the lower tail beyond it.

    A discrete y is the smallest with at most this probability above it, or at least this
    probability up to it.

    The log of a distance is bisected, so that any number of deviations takes a few steps. It is the
    distance from the end of the support, or from the median if the tail has no end.
    """
    tail, quantile = (dist.logsf, dist.isf) if upper else (dist.logcdf, dist.ppf)
    start, end = quantile(0.25), dist.support()[int(upper)]
    bounded = np.isfinite(end)
    origin = np.where(bounded, end, dist.median())
    outwards = np.where(bounded, -1.0, 1.0)  # direction of log distances
    side = outwards if upper else -outwards

    def at(log_distance: Array) -> Array:
        with np.errstate(over="ignore"):
            y: Array = origin + side * np.exp(log_distance)
        return y

    def inside(log_distance: Array) -> Array:
        held: Array = tail(at(log_distance)) >= log_tail
        return held

    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.log(np.abs(start - origin)).clip(_LEAST, _MOST)
    inner, outer = _bracket(inside, first, outwards)
    inner, outer = bisect(inside, inner, outer, steps=_HALVINGS, closed=_closed)
    found = at(outer)
    if dist.response.discrete:
        # Tails are step functions with steps at whole numbers.
        found = np.floor(found if upper else at(inner))
    return np.where(tail(start) < log_tail, start, found)


def _closed(inner: Array, outer: Array) -> bool:
    """Return whether all brackets of log distances are as small as rounding allows."""
    return not (np.abs(outer - inner) > _CLOSE * np.maximum(np.abs(outer), 1)).any()


def _bracket(
    inside: Callable[[Array], Array], start: Array, outwards: Array
) -> tuple[Array, Array]:
    """Return the last point inside and the first one outside, by growing steps."""
    inner, outer, step = start, start, 1.0
    limit = np.where(outwards > 0, _MOST, _LEAST)
    while (further := inside(outer) & (outer != limit)).any():
        inner = np.where(further, outer, inner)
        outer = np.where(further, (outer + step * outwards).clip(_LEAST, _MOST), outer)
        step *= 2
    # The end of a discrete support may be inside; then no point is outside.
    return np.where(inside(outer), outer, inner), outer
