"""Partitions on workers, and a matrix that consists of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wgboost.dask.library import is_collection, libraries
from wgboost.data import Cuts, PreparedMatrix, Schema
from wgboost.data.rows import count_rows
from wgboost.persistence import fingerprint
from wgboost.typing import Array

__all__ = ["PartedMatrix", "Parts", "gathered"]


class Parts:
    """The partitions of a Dask array or frame, computed and kept on the workers.

    First as they are, then as codes: a byte for each value.
    """

    ndim = 2

    def __init__(self, client: Any, collection: Any, name: str) -> None:
        if not is_collection(collection) or getattr(collection, "ndim", 2) != 2:
            kind = f"{type(collection).__module__.split('.')[0]} {type(collection).__name__}"
            raise TypeError(
                f"{name} is a {kind}; wgboost.dask takes Dask arrays (n, p) and frames: "
                "dask.array.from_array(X, chunks=(rows, -1)), dask.dataframe.from_pandas(X, "
                "npartitions=4); for data in memory there is wgboost.WGBRegressor"
            )
        if hasattr(collection, "rechunk"):
            collection = collection.rechunk({1: -1})
        self.client, self.name = client, name
        self.futures = client.compute(list(np.ravel(collection.to_delayed())))
        self.wait()
        self.lengths = self.each(count_rows)

    def encoded(self, schema: Schema, cuts: Cuts) -> PartedMatrix:
        """Have workers keep codes in place of values, and return the matrix that these are.

        Raises what the columns of a partition have wrong.
        """
        # A task and not data: who loses it can compute it again.
        known = self.client.submit(_same, (schema, cuts), pure=False)
        self.futures = self.client.map(
            _codes, self.futures, [known] * len(self.futures), pure=False
        )
        self.wait()
        digests = self.each(_digest)
        return PartedMatrix(self, len(cuts.edges), fingerprint(list(cuts.edges), digests))

    def wait(self) -> None:
        """Wait until every partition is there, those that a lost worker held once more."""
        _, distributed = libraries()
        distributed.wait(self.futures)
        for future in self.futures:
            if future.status != "finished":
                future.result()  # raises what went wrong with it

    def each(self, function: Callable[..., Any], *given: list[Any]) -> list[Any]:
        """Return a function of every partition, and of one of each list given, to the client."""
        found = self.client.map(function, self.futures, *given, pure=False)
        answers: list[Any] = self.client.gather(found)
        return answers

    def holders(self) -> list[str]:
        """Return the address of a worker that has each partition."""
        known = self.client.who_has(self.futures)
        return [min(known.get(future.key) or [""]) for future in self.futures]

    @cached_property
    def bounds(self) -> Array:
        """Where each partition begins among all rows, and where the last one ends."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)


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


def _same(value: Any) -> Any:
    return value


def _codes(part: Any, known: tuple[Schema, Cuts]) -> Array:
    """Return the codes (rows, p) of a partition."""
    schema, cuts = known
    if count_rows(part) == 0:
        return np.empty((0, len(cuts.edges)), dtype=np.uint8)
    return cuts.apply(schema.apply(part)).codes


def _digest(codes: Array) -> str:
    return hashlib.sha256(np.ascontiguousarray(codes).data).hexdigest()


def gathered(client: Any, name: str, value: Any, X: Parts) -> Any:
    """Return in memory what belongs to rows: y, a weight, ...

    Raises ValueError unless it is partitioned as X is.
    """
    if not is_collection(value):
        return value
    if getattr(value, "ndim", 1) == 2 and hasattr(value, "rechunk"):
        value = value.rechunk({1: -1})
    parts = client.gather(client.compute(list(np.ravel(value.to_delayed()))))
    lengths = [count_rows(part) for part in parts]
    if lengths != X.lengths:
        raise ValueError(
            f"{name} has partitions of {_few(lengths)} rows, {X.name} of {_few(X.lengths)}: they "
            f"have to be the same; {name}.rechunk(...) for arrays, and for frames take both from "
            "one frame"
        )
    if type(parts[0]).__module__.startswith("pandas"):
        import pandas

        return pandas.concat(parts)
    return np.concatenate(parts)


def _few(lengths: list[int]) -> str:
    shown = ", ".join(map(str, lengths[:5]))
    return shown if len(lengths) <= 5 else f"{shown}, ... ({len(lengths)} partitions)"
