"""Training features in the forms that learners read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import MAX_BINS, Binned, Cuts
from wgboost.data.matrix import as_matrix
from wgboost.data.stored import StoredMatrix
from wgboost.typing import Array

__all__ = ["Features"]


@dataclass(frozen=True, eq=False)
class Features:
    """Hold the features of the training rows.

    Parameters
    ----------
    raw : array of shape (n, p) or StoredMatrix
        Raw values.
    cuts : Cuts, optional
        Bins of the features.
    binned : Binned, optional
        Codes, for learners that read those.
    ends : BinEnds, optional
        Smallest and largest training value of each bin, if they are known.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data import Features
    >>> Features.from_raw(np.arange(4.0)[:, None], bins=2).binned.codes.ravel()
    array([0, 0, 1, 1], dtype=uint8)
    """

    raw: Array | StoredMatrix  # (n, p)
    cuts: Cuts | None = None
    binned: Binned | None = None
    ends: BinEnds | None = None

    @classmethod
    def from_raw(
        cls,
        X: Any,
        *,
        bins: int | None = MAX_BINS,
        n_levels: Array | None = None,
        weight: Any = None,
        rng: np.random.Generator | None = None,
        n_threads: int = 1,
    ) -> Features:
        """Bin a matrix, unless it is a `StoredMatrix`, which is binned already.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        bins : int or None, default=255
            Largest number of bins; None leaves the matrix as it is.
        n_levels : array of shape (p,), optional
            Numbers of categories, and 0 for numbers.
        weight : array of shape (n,) or None
            Sample weights.
        rng : numpy.random.Generator, optional
            Source of randomness.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        Features
            Raw and binned features.

        Examples
        --------
        >>> from wgboost.data import Features
        >>> Features.from_raw([[1.0], [2.0], [4.0]]).cuts.edges
        (array([1.5, 3. ]),)
        """
        if isinstance(X, StoredMatrix):
            return cls(X, X.cuts, X.binned, X.ends)
        X = as_matrix(X)
        if bins is None:
            return cls(X)
        cuts = Cuts.find(
            X, max_bins=bins, n_levels=n_levels, weight=weight, rng=rng, n_threads=n_threads
        )
        binned = cuts.apply(X, n_threads=n_threads)
        given = None if weight is None else np.asarray(weight, dtype=np.float32)
        return cls(X, cuts, binned, BinEnds.of(X, binned, cuts, given, n_threads=n_threads))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        return self.raw.shape[0], self.raw.shape[1]
