"""Binned features in a file."""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Binned, Cuts
from wgboost.data.scratch import Scratch
from wgboost.slicing import row_slices
from wgboost.typing import Array

__all__ = ["PreparedMatrix", "StoredMatrix", "empty_file"]

_BLOCK = 2**24  # bytes that are read at a time


class PreparedMatrix(ABC):
    """A matrix (n, p) with known columns and bins. Subclasses decide where the values are."""

    ndim = 2
    ends: BinEnds | None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n, p)."""

    @abstractmethod
    def __getitem__(self, index: Any) -> PreparedMatrix: ...

    @abstractmethod
    def codes_of_rows(self) -> Array:
        """Return the codes (n, p) in memory."""

    def __len__(self) -> int:
        return self.shape[0]


@dataclass(frozen=True, eq=False)
class StoredMatrix(PreparedMatrix):
    """Hold the codes of a matrix, usually in a memory-mapped file.

    A selection of rows gets its own file when it is first read.

    Parameters
    ----------
    codes : array of shape (rows of the file, p)
        Codes as uint8, in Fortran order.
    cuts : Cuts
        Bins of the features.
    folder : Scratch or None
        Folder of the file; None if codes are in memory.
    index : array of int, optional
        Rows of the file; None takes all.
    ends : BinEnds, optional
        Smallest and largest value of each bin, of all rows of the file.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.binning import Cuts
    >>> from wgboost.data.stored import StoredMatrix
    >>> X = np.arange(3.0)[:, None]
    >>> cuts = Cuts.find(X)
    >>> StoredMatrix(cuts.apply(X).codes, cuts, None)[np.array([0, 2])].shape
    (2, 1)
    """

    codes: Array  # (rows of the file, p)
    cuts: Cuts
    folder: Scratch | None
    index: Array | None = None
    ends: BinEnds | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        rows = len(self.codes) if self.index is None else len(self.index)
        return rows, self.codes.shape[1]

    def __getitem__(self, index: Any) -> StoredMatrix:
        known = np.arange(len(self.codes)) if self.index is None else self.index
        return replace(self, index=known[index])

    @cached_property
    def binned(self) -> Binned:
        """The codes of these rows."""
        if self.index is None or np.array_equal(self.index, np.arange(len(self.codes))):
            return Binned(self.codes, self.cuts.n_bins)
        if self.folder is None:
            return Binned(np.asfortranarray(self.codes[self.index]), self.cuts.n_bins)
        codes = empty_file(self.folder, self.shape)
        for rows in row_slices(len(self), max(1, _BLOCK // self.shape[1])):
            codes[rows] = self.codes[self.index[rows]]
        return Binned(codes, self.cuts.n_bins)

    def codes_of_rows(self) -> Array:
        """Return the codes (n, p) in memory."""
        return np.asarray(self.binned.codes)

    def values(self, rows: slice) -> Array:
        """Return the upper edges (rows, p) of the bins of some rows."""
        codes = self.binned.codes[rows]
        table = np.full((codes.shape[1], 256), np.nan)
        for line, edges in zip(table, self.cuts.edges, strict=True):
            line[: len(edges)] = edges
            line[len(edges)] = np.inf
        return np.ascontiguousarray(table[np.arange(codes.shape[1]), codes])

    def predict(self, ensemble: Any, start: Array, n_threads: int) -> Array:
        """Return the start particles (n, m, d) plus the trees of an ensemble at these rows.

        Raise ValueError if the trees split features at other values than the bins.
        """
        inner = (ensemble.feature >= 0) & np.isfinite(ensemble.threshold)
        for feature, edges in enumerate(self.cuts.edges):
            at = ensemble.threshold[inner & (ensemble.feature == feature)]
            other = at[~np.isin(at, edges)]
            if other.size:
                raise ValueError(
                    f"rounds cannot be added with these rows: the model splits feature {feature} "
                    f"at {other[0]:g}, which is no edge of their bins; use the same data, "
                    "or set warm_start=False"
                )
        out = np.empty_like(start)
        for rows in row_slices(len(self), max(1, _BLOCK // (8 * self.shape[1]))):
            out[rows] = ensemble.predict(self.values(rows), start=start[rows], n_threads=n_threads)
        return out


def empty_file(folder: Scratch, shape: tuple[int, int]) -> Array:
    """Return a memory-mapped file for codes of this shape."""
    with tempfile.NamedTemporaryFile(dir=Path(folder.name), suffix=".codes", delete=False) as file:
        name = file.name
    return np.memmap(name, dtype=np.uint8, mode="w+", shape=shape, order="F")
