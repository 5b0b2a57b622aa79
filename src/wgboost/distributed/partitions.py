"""Partitions on workers, and a matrix that consists of them."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Cuts
from wgboost.data.fingerprint import fingerprint
from wgboost.data.rows import count_rows, take_rows
from wgboost.data.schema import Schema
from wgboost.data.stored import PreparedMatrix
from wgboost.typing import Array

__all__ = ["PartitionedMatrix", "Partitions", "first_row"]


class Partitions(ABC):
    """The partitions of a table, which workers hold.

    They are tables at first, and codes of a byte per value after `encode`.

    Attributes
    ----------
    name : str
        The argument of `fit` that the table was given as.
    futures : list
        References to the partitions, as the library of the cluster has them.
    lengths : list of int
        The number of rows of each partition.
    """

    ndim = 2
    name: str
    futures: list[Any]
    lengths: list[int]

    @abstractmethod
    def map(self, function: Callable[..., Any], *arguments: list[Any]) -> list[Any]:
        """Call a function for each partition on its worker, and return the results.

        Parameters
        ----------
        function : callable
            Called with a partition and one item of each list of arguments.
        *arguments : list
            Lists with an item for each partition.

        Returns
        -------
        results : list
            The result for each partition, in the memory of the client.
        """

    @abstractmethod
    def transform(self, function: Callable[..., Any], argument: Any) -> None:
        """Replace each partition by a function of it, on its worker.

        Parameters
        ----------
        function : callable
            Called with a partition and `argument`; returns the new partition.
        argument : object
            Sent to all workers.
        """

    @abstractmethod
    def first_row(self, i: int) -> Any:
        """Return the first row of partition `i` as a table."""

    @abstractmethod
    def locate(self) -> list[str]:
        """Return the worker that holds each partition; "" if the partition was lost."""

    @abstractmethod
    def wait(self) -> None:
        """Wait until workers hold all partitions; lost partitions are computed again."""

    def encode(self, schema: Schema, cuts: Cuts) -> PartitionedMatrix:
        """Replace the values of partitions by their codes.

        Parameters
        ----------
        schema : Schema
            The columns of the training table.
        cuts : Cuts
            The edges of the bins of each feature.

        Returns
        -------
        matrix : PartitionedMatrix
            The codes of all rows.

        Raises
        ------
        ValueError
            If a partition has other columns than the schema.
        """
        self.transform(_codes, (schema, cuts))
        digests = self.map(_digest)
        return PartitionedMatrix(self, len(cuts.edges), fingerprint(list(cuts.edges), digests))

    @cached_property
    def offsets(self) -> Array:
        """The first row of each partition among all rows, and the number of all rows."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)


def first_row(partition: Any) -> Any:
    """Return the first row of a partition as a table."""
    return take_rows(partition, np.arange(1))


@dataclass(frozen=True, eq=False)
class PartitionedMatrix(PreparedMatrix):
    """A matrix (n, p) on workers, or some of its rows in their order.

    Attributes
    ----------
    parts : Partitions
        The partitions with the rows of the matrix.
    n_features : int
        The number of columns.
    digest : str
        The fingerprint of the data, by which a checkpoint recognises them.
    index : array of int or None
        The selected rows in increasing order; None selects all rows.
    ends : BinEnds or None
        The smallest and largest value of each bin.
    """

    parts: Partitions
    n_features: int
    digest: str
    index: Array | None = None
    ends: BinEnds | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        rows = int(self.parts.offsets[-1]) if self.index is None else len(self.index)
        return rows, self.n_features

    def __getitem__(self, index: Any) -> PartitionedMatrix:
        selected = np.arange(self.shape[0]) if self.index is None else self.index
        return replace(self, index=selected[index])

    def codes_of_rows(self) -> Array:
        """Return the codes (n, p) of the rows, in the memory of the client."""
        positions = [
            np.arange(rows.stop - rows.start) if some is None else some
            for rows, some in self.rows_by_partition()
        ]
        return np.concatenate(self.parts.map(_taken, positions))

    def rows_by_partition(self) -> list[tuple[slice, Array | None]]:
        """Return the rows of the matrix that are in each partition.

        Returns
        -------
        rows : list of (slice, array or None)
            The rows as a slice of the matrix, and their positions in the partition. None stands
            for the whole partition.
        """
        offsets = self.parts.offsets
        if self.index is None:
            return [(slice(int(low), int(high)), None) for low, high in pairwise(offsets)]
        first = np.searchsorted(self.index, offsets)
        return [
            (slice(int(i), int(j)), self.index[i:j] - offset)
            for (i, j), offset in zip(pairwise(first), offsets[:-1], strict=True)
        ]


def _codes(partition: Any, schema_and_cuts: tuple[Schema, Cuts]) -> Array:
    """Return the codes (rows, p) of a partition."""
    schema, cuts = schema_and_cuts
    if count_rows(partition) == 0:
        return np.empty((0, len(cuts.edges)), dtype=np.uint8)
    return cuts.apply(schema.apply(partition)).codes


def _taken(codes: Array, positions: Array) -> Array:
    """Return the codes of some rows of a partition."""
    return np.ascontiguousarray(codes[positions])


def _digest(codes: Array) -> str:
    """Return a digest of the codes of a partition."""
    return hashlib.sha256(np.ascontiguousarray(codes).data).hexdigest()
