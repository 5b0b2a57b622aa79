"""Ends of CV+ intervals of a continuous y, from few evaluations of the tails.

Tails are followed along a coordinate in which their logarithm is nearly a parabola. Each step
evaluates them at one point per row and solves for the order statistic on the cubic curves through
this point and the last one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["TailPath", "tail_crossing"]

_PASSES = 5
_SMALL = 3e-4  # largest last step, in log tail
_EXACT = 2e-5  # largest product of the last two steps: the error of the cubic is a fraction of it
_MISSED = 3e-9  # largest error of the last prediction times the square of the ratio of steps
_LEAST_MISSED = 4 * _MISSED  # so that the next step is less than half the last one
_FLAT = 1e-3  # least ratio of slopes: a tail that hardly falls has its end far away
_CLOSE = 3e-4  # in log tail: closer points do not determine a third derivative
_ROUNDING = 1e-9  # relative, outwards: a value whose score is the level is inside
_MOST = 0.45  # largest tail; scores end at one half
_ITERATIONS = 20
_NEAR = 0.4  # in ranks of each distribution, which have gaps: closer steps would oscillate
_RISE = (0.4, 2.5)  # least and largest slope of log ranks over that of log tails
_CONVERGED = 0.1  # largest relative correction in the last iteration
_BEHIND, _AHEAD = 2, 4  # scores of each distribution around the crossing that are put in order


def tail_crossing(
    path: TailPath, tails: Sequence[Array], least: int, start: Array, tail: float
) -> tuple[Array, Array]:
    """Return the outermost y (n,) whose tails are at least as large as `least` given ones.

    The tails of each of K distributions of n rows are compared with its own sorted `tails`. `start`
    (n,) are first guesses, and `tail` is the approximate size of the tail there. Also returned is
    where the ends were found (n,). Tails count as 1e-9 larger, which moves the ends outwards.
    """
    n, low, upper, logged = len(start), path.low, path.upper, path.logged
    with np.errstate(all="ignore"):
        logs = [np.log(given) - _ROUNDING for given in tails]
        u, begun = path.near(np.log(start - low) if logged else start.copy(), tail)
        y, solved = np.full(n, np.nan), np.zeros(n, dtype=bool)
        curves = np.zeros((4, n, len(path.dists)))  # value and derivatives of the log tails
        last_u = np.full(n, np.nan)
        open_ = np.flatnonzero(np.isfinite(u))
        for step in range(_PASSES):
            at = u[open_]
            log_tail, slope = path.at(open_, at)
            now = np.stack([log_tail, slope, np.zeros_like(slope), np.zeros_like(slope)])
            back = (last_u[open_] - at)[:, None]
            missed = _missed(curves[:, open_], now, back)
            if step:
                now[2:] = _derivatives(now, curves[:, open_], back)
            else:  # all have about the second derivative of the first
                second = (slope[:, 0] - begun[1, open_]) / (at - begun[0, open_])
                now[2] = np.where(np.isfinite(second), second, 0)[:, None]
            curves[:, open_], last_u[open_] = now, at
            move, good = _order_statistic(now, logs, least, upper)
            reach = np.abs(move[:, None] * slope).max(axis=1)
            # The first two points of a curve must not be too close.
            move = np.where((step == 0) & (reach < _CLOSE), _CLOSE / slope[:, 0], move)
            good &= np.exp(log_tail + reach[:, None]).max(axis=1) < _MOST
            span = np.abs(back * slope).max(axis=1)
            found = good & (reach < _SMALL) & (reach * span < _EXACT) & (step > 0)
            steep = np.abs(slope)
            found &= steep.min(axis=1) > _FLAT * steep.max(axis=1)
            found &= np.square(move / back[:, 0]) * np.maximum(missed, _LEAST_MISSED) < _MISSED
            u[open_] = at + move
            done = open_[found]
            y[done] = low[done] + np.exp(u[done]) if logged else u[done]
            solved[done] = True
            open_ = open_[~found & np.isfinite(u[open_])]
            if not open_.size:
                break
    return y, solved & np.isfinite(y)


class TailPath:
    """Log tails along a coordinate u: y, or its log distance to the lower end of the support."""

    def __init__(self, dists: Sequence[Mixture], *, upper: bool) -> None:
        low, high = dists[0].support()
        self.dists, self.upper, self.low = dists, upper, low
        self.logged = bool(np.isfinite(low).all() and np.isinf(high).all())

    def tail_and_density(self, dist: Mixture, y: Array) -> tuple[Array, Array]:
        """Return the probability of values beyond y (r,), and minus or plus its derivative."""
        return (dist.sf if self.upper else dist.cdf)(y), _density(dist, y)

    def at(self, rows: Array, u: Array, folds: int | None = None) -> tuple[Array, Array]:
        """Return the log tails (r, K) at u (r,) of some rows, and their slopes."""
        dists = self.dists[:folds]
        if rows.size < len(self.low):
            dists = [dist[rows] for dist in dists]
        y = self.low[rows] + np.exp(u) if self.logged else u
        tail, density = np.stack([self.tail_and_density(dist, y) for dist in dists], axis=-1)
        density *= (y - self.low[rows])[:, None] if self.logged else 1
        slope = density / tail * (-1 if self.upper else 1)
        return np.log(tail), slope

    def near(self, u: Array, tail: float) -> tuple[Array, Array]:
        """Return u (n,) after a Newton step towards this tail of the first distribution.

        Also returned are the point before the step and the slope there, (2, n).
        """
        log_tail, slope = (part[:, 0] for part in self.at(np.arange(len(u)), u, 1))
        limit = 1 / np.abs(slope)
        step = np.clip((np.log(tail) - log_tail) / slope, -limit, limit)
        return u + np.where(np.isfinite(step), step, 0), np.stack([u, slope])


def _density(dist: Mixture, y: Array) -> Array:
    """Return the density (r,), which may underflow."""

    def kernel(y: Array, theta: Array) -> Array:
        density: Array = np.exp(dist.response.logpdf(y, theta))
        return density

    return dist.over_grid(kernel, dist.units.standardise(y[:, None]))[:, 0] / dist.units.scale


def _missed(before: Array, now: Array, back: Array) -> Array:
    """Return by how much the last curves missed the log tails and slopes here, (r,).

    This is large where a tail has steps between the components of a mixture.
    """
    value, slope, second, third = before
    ahead = -back
    value = value + ahead * (slope + ahead * (second / 2 + ahead * (third / 6))) - now[0]
    slope = slope + ahead * (second + ahead * (third / 2)) - now[1]
    missed: Array = np.maximum(np.abs(value), np.abs(slope * back)).max(axis=1)
    return missed


def _derivatives(now: Array, before: Array, back: Array) -> Array:
    """Return second and third derivatives from values and slopes here and at a distance `back`."""
    first = (before[0] - now[0] - now[1] * back) / np.square(back)
    second = (before[1] - now[1]) / back
    third = np.where(np.abs(back * now[1]) > _CLOSE, 6 * (second - 2 * first) / back, 0)
    return np.stack([second - 0.5 * third * back, third])


def _order_statistic(
    curves: Array, logs: Sequence[Array], least: int, upper: bool
) -> tuple[Array, Array]:
    """Return the step (r,) to the crossing of cubic curves (4, r, K), and where it was found.

    `curves` has the log tail and its first three derivatives. If the crossing is not found, the
    step is that of interpolated ranks.
    """
    move, ranks = _interpolated_crossing(curves, logs, least)
    lost = np.asarray(np.isnan(ranks).any(axis=1))
    log_tail, slope, second, third = curves
    first = np.floor(np.where(lost[:, None], 0, ranks)).astype(np.int64) - _BEHIND  # (r, K)
    first = np.maximum(first, 0)
    # On the other side of its vertex a parabola holds the wrong rows.
    good = ~lost & (slope * (slope + second * move[:, None]) > 0).all(axis=1)
    inwards = -1.0 if upper else 1.0
    steps = np.full((*log_tail.shape, _BEHIND + _AHEAD), np.inf)
    for k, given in enumerate(logs):
        index = first[:, k, None] + np.arange(_BEHIND + _AHEAD)
        rise = given[np.minimum(index, given.size - 1)] - log_tail[:, k, None]
        a, b, c = (part[:, k, None] for part in (slope, second / 2, third / 6))
        one = rise / a
        for _ in range(3):  # Newton's method
            change = (one * (a + one * (b + one * c)) - rise) / (a + one * (2 * b + one * (3 * c)))
            one = one - change
        # Tails are monotone, so the side of a step is known if it did not converge.
        converged = (one * rise * a >= 0) & (np.abs(change) <= _CONVERGED * np.abs(one))
        one = np.where(converged, one, np.copysign(np.inf, rise / a))
        steps[:, k] = np.where(index < given.size, inwards * one, np.inf)
    missing = least - first.sum(axis=1)  # scores that are further in
    ordered = np.sort(steps.reshape(len(move), -1), axis=1)
    place = np.clip(missing, 1, ordered.shape[1]) - 1
    exact = np.take_along_axis(ordered, place[:, None], axis=1)[:, 0]
    good &= (missing == place + 1) & np.isfinite(exact)
    # Scores outside of these ranges must not come between.
    good &= ((steps[..., 0] <= exact[:, None]) | (first == 0)).all(axis=1)
    good &= (steps[..., -1] >= exact[:, None]).all(axis=1)
    return np.where(good, inwards * exact, move), good


def _interpolated_crossing(curves: Array, logs: Sequence[Array], least: int) -> tuple[Array, Array]:
    """Return about the step (r,) to the crossing of cubic curves, and the ranks there (r, K)."""
    log_tail, slope, second, _ = curves
    aim, move, ranks = least - 0.5, np.zeros(len(slope)), np.empty(slope.shape)
    near = max(_NEAR * len(logs), 0.49)
    rows, last, step = np.arange(len(slope)), np.zeros(len(slope)), np.zeros(len(slope))
    for iteration in range(_ITERATIONS):
        along = move[rows, None]
        steep = slope[rows] + second[rows] * along
        here = log_tail[rows] + along * (slope[rows] + 0.5 * second[rows] * along)
        each = np.empty(here.shape)
        for k, given in enumerate(logs):
            each[:, k] = np.interp(here[:, k], given, np.arange(1.0, given.size + 1), left=0)
        ranks[rows] = each
        total = each.sum(axis=1)
        far = ~(np.abs(total - aim) < near)
        rows, total, gap = rows[far], total[far], np.log(aim / total[far])
        if not rows.size:
            break
        steepness = (each[far] * steep[far]).sum(axis=1) / total
        limit = 1 / np.abs(steepness)
        # Ranks rise as fast as tails if scores are uniform, and in general about as before.
        rise = (last[far] - gap) / (steepness * step[far])
        steepness *= np.clip(np.where(np.isfinite(rise), rise, 1), *_RISE)
        # Ranks have steps and gaps: later corrections are damped against oscillation.
        step = np.clip(gap / steepness * 0.9 ** max(iteration - 3, 0), -limit, limit)
        move[rows] += step
        last = gap
    return move, ranks
