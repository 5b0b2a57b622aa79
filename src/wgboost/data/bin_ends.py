"""The smallest and the largest training value of every bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data.binning import Binned, Cuts
from wgboost.data.matrix import as_matrix
from wgboost.typing import Array

__all__ = ["BinEnds"]


@dataclass(frozen=True, eq=False)
class BinEnds:
    """Hold the smallest and the largest training value of every bin of every feature.

    Rows of weight zero do not count. A bin without rows has an infinite range, the wrong way round.
    Categorical features have no bins here.

    Parameters
    ----------
    first : array of shape (p + 1,)
        First bin of each feature, int64.
    low, high : arrays of shape (bins,)
        Smallest and largest value, float64.
    rows : int
        Number of training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.bin_ends import BinEnds
    >>> from wgboost.data.binning import Cuts
    >>> X = np.array([[1.0], [2.0], [5.0], [6.0]])
    >>> cuts = Cuts.find(X, max_bins=2)
    >>> ends = BinEnds.of(X, cuts.apply(X), cuts)
    >>> ends.low, ends.high
    (array([1., 5.]), array([2., 6.]))
    """

    first: Array  # (p + 1,) int64
    low: Array  # (bins,)
    high: Array  # (bins,)
    rows: int

    @classmethod
    def none(cls, cuts: Cuts) -> BinEnds:
        """Return the ends of the bins of no rows."""
        sizes = np.where(cuts.categorical, 0, cuts.n_bins)
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(first, np.full(first[-1], np.inf), np.full(first[-1], -np.inf), 0)

    @classmethod
    def of(
        cls, X: Any, binned: Binned, cuts: Cuts, weight: Array | None = None, *, n_threads: int = 1
    ) -> BinEnds:
        """Return the ends of the bins of some rows.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        binned : Binned
            Their codes.
        cuts : Cuts
            Bins of the features.
        weight : array of shape (n,) or None
            Sample weights, float32.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        BinEnds
            The ends.
        """
        first = cls.none(cuts).first
        low, high = _core.bin_ends(
            x=as_matrix(X), codes=binned.codes.T, first_bin=first, weight=weight,
            n_threads=n_threads,
        )  # fmt: skip
        rows = len(X) if weight is None else int(np.count_nonzero(weight))
        return cls(first, low, high, rows)

    @classmethod
    def merge(cls, parts: Sequence[BinEnds]) -> BinEnds:
        """Return the ends of the rows of all parts."""
        low = np.minimum.reduce([one.low for one in parts])
        high = np.maximum.reduce([one.high for one in parts])
        return replace(parts[0], low=low, high=high, rows=sum(one.rows for one in parts))

    def representatives(self, codes: Array) -> Array:
        """Return values (n, p) that lie in the bins of codes (n, p): the largest of each.

        Missing values are nan, and so are codes of categories.
        """
        values = np.full(codes.shape, np.nan)
        for f, (begin, end) in enumerate(zip(self.first[:-1], self.first[1:], strict=True)):
            known = codes[:, f] < end - begin
            values[known, f] = self.high[begin + codes[known, f].astype(np.int64)]
        return values
