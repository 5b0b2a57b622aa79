"""About where enough rows of all folds agree on a count, without special functions of counts.

The tails of components are those of a normal distribution, with the first two corrections of
Cornish and Fisher for the skewness and kurtosis of Poisson counts. This gives a start for a search
with the tails themselves, which takes two evaluations from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from wgboost.predictive import Mixture
from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.count_tables import Components, components_of
from wgboost.typing import Array

__all__ = ["count_points"]

_BLOCK = 2**16
_STEPS = 30
_FARTHEST = 37.0  # standard deviations from the outermost components, where tails underflow
_AROUND = 4.0  # standard deviations from the first guess
_NEAR = 0.2  # in counts
_NEGLIGIBLE = 1e-9  # share of a tail


class _Side(NamedTuple):
    """One tail of the mixtures of K folds, their scores, and the rows to agree.

    Components are in one list. Those whose probability does not change between the ends of their
    row's bracket leave it: their share is then in `sure`, or nothing.
    """

    group: Array  # (c,); row * K + fold
    mean: Array  # (c,)
    scale: Array  # (c,); 1 over standard deviations, negative for the upper tail
    skew: Array  # (c,); a sixth of the skewness
    share: Array  # (c,)
    sure: Array  # (r, K); the tail has at least this probability
    logs: Sequence[Array]
    least: int

    def probabilities(self, y: Array) -> Array:
        """Return the tails (c,) of the components at y (r,)."""
        z = (y[self.group // self.sure.shape[1]] - self.mean) * self.scale
        z -= self.skew * (np.square(z) - 1) * (1 - 2.5 * self.skew * z)  # as of Poisson counts
        tail: Array = special.ndtr(z)  # rises with z
        return tail

    def mixed(self, probabilities: Array) -> Array:
        """Return the tails (r, K) of the mixtures."""
        each = np.bincount(self.group, self.share * probabilities, self.sure.size)
        total: Array = self.sure + each.reshape(self.sure.shape)
        return total

    def agreement(self, probabilities: Array, rows: Array) -> tuple[Array, Array]:
        """Return whether enough rows agree (r,), and about by how much more, in logs (r,)."""
        tail = np.log(self.mixed(probabilities)[rows])
        held, total = np.zeros(len(rows)), np.zeros(len(rows))
        for k, known in enumerate(self.logs):
            rank = np.interp(tail[:, k], known, np.arange(1.0, known.size + 1), left=0)
            held += np.floor(rank)
            total += rank
        # Where enough rows agree, all ranks but one are half-way between whole numbers on average.
        return held >= self.least, np.log((total + 0.5) / (self.least + 0.5 * len(self.logs)))

    def without_known(self, inner: Array, outer: Array, open_: Array) -> tuple[_Side, Array]:
        """Return the side of the components that still matter, and which those are (c,).

        `inner` and `outer` are tails (c,) at the ends of the brackets, and `open_` (r,) are the
        rows that are searched.
        """
        some = np.repeat(open_, self.sure.shape[1])[self.group]
        one = some & (outer >= 1 - _NEGLIGIBLE)
        least = self.mixed(outer).ravel()[self.group]
        some &= ~one & (inner * self.share > _NEGLIGIBLE * least)
        sure = np.bincount(self.group[one], self.share[one], self.sure.size)
        kept = self._replace(
            group=self.group[some], mean=self.mean[some], scale=self.scale[some],
            skew=self.skew[some], share=self.share[some],
            sure=self.sure + sure.reshape(self.sure.shape),
        )  # fmt: skip
        return kept, some


def count_points(
    dists: Sequence[Mixture], tails: Sequence[Array], least: int, tail: float, *, upper: bool
) -> Array:
    """Return about the y (n,) whose tails are as large as `least` given ones.

    As `tail_crossing`, for counts of mean above a few hundred. Extra zeros are an atom at 0. `tail`
    is about the size of the tails there.
    """
    n, m = dists[0].particles.shape[:2]
    points = np.empty(n)
    with np.errstate(divide="ignore"):
        logs = [np.log(known) for known in tails]
    for rows in row_blocks(n, len(dists) * m, _BLOCK):
        parts = [
            components_of(dist.response, dist.theta(rows), dist.weights_of(rows)) for dist in dists
        ]
        with np.errstate(all="ignore"):
            points[rows] = _crossing(_side(parts, logs, least, upper=upper), tail, upper=upper)
    return points


def _side(parts: Sequence[Components], logs: Sequence[Array], least: int, *, upper: bool) -> _Side:
    mean, variance = (
        np.stack([of(part.theta) for part, of in zip(parts, functions, strict=True)], axis=1)
        for functions in zip(*((part.family.mean, part.family.var) for part in parts), strict=True)
    )  # (r, K, m)
    deviation = np.sqrt(variance)
    skewness = (2 * variance / mean - 1) / deviation  # of Poisson and negative binomial counts
    sign = -1 if upper else 1
    atom = np.stack([part.zero for part in parts], axis=1)
    share = np.stack([part.share for part in parts], axis=1)
    return _Side(
        group=np.repeat(np.arange(atom.size), mean.shape[2]), mean=(mean - 0.5).ravel(),
        scale=(sign / deviation).ravel(), skew=(sign * skewness / 6).ravel(),
        share=share.ravel(), sure=np.zeros_like(atom) if upper else atom, logs=logs, least=least,
    )  # fmt: skip


def _crossing(side: _Side, tail: float, *, upper: bool) -> Array:
    """Return where rows stop to agree, by the Illinois method with bisections between."""
    inner, outer = _bracket(side, tail, upper=upper)
    everywhere = np.arange(len(inner))
    of_inner, of_outer = side.probabilities(inner), side.probabilities(outer)
    f, g = side.agreement(of_inner, everywhere)[1], side.agreement(of_outer, everywhere)[1]
    last, open_ = np.zeros(len(inner)), np.ones(len(inner), dtype=bool)
    for step in range(_STEPS):
        side, kept = side.without_known(of_inner, of_outer, open_)
        of_inner, of_outer = of_inner[kept], of_outer[kept]
        rows = np.flatnonzero(open_)
        share = np.where((step % 4 == 3) | ~(f > 0) | ~(g < 0), 0.5, f / (f - g))[rows]
        here = inner.copy()
        here[rows] = _between(inner[rows], outer[rows], share)
        found = side.probabilities(here)
        held, value = side.agreement(found, rows)
        inside = np.zeros(len(inner), dtype=bool)
        inside[rows] = held
        of_row = inside[side.group // side.sure.shape[1]]
        of_inner, of_outer = np.where(of_row, found, of_inner), np.where(of_row, of_outer, found)
        # An end that stays twice counts half.
        f[rows] = np.where(held, value, np.where(last[rows] < 0, f[rows] / 2, f[rows]))
        g[rows] = np.where(held, np.where(last[rows] > 0, g[rows] / 2, g[rows]), value)
        inner[rows] = np.where(held, here[rows], inner[rows])
        outer[rows] = np.where(held, outer[rows], here[rows])
        last[rows] = np.where(held, 1, -1)
        open_ = np.abs(outer - inner) > _NEAR
        if not open_.any():
            break
    middle: Array = (inner + outer) / 2
    return middle


def _between(inner: Array, outer: Array, share: Array) -> Array:
    """Return the points at a share of the way, and a little further from the nearer ends.

    So an accurate share does not only move the nearer end of a bracket, but the other one.
    """
    width = outer - inner
    nearer = np.minimum(share, 1 - share) * width
    beyond = np.copysign(np.maximum(0.1 * np.abs(nearer), 0.4 * _NEAR), width)
    here = inner + share * width + np.where(share < 0.5, beyond, -beyond)
    return np.where(np.abs(width) > 2 * _NEAR, here, inner + width / 2)


def _bracket(side: _Side, tail: float, *, upper: bool) -> tuple[Array, Array]:
    """Return points (r,) at which enough rows agree, and points at which they do not.

    A bracket has a few deviations around the quantile of all folds at `tail`, or else everything.
    """
    r, folds = side.sure.shape
    mean, deviation = side.mean.reshape(r, -1), 1 / np.abs(side.scale).reshape(r, -1)
    sign = 1 if upper else -1  # from inner to outer
    points = mean - sign * special.ndtri(tail) * deviation
    order = np.argsort(-sign * points, axis=1)
    shares = np.take_along_axis(side.share.reshape(r, -1), order, axis=1).cumsum(axis=1) / folds
    at = np.minimum((shares < tail).sum(axis=1), mean.shape[1] - 1)
    chosen = np.take_along_axis(order, at[:, None], axis=1)[:, 0]
    centre, reach = points[np.arange(r), chosen], _AROUND * deviation[np.arange(r), chosen]
    least = np.maximum((mean - _FARTHEST * deviation).min(axis=1), -1.0)
    most = (mean + _FARTHEST * deviation).max(axis=1)
    far_inner, far_outer = (least, most) if upper else (most, least)
    inner = np.clip(centre - sign * reach, least, most)
    outer = np.clip(centre + sign * reach, least, most)
    everywhere = np.arange(r)
    inner = np.where(side.agreement(side.probabilities(inner), everywhere)[0], inner, far_inner)
    outer = np.where(side.agreement(side.probabilities(outer), everywhere)[0], far_outer, outer)
    return inner, outer
