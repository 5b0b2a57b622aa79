"""Where the tails of several distributions hold a given number of scores, by few evaluations.

The tails are followed along a coordinate in which their logarithm is nearly a parabola. Each step
evaluates them at one point per row and solves for the order statistic on the parabolas.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["tail_crossing"]

_PASSES = 5
_SMALL = 1e-4  # a last step in log tail, after which the parabola is exact to rounding
_ROUNDING = 1e-9  # relative, outwards: a value as odd as the level is inside
_MOST = 0.45  # of a tail; scores end at one half
_ITERATIONS = 20
_NEAR = 0.49  # in ranks


def tail_crossing(
    dists: Sequence[Mixture], tails: Sequence[Array], least: int, start: Array, *, upper: bool
) -> tuple[Array, Array]:
    """Return the outermost y (n,) whose tails are at least as large as `least` given ones.

    Parameters
    ----------
    dists
        K distributions of n rows, of one continuous response.
    tails
        For each distribution rising probabilities that its tail is compared with.
    least
        The number of pairs with a tail of the row >= a given one.
    start
        First guesses, (n,).
    upper
        The side of the tail.

    Returns
    -------
    y, solved
        The ends, moved outwards by a relative 1e-9 of the tail, and where they were found, (n,).
    """
    n, low = len(start), dists[0].support()[0]
    logged = bool(np.isfinite(low).all() and np.isinf(dists[0].support()[1]).all())
    with np.errstate(all="ignore"):
        logs = [np.log(given) for given in tails]
        u = np.log(start - low) if logged else start.copy()
        y, solved = np.full(n, np.nan), ~np.isfinite(u)
        slope, bend = np.zeros((n, len(dists))), np.zeros((n, len(dists)))
        last_u = np.full(n, np.nan)
        open_ = np.flatnonzero(~solved)
        solved[:] = False
        for step in range(_PASSES):
            at, floor = u[open_], low[open_]
            x = floor + np.exp(at) if logged else at
            parts = dists if open_.size == n else [dist[open_] for dist in dists]
            tail = np.stack([(one.sf if upper else one.cdf)(x) for one in parts], axis=1)
            density = np.stack([one.pdf(x) for one in parts], axis=1)
            density *= (x - floor)[:, None] if logged else 1
            steep = density / tail * (-1 if upper else 1)  # of the log tail
            if step:
                bend[open_] = (steep - slope[open_]) / (at - last_u[open_])[:, None]
            slope[open_], last_u[open_] = steep, at
            known = np.log(tail), steep, bend[open_], logs, least
            move, good = _order_statistic(*known, upper, exactly=step > 0)
            reach = np.abs(move[:, None] * steep).max(axis=1)
            good &= (tail * np.exp(reach)[:, None]).max(axis=1) < _MOST
            found = good & (reach < _SMALL) if step else np.zeros(len(at), dtype=bool)
            outwards = _ROUNDING / np.abs(steep).min(axis=1) * (1 if upper else -1)
            u[open_] = at + move + np.where(found, outwards, 0)
            y[open_[found]] = (low + np.exp(u) if logged else u)[open_[found]]
            solved[open_[found]] = True
            open_ = open_[~found & np.isfinite(u[open_])]
            if not open_.size:
                break
    return y, solved & np.isfinite(y)


def _order_statistic(
    log_tail: Array, slope: Array, bend: Array, logs: Sequence[Array], least: int, upper: bool,
    *, exactly: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return the step (r,) to the crossing of parabolas (r, K), and where it was found.

    It is that of ranks with interpolation, unless `exactly`.
    """
    r, folds = log_tail.shape
    aim, move, ranks = least - 0.5, np.zeros(r), np.empty((r, folds))
    rows = np.arange(r)
    for iteration in range(_ITERATIONS):
        along = move[rows, None]
        here = log_tail[rows] + along * (slope[rows] + 0.5 * bend[rows] * along)
        for k, given in enumerate(logs):
            ranks[rows, k] = np.interp(here[:, k], given, np.arange(1.0, given.size + 1), left=0)
        total = ranks[rows].sum(axis=1)
        steepness = (ranks[rows] * (slope[rows] + bend[rows] * along)).sum(axis=1) / total
        # Ranks have steps and gaps: smaller corrections later on do not go to and fro.
        correction = np.log(aim / total) / steepness * 0.8 ** (iteration // 2)
        far = ~(np.abs(total - aim) < _NEAR)
        limit = 1 / np.abs(steepness)
        move[rows[far]] += np.clip(correction, -limit, limit)[far]
        rows = rows[far]
        if not rows.size:
            break
    if not exactly:
        return move, np.zeros(r, dtype=bool)
    lost = np.asarray(np.isnan(ranks).any(axis=1))
    reached = np.floor(np.where(lost[:, None], 0, ranks)).astype(np.int64)
    missing = least - reached.sum(axis=1)  # rows that are further in
    good = (missing >= 1) & (missing <= folds + 1) & ~lost
    steps = np.full((r, folds, folds + 1), np.inf)
    inwards = -1.0 if upper else 1.0
    for k, given in enumerate(logs):
        index = reached[:, k, None] + np.arange(folds + 1)
        rise = given[np.minimum(index, given.size - 1)] - log_tail[:, k, None]
        one = np.repeat(move[:, None], folds + 1, axis=1)
        for _ in range(4):
            one = rise / (slope[:, k, None] + 0.5 * bend[:, k, None] * one)
        steps[:, k] = np.where(index < given.size, inwards * one, np.inf)
    ordered = np.sort(steps.reshape(r, -1), axis=1)
    chosen = ordered[np.arange(r), np.clip(missing, 1, folds + 1) - 1]
    exact = inwards * chosen
    good &= np.isfinite(exact)
    return np.where(good, exact, move), good
