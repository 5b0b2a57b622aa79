"""Partitions on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

from wgboost.data.rows import count_rows
from wgboost.distributed import Parts, first_row
from wgboost.distributed.dask.library import is_collection, libraries

__all__ = ["DaskParts", "gathered"]


class DaskParts(Parts):
    """The partitions of a Dask array or frame, computed and kept on the workers."""

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

    def each(self, function: Callable[..., Any], *given: list[Any]) -> list[Any]:
        """Return a function of every partition, and of one of each list given, to the client."""
        found = self.client.map(function, self.futures, *given, pure=False)
        answers: list[Any] = self.client.gather(found)
        return answers

    def become(self, function: Callable[..., Any], known: Any) -> None:
        """Have workers keep a function of every partition, and of what is known, in its place."""
        # A task and not data: who loses it can compute it again.
        kept = self.client.submit(_same, known, pure=False)
        self.futures = self.client.map(
            function, self.futures, [kept] * len(self.futures), pure=False
        )
        self.wait()

    def head(self, i: int) -> Any:
        """Return the first row of a partition."""
        return self.client.submit(first_row, self.futures[i]).result()

    def holders(self) -> list[str]:
        """Return the address of a worker that has each partition."""
        known = self.client.who_has(self.futures)
        return [min(known.get(future.key) or [""]) for future in self.futures]

    def wait(self) -> None:
        """Wait until every partition is there, those that a lost worker held once more."""
        _, distributed = libraries()
        try:
            distributed.wait(self.futures)
            for future in self.futures:
                if future.status != "finished":
                    future.result()  # raises what went wrong with it
        except CancelledError as error:
            raise RuntimeError(
                f"a partition of {self.name} is gone with its worker, and Dask cannot compute it "
                "again: data that were scattered have no recipe; read them from files, and fit anew"
            ) from error


def _same(value: Any) -> Any:
    return value


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
