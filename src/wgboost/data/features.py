"""Training features in the forms that learners read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.binning import MAX_BINS, Binned, Cuts
from wgboost.data.matrix import as_matrix
from wgboost.data.stored import StoredMatrix
from wgboost.typing import Array

__all__ = ["Features", "as_matrix"]


@dataclass(frozen=True, eq=False)
class Features:
    """The features of the training rows: raw values, and codes for learners that read those."""

    raw: Array | StoredMatrix  # (n, p)
    cuts: Cuts | None = None
    binned: Binned | None = None

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
        """Take a matrix, and bin it unless `bins` is None; see `Cuts.find`.

        A matrix in a file is binned already.
        """
        if isinstance(X, StoredMatrix):
            return cls(X, X.cuts, X.binned)
        X = as_matrix(X)
        if bins is None:
            return cls(X)
        cuts = Cuts.find(
            X, max_bins=bins, n_levels=n_levels, weight=weight, rng=rng, n_threads=n_threads
        )
        return cls(X, cuts, cuts.apply(X, n_threads=n_threads))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        return self.raw.shape[0], self.raw.shape[1]
