"""Tables of the cdf of mixtures of counts from 0 on, by Panjer's recursion.

The masses of Poisson and negative binomial counts need no special function this way. Extra zeros
are an atom at 0. Quantiles of mixtures of counts up to a few hundred are read from such a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.weights import mix
from wgboost.responses import Response
from wgboost.responses.counts import Count
from wgboost.responses.zero_inflated import ZeroInflated
from wgboost.typing import Array

__all__ = [
    "LONGEST_TABLE",
    "Components",
    "CountTable",
    "components_of",
    "is_tabled",
    "table_quantile",
]

LONGEST_TABLE = 512
"""Largest number of counts of a table."""

_WIDTH = 16  # counts per step
_LARGEST_MEAN = 256.0
_UNDERFLOW = -600.0  # log mass from which the recursion cannot start
_BLOCK = 2**15  # size of an array of masses: a few of them fit in the cache
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12  # differences that may be rounding


class Components(NamedTuple):
    """Counts of a family with shares that sum to 1 - zero, and an atom at 0."""

    family: Count
    theta: Array  # (..., m, d)
    share: Array  # (..., m)
    zero: Array  # (...)

    def take(self, rows: Array) -> Components:
        """Return the components of some rows."""
        parts = (self.theta, self.share, self.zero)
        return Components(self.family, *(part[rows] for part in parts))

    def blocks(self) -> list[Array]:
        """Return blocks of rows of theta (n, G, m, d) whose counts may fit in a table."""
        with np.errstate(all="ignore"):
            mean = mix(self.family.mean(self.theta), self.share).max(axis=1)
            lost = (self.family.log_zero(self.theta) < _UNDERFLOW) & (self.share > 0)
        fit = np.flatnonzero((mean <= _LARGEST_MEAN) & ~lost.any(axis=(1, 2)))
        # Rows with similar means finish together.
        fit = fit[np.argsort(mean[fit], kind="stable")]
        width = self.share.shape[1] * self.share.shape[2]
        return [fit[block] for block in row_blocks(fit.size, width, _BLOCK)]


def is_tabled(response: Response) -> bool:
    """Return whether the counts of a response have a recursion, apart from extra zeros."""
    family = response.part if isinstance(response, ZeroInflated) else response
    return isinstance(family, Count) and family.recursive


def components_of(response: Response, theta: Array, weights: Array | None) -> Components:
    """Return the components of mixtures, theta (..., m, d) with weights (..., m)."""
    m = theta.shape[-2]
    share = np.full(theta.shape[:-1], 1 / m) if weights is None else weights
    family, zero = response, np.zeros(theta.shape[:-2])
    if isinstance(family, ZeroInflated):
        extra = share * special.expit(theta[..., -1])
        share, zero = share * special.expit(-theta[..., -1]), extra.sum(axis=-1)
        family, theta = family.part, theta[..., :-1]
    assert isinstance(family, Count)
    return Components(family, theta, share, zero)


class CountTable:
    """The cdf of G mixtures for each of r rows, a few counts at a time."""

    def __init__(self, parts: Components) -> None:
        constant, slope = parts.family.panjer(parts.theta)
        with np.errstate(under="ignore"):
            mass = parts.share * np.exp(parts.family.log_zero(parts.theta))
        self._constant, self._slope, self._mass = (
            np.ascontiguousarray(np.moveaxis(part, 0, -1)) for part in (constant, slope, mass)
        )  # (G, m, r)
        self._reached = np.ascontiguousarray(parts.zero.T)  # (G, r)
        self.count = 0
        """First count that is not in the table."""

    def extend(self) -> Array:
        """Return the cdf (16, G, r) at the next counts."""
        table = np.empty((_WIDTH, *self._reached.shape))
        factor = np.empty_like(self._mass)
        flat = not self._slope.any()
        with np.errstate(under="ignore"):
            for at in table:
                self._reached += self._mass.sum(axis=1)
                at[:] = self._reached
                if flat:
                    self._mass *= self._constant
                else:
                    np.multiply(self._slope, self.count, out=factor)
                    factor += self._constant
                    self._mass *= factor
                self.count += 1
                self._mass *= 1 / self.count
        return table

    def keep(self, rows: Array) -> None:
        """Drop all other rows."""
        for name in ("_constant", "_slope", "_mass", "_reached"):
            setattr(self, name, np.ascontiguousarray(getattr(self, name)[..., rows]))


def table_quantile(
    response: Response, theta: Array, weights: Array | None, q: Array, *, upper: bool
) -> Array:
    """Return the smallest whole x with cdf(x) >= q, or if `upper` with sf(x) <= q, (n,).

    NaN where a table would be too long, or where the probability at a count is equal to q up to
    rounding.
    """
    found = np.full(q.shape, np.nan)
    if not is_tabled(response):
        return found
    parts = components_of(response, theta[:, None], None if weights is None else weights[:, None])
    tolerance = _RELATIVE * q + (_ABSOLUTE if upper else 0)
    for block in parts.blocks():
        table, rows = CountTable(parts.take(block)), block
        while rows.size and table.count < LONGEST_TABLE:
            first, reached = table.count, table.extend()[:, 0]
            gap = (1 - reached if upper else reached) - q[rows]
            ambiguous = (np.abs(gap) <= tolerance[rows]).any(axis=0)
            hit = gap <= 0 if upper else gap >= 0
            done = hit[-1]
            found[rows] = np.where(done & ~ambiguous, first + hit.argmax(axis=0), np.nan)
            rest = ~(done | ambiguous)
            rows = rows[rest]
            if not rest.all():
                table.keep(rest)
    return found
