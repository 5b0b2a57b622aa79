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

from wgboost.data import Cuts, PreparedMatrix, Schema
from wgboost.data.fingerprint import fingerprint
from wgboost.data.rows import count_rows, take_rows
from wgboost.typing import Array

__all__ = ["PartedMatrix", "Parts", "first_row"]


class Parts(ABC):
    """The partitions of a table, kept on the workers: first as they are, then as codes.

    Codes are a byte for each value. `futures` are what the workers' libraries know them by.
    """

    ndim = 2
    name: str  # of the argument
    futures: list[Any]
    lengths: list[int]  # rows of each

    @abstractmethod
    def each(self, function: Callable[..., Any], *given: list[Any]) -> list[Any]:
        """Return a function of every partition, and of one of each list given, to the client."""

    @abstractmethod
    def become(self, function: Callable[..., Any], known: Any) -> None:
        """Have workers keep a function of every partition, and of what is known, in its place."""

    @abstractmethod
    def head(self, i: int) -> Any:
        """Return the first row of a partition."""

    @abstractmethod
    def holders(self) -> list[str]:
        """Return the name of the worker for each partition; "" where it was lost."""

    @abstractmethod
    def wait(self) -> None:
        """Wait until every partition is there, those that a lost worker held once more."""

    def encoded(self, schema: Schema, cuts: Cuts) -> PartedMatrix:
        """Have workers keep codes in place of values, and return the matrix that these are.

        Raises what the columns of a partition have wrong.
        """
        self.become(_codes, (schema, cuts))
        digests = self.each(_digest)
        return PartedMatrix(self, len(cuts.edges), fingerprint(list(cuts.edges), digests))

    @cached_property
    def bounds(self) -> Array:
        """Where each partition begins among all rows, and where the last one ends."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)


def first_row(part: Any) -> Any:
    """Return the first row of a partition as a table."""
    return take_rows(part, np.arange(1))


@dataclass(frozen=True, eq=False)
class PartedMatrix(PreparedMatrix):
    """A matrix (n, p) on workers, or some rows of it in their order."""

    parts: Parts
    n_features: int
    known: str  # what the data are known by
    index: Array | None = None  # None: all rows

    @property
    def shape(self) -> tuple[int, int]:
        """(n, p)."""
        rows = int(self.parts.bounds[-1]) if self.index is None else len(self.index)
        return rows, self.n_features

    def __getitem__(self, index: Any) -> PartedMatrix:
        known = np.arange(self.shape[0]) if self.index is None else self.index
        return replace(self, index=known[index])

    def within(self) -> list[tuple[slice, Array | None]]:
        """Return which of these rows are in each partition, and where there; None: all of it."""
        bounds = self.parts.bounds
        if self.index is None:
            return [(slice(int(low), int(high)), None) for low, high in pairwise(bounds)]
        cut = np.searchsorted(self.index, bounds)
        return [
            (slice(int(cut[i]), int(cut[i + 1])), self.index[cut[i] : cut[i + 1]] - bounds[i])
            for i in range(len(bounds) - 1)
        ]


def _codes(part: Any, known: tuple[Schema, Cuts]) -> Array:
    """Return the codes (rows, p) of a partition."""
    schema, cuts = known
    if count_rows(part) == 0:
        return np.empty((0, len(cuts.edges)), dtype=np.uint8)
    return cuts.apply(schema.apply(part)).codes


def _digest(codes: Array) -> str:
    return hashlib.sha256(np.ascontiguousarray(codes).data).hexdigest()
