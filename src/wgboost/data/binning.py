"""Binning of raw features into uint8 codes by quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.data.matrix import as_matrix
from wgboost.typing import Array, Codes
from wgboost.validation import check_integer, check_threads, check_weight

__all__ = ["MAX_BINS", "Binned", "Cuts"]

MAX_BINS = 255
_SAMPLE = 200_000


@dataclass(frozen=True, eq=False)
class Binned:
    """Hold a binned feature matrix.

    Feature f of a row has a code in [0, n_bins[f]); the code n_bins[f] means missing.

    Parameters
    ----------
    codes : array of shape (n, p)
        Codes as uint8, in Fortran order.
    n_bins : array of shape (p,)
        Number of bins of each feature, int32.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.binning import Cuts
    >>> X = np.array([[1.0], [2.0], [np.nan]])
    >>> Cuts.find(X).apply(X).codes.ravel()
    array([0, 1, 2], dtype=uint8)
    """

    codes: Codes  # (n, p)
    n_bins: Array  # (p,) int32

    def __post_init__(self) -> None:
        codes, n_bins = self.codes, self.n_bins
        if codes.dtype != np.uint8 or codes.ndim != 2 or not codes.flags.f_contiguous:
            raise TypeError(
                f"codes are {codes.dtype} of shape {codes.shape}; a uint8 matrix in Fortran order "
                "is needed, as Cuts.apply returns it"
            )
        if n_bins.shape != (codes.shape[1],) or n_bins.dtype != np.int32:
            raise ValueError("n_bins needs one int32 for each column of codes")
        if n_bins.size and not 1 <= n_bins.min() <= n_bins.max() <= MAX_BINS:
            raise ValueError(f"n_bins must be between 1 and {MAX_BINS}")
        # The core uses codes as indices without checking them.
        if codes.size and (codes.max(axis=0) > n_bins).any():
            column = int(np.argmax(codes.max(axis=0) > n_bins))
            raise ValueError(
                f"column {column} has code {codes[:, column].max()} but {n_bins[column]} bins"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        return self.codes.shape[0], self.codes.shape[1]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Hold the edges between the bins of each feature.

    Parameters
    ----------
    edges : tuple of arrays
        Ascending edges of each feature, float64.
    categorical : array of shape (p,)
        Whether a feature is categorical.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.binning import Cuts
    >>> Cuts.find(np.array([[1.0], [2.0], [4.0]])).edges
    (array([1.5, 3. ]),)
    """

    edges: tuple[Array, ...]  # per feature: ascending float64
    categorical: Array  # (p,) bool

    @classmethod
    def find(
        cls,
        X: Any,
        *,
        max_bins: int = MAX_BINS,
        n_levels: Array | None = None,
        weight: Any = None,
        rng: np.random.Generator | None = None,
        n_threads: int = 1,
    ) -> Cuts:
        """Find the edges from data.

        A feature with at most `max_bins` distinct values gets an edge between all of them.
        Otherwise bins have about equal weight, and a value heavier than a bin has its own. Beyond
        200,000 rows quantiles come from a sample of about that size. Rows of weight zero and
        missing values do not count; infinities are values.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        max_bins : int, default=255
            Largest number of bins.
        n_levels : array of shape (p,), optional
            Numbers of categories, at most 255, and 0 for numbers.
        weight : array of shape (n,) or None
            Sample weights.
        rng : numpy.random.Generator, optional
            Source of randomness.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        Cuts
            The edges.

        Raises
        ------
        ValueError
            If `n_levels` does not fit the features.
        """
        X = as_matrix(X)
        check_threads(n_threads)
        check_integer("max_bins", max_bins, low=2, high=MAX_BINS)
        weight = check_weight(weight, X.shape[0])
        rng = np.random.default_rng(0) if rng is None else rng
        seed = int(rng.integers(2**63))
        edges = _core.find_cuts(
            x=X, weight=weight, max_bins=max_bins, sample_size=_SAMPLE, seed=seed,
            n_threads=n_threads,
        )  # fmt: skip
        levels = np.zeros(X.shape[1], np.int64) if n_levels is None else np.asarray(n_levels)
        if levels.shape != (X.shape[1],) or levels.min() < 0 or levels.max() > MAX_BINS:
            raise ValueError(
                f"n_levels={levels.tolist()} must be one number between 0 and {MAX_BINS} for each "
                f"of {X.shape[1]} features"
            )
        for column in np.flatnonzero(levels):
            edges[column] = np.arange(levels[column]) + 0.5
        return cls(tuple(edges), levels > 0)

    @cached_property
    def n_bins(self) -> Array:
        """Bins of each feature, without the one for missing values."""
        n_edges = np.array([len(edges) for edges in self.edges], dtype=np.int32)
        return n_edges + ~self.categorical

    @cached_property
    def thresholds(self) -> Array:
        """Edges (p, MAX_BINS) of each feature, followed by +inf."""
        table = np.full((len(self.edges), MAX_BINS), np.inf)
        for row, edges in zip(table, self.edges, strict=True):
            row[: len(edges)] = edges
        return table

    def apply(self, X: Any, *, n_threads: int = 1) -> Binned:
        """Return the codes of raw values.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        Binned
            The codes.

        Raises
        ------
        ValueError
            If the number of features differs.
        """
        X = as_matrix(X)
        check_threads(n_threads)
        if X.shape[1] != len(self.edges):
            raise ValueError(
                f"X has {X.shape[1]} features, the cuts were made for {len(self.edges)}"
            )
        codes = _core.apply_cuts(
            x=X, cuts=list(self.edges), n_bins=self.n_bins, n_threads=n_threads
        )
        return Binned(codes.T, self.n_bins)
