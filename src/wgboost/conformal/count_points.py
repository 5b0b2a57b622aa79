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
_NEAR = 0.2  # in counts


class _Side(NamedTuple):
    """One tail of the mixtures of K folds, their scores, and the rows to agree."""

    mean: Array  # (r, K, m)
    scale: Array  # (r, K, m); 1 over standard deviations, negative for the upper tail
    skew: Array  # (r, K, m); a sixth of the skewness
    share: Array  # (r, K, m)
    atom: Array  # (r, K); the tail has at least this probability
    logs: Sequence[Array]
    least: int

    def agreement(self, y: Array, rows: Array) -> tuple[Array, Array]:
        """Return whether enough rows agree (r,), and about by how much more, in logs (r,)."""
        z = (y[:, None, None] - self.mean[rows]) * self.scale[rows]
        skew = self.skew[rows]
        z -= skew * (np.square(z) - 1) * (1 - 2.5 * skew * z)  # as of Poisson counts; rises with z
        tail = np.log(self.atom[rows] + (self.share[rows] * special.ndtr(z)).sum(axis=-1))
        held, total = np.zeros(len(y)), np.zeros(len(y))
        for k, known in enumerate(self.logs):
            rank = np.interp(tail[:, k], known, np.arange(1.0, known.size + 1), left=0)
            held += np.floor(rank)
            total += rank
        return held >= self.least, np.log((total + 0.5) / self.least)


def count_points(
    dists: Sequence[Mixture], tails: Sequence[Array], least: int, *, upper: bool
) -> Array:
    """Return about the y (n,) whose tails are as large as `least` given ones.

    As `tail_crossing`, for counts of mean above a few hundred. Extra zeros are an atom at 0.
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
            points[rows] = _crossing(_side(parts, logs, least, upper=upper), upper=upper)
    return points


def _side(parts: Sequence[Components], logs: Sequence[Array], least: int, *, upper: bool) -> _Side:
    mean, variance = (
        np.stack([of(part.theta) for part, of in zip(parts, functions, strict=True)], axis=1)
        for functions in zip(*((part.family.mean, part.family.var) for part in parts), strict=True)
    )
    deviation = np.sqrt(variance)
    skewness = (2 * variance / mean - 1) / deviation  # of Poisson and negative binomial counts
    sign = -1 if upper else 1
    atom = np.stack([part.zero for part in parts], axis=1)
    return _Side(
        mean - 0.5, sign / deviation, sign * skewness / 6,
        np.stack([part.share for part in parts], axis=1), np.zeros_like(atom) if upper else atom,
        logs, least,
    )  # fmt: skip


def _crossing(side: _Side, *, upper: bool) -> Array:
    """Return where rows stop to agree, by the Illinois method with bisections between."""
    reach = _FARTHEST / np.abs(side.scale)
    rows = np.arange(len(side.mean))
    a = np.maximum((side.mean - reach).min(axis=(1, 2)), -1.0)
    b = (side.mean + reach).max(axis=(1, 2))
    inner, outer = (a, b) if upper else (b, a)  # the tail is large at the inner end
    of_inner, of_outer = side.agreement(inner, rows)[1], side.agreement(outer, rows)[1]
    last = np.zeros(len(rows))
    for step in range(_STEPS):
        p, q, f, g = inner[rows], outer[rows], of_inner[rows], of_outer[rows]
        share = np.where((step % 3 == 2) | ~(f > 0) | ~(g < 0), 0.5, f / (f - g))
        here = p + (q - p) * np.clip(share, 0.01, 0.99)
        inside, value = side.agreement(here, rows)
        # An end that stays twice counts half.
        of_inner[rows] = np.where(inside, value, np.where(last[rows] < 0, f / 2, f))
        of_outer[rows] = np.where(inside, np.where(last[rows] > 0, g / 2, g), value)
        inner[rows], outer[rows] = np.where(inside, here, p), np.where(inside, q, here)
        last[rows] = np.where(inside, 1, -1)
        rows = rows[np.abs(outer[rows] - inner[rows]) > _NEAR]
        if not rows.size:
            break
    middle: Array = (inner + outer) / 2
    return middle
