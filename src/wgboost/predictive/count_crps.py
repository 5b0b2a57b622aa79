"""The CRPS of mixtures of counts: the sum of cdf^2 below y and of (1 - cdf)^2 from y on.

Poisson and negative binomial masses follow from Panjer's recursion, so a range of up to 1,500
counts is summed one by one without a special function. For a longer range the sum is an integral
with Euler-Maclaurin corrections. Large counts that are nearly normal have a closed form
(`normal_approximation`). Extra zeros are an atom at 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.count_tables import components_of
from wgboost.predictive.gauss_legendre import AT_END, AT_START, DIFFERENTIATE, INTEGRATE, N, T, W
from wgboost.predictive.normal_approximation import (
    is_approximately_normal,
    normal_approximation_crps,
)
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.responses.counts import Count
from wgboost.typing import Array

__all__ = ["count_crps"]

_BELOW = 25.0  # at most exp(-25) of a component is below the range
_ABOVE = 25.0  # and above it
_LONGEST = 1500  # length of ranges that are summed one by one
_HEAD = 64  # counts that are summed one by one before an integral
_PANELS = (6, 12, 24, 48, 96, 192, 384)  # of each half
_MATCH = 1e-10  # largest distance of the total probability of a range from 1
_COUNTABLE = 1e6  # length of ranges that can be summed one by one if all else fails
_UNDERFLOW = -600.0  # log mass from which the recursion cannot start


@dataclass(frozen=True, eq=False)
class _CountRows:
    """Components (r, m) of counts, with shares that sum to 1 - zero, and an atom `zero` (r,)."""

    family: Count
    theta: Array  # (r, m, d)
    share: Array  # (r, m)
    zero: Array  # (r,)
    y: Array  # (r,)
    first: Array  # (r,)
    last: Array  # (r,): the range with all but exp(-25) of each component

    def __getitem__(self, rows: Array) -> _CountRows:
        parts = (self.theta, self.share, self.zero, self.y, self.first, self.last)
        return _CountRows(self.family, *(part[rows] for part in parts))

    def __len__(self) -> int:
        return len(self.y)


def count_crps(dist: WeightedParticles, y: Array) -> tuple[Array, Array]:
    """Return the CRPS (n,) at whole y (n,), and the rows whose counts have to be summed instead.

    The response is a `Count` with a recursion, or such a count with extra zeros. If the integral
    does not converge and there are more than 1e6 counts, components are taken as normal.
    """
    rows = _count_rows(dist, y)
    scores, good = np.full(len(rows), np.nan), np.zeros(len(rows), dtype=bool)
    with np.errstate(all="ignore"):
        length = rows.last - rows.first
        short = np.flatnonzero(length <= _LONGEST)
        scores[short], good[short] = _summed(rows[short])
        normal = (length > _LONGEST) & is_approximately_normal(rows.family, rows.theta, rows.share)
        some = np.flatnonzero(normal)
        scores[some], good[some] = _normal_approximation(rows[some]), True
        _integrated(rows, np.flatnonzero(~normal & ~(length <= _LONGEST)), scores, good)
        bad = ~(good & np.isfinite(scores))
        rest = np.flatnonzero(bad & ~(length <= _COUNTABLE))
        scores[rest] = _normal_approximation(rows[rest], skewed=False)
        bad[rest] = False
    return scores, bad


def _count_rows(dist: WeightedParticles, y: Array) -> _CountRows:
    family, theta, share, zero = components_of(dist.response, dist.theta(), dist.weights)
    first, last = _range(family, theta)
    used = share > 0
    first = np.where(used, first, np.inf).min(axis=1)
    last = np.where(used, last, 0).max(axis=1)
    return _CountRows(family, theta, share, zero, np.asarray(y, dtype=np.float64), first, last)


def _range(family: Count, theta: Array) -> tuple[Array, Array]:
    """Return counts (r, m) with at most exp(-25) of each component below and above them.

    The bounds are those of a normal distribution below, as for every sum of independent positive
    numbers, and of a gamma distribution above, whose scale is the variance over the mean.
    """
    mean, variance = family.mean(theta), family.var(theta)
    low = mean - np.sqrt(2 * _BELOW * variance)
    high = mean + np.sqrt(2 * _ABOVE * variance) + _ABOVE * np.maximum(variance / mean, 1)
    return np.floor(np.maximum(low, 0)), np.ceil(high)


# --- one by one ---------------------------------------------------------------------------------


def _summed(rows: _CountRows) -> tuple[Array, Array]:
    """Return the scores of rows, and where the masses of their range sum to 1."""
    total, reached = _sums(rows, rows.last + 1)
    total += np.maximum(rows.y - rows.last - 1, 0)
    return total, np.abs(reached - 1) <= _MATCH


def _sums(rows: _CountRows, stop: Array) -> tuple[Array, Array]:
    """Return the sum over counts below `stop`, and the probability of these counts, (r,) each."""
    total, reached = np.empty(len(rows)), np.empty(len(rows))
    # Longest ranges first: the rows that are not finished are then a leading slice.
    order = np.argsort(rows.first - stop, kind="stable")
    for block in row_blocks(len(order), 8 * rows.theta.shape[1]):
        some = order[block]
        total[some], reached[some] = _sums_of_block(rows[some], stop[some])
    return total, reached


def _sums_of_block(rows: _CountRows, stop: Array) -> tuple[Array, Array]:
    first, y, zero = rows.first, rows.y, rows.zero
    steps = np.maximum(stop - first, 0).astype(np.int64)
    constant, slope = (np.ascontiguousarray(part.T) for part in rows.family.panjer(rows.theta))
    begin, mass = _first_masses(rows)  # (m, r)
    late = bool((begin > 0).any())
    waiting = np.where(begin == 0, 0, mass) if late else mass
    mass = np.where(begin == 0, mass, 0) if late else mass
    flat = not slope.any()
    # The cdf below the range is the atom.
    under = np.minimum(first, stop)
    total = np.minimum(y, under) * zero * zero + np.maximum(under - y, 0) * np.square(1 - zero)
    reached = zero.copy()
    open_ = len(rows)
    for j in range(int(steps[0]) if len(rows) else 0):
        while steps[open_ - 1] <= j:
            open_ -= 1
        some = slice(open_)
        count, here = first[some] + j, mass[:, some]
        if late:
            here += np.where(begin[:, some] == j, waiting[:, some], 0)
        reached[some] += here.sum(axis=0)
        gap = reached[some] - (count >= y[some])
        total[some] += gap * gap
        here *= constant[:, some] if flat else constant[:, some] + slope[:, some] * count
        here *= 1 / (count + 1)
    return total, reached


def _first_masses(rows: _CountRows) -> tuple[Array, Array]:
    """Return the step at which the recursion of each component starts, and its mass there.

    Components start together unless their masses would underflow.
    """
    family, theta, share = rows.family, rows.theta, rows.share
    first = np.repeat(rows.first[:, None], theta.shape[1], axis=1)
    logs = family.log_mass(first, theta)
    lost = (logs < _UNDERFLOW) & (share > 0)
    if lost.any():
        own = np.maximum(_range(family, theta)[0], first)
        first = np.where(lost, own, first)
        logs = np.where(lost, family.log_mass(first, theta), logs)
    mass = np.where(share > 0, np.exp(logs) * share, 0)
    begin = np.ascontiguousarray((first - rows.first[:, None]).T)
    return begin, np.ascontiguousarray(mass.T)


# --- by integrals -------------------------------------------------------------------------------


def _normal_approximation(rows: _CountRows, *, skewed: bool = True) -> Array:
    parts = rows.theta, rows.share, rows.zero, rows.y
    return normal_approximation_crps(rows.family, *parts, skewed=skewed)


def _integrated(rows: _CountRows, open_: Array, scores: Array, good: Array) -> None:
    """Write the scores of the rows `open_`, and where both halves sum to 1."""
    if not open_.size:
        return
    m = rows.theta.shape[1]
    some = rows[open_]
    first = np.maximum(some.first, _HEAD)
    head, below = np.empty(len(rows)), np.empty(len(rows))
    head[open_], below[open_] = _sums(some, first)
    for panels in _PANELS:
        for part in row_blocks(len(open_), 2 * panels * N * m):
            block = open_[part]
            rest, good[block] = _tail_sum(rows[block], below[block], panels)
            scores[block] = head[block] + rest
        open_ = open_[~good[open_]]
        if not open_.size:
            break


def _tail_sum(rows: _CountRows, below: Array, panels: int) -> tuple[Array, Array]:
    """Return the sum over the counts that are integrated, and where it has converged."""
    first, last = np.maximum(rows.first, _HEAD), rows.last + 1
    at = np.clip(rows.y, first, last)
    left = _smooth_half(rows, (first, at), below, panels)
    right = _smooth_half(rows, (last, at), np.zeros(len(rows)), panels)
    beyond = np.maximum(rows.y - last, 0)
    # Log masses of large counts are differences of terms of size last * log(last).
    rounding = np.minimum(1e-16 * last * np.log(last), 0.02)
    return left[0] + right[0] + beyond, np.abs(left[1] + right[1] - 1) <= _MATCH + rounding


def _mass(rows: _CountRows, x: Array) -> Array:
    logs = rows.family.log_mass(x[..., None], rows.theta[:, None])
    mass: Array = np.einsum("rgm,rm->rg", np.exp(logs), rows.share)
    return mass


def _smooth_half(
    rows: _CountRows, ends: tuple[Array, Array], start: Array, panels: int
) -> tuple[Array, Array]:
    """Return the sum of squared probabilities between two whole numbers, and that at the second.

    P is the probability of a count < k as a function of k - 1/2, or of a count >= k in the upper
    half, where the second number is the smaller one. P at the first number is `start`. By
    Euler-Maclaurin P grows by the integral of the mass less 1/24 of its slope plus higher orders,
    and the sum of squares is their integral plus half the end terms and 1/12 of their slopes.
    """
    first, last = ends
    sign = np.where(last >= first, 1.0, -1.0)
    moved = last != first
    step = (np.log1p((last - first) / (first - 0.5)) / panels)[:, None, None]
    x = (first - 0.5)[:, None, None] * np.exp(step * (np.arange(panels)[:, None] + T))
    mass = _mass(rows, x.reshape(len(x), -1)).reshape(x.shape)
    size = np.abs(step) * x  # of a panel, at each point
    per = 1 / np.where(moved[:, None, None], size, np.inf)
    slope = mass @ DIFFERENTIATE.T * per
    second = slope @ DIFFERENTIATE.T * per
    change = (7 / 5760) * (second @ DIFFERENTIATE.T) * per - slope / 24
    before = change[:, 0] @ AT_START
    each = (mass * size) @ W
    reached = start[:, None] + np.cumsum(each, axis=1)
    inside = (reached - each)[..., None] + (mass * size) @ INTEGRATE.T
    inside += change - before[:, None, None]
    end = reached[:, -1] + change[:, -1] @ AT_END - before
    total = (np.square(inside) * size @ W).sum(axis=1)
    for value, column, at, side in ((end, -1, AT_END, 1), (start, 0, AT_START, -1)):
        density, curvature = mass[:, column] @ at, second[:, column] @ at
        total += side * sign * value * value / 2
        total += side * value * (density - curvature / 24) / 6
        total -= side * (value * curvature + 3 * density * (slope[:, column] @ at)) / 360
    return np.where(moved, total, 0), np.where(moved, end, start)
