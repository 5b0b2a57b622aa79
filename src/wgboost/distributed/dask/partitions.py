"""Partitions on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

from wgboost.data.rows import count_rows
from wgboost.distributed.dask.library import import_dask, is_collection
from wgboost.distributed.partitions import Partitions, first_row

__all__ = ["DaskPartitions", "gather_rows"]


class DaskPartitions(Partitions):
    """The partitions of a Dask array or frame, computed and kept on the workers.

    Parameters
    ----------
    client : dask.distributed.Client
        The connection to the cluster.
    collection : Dask array (n, p) or frame
        The table.
    name : str
        The argument of `fit` that it was given as.
    """

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
        self.lengths = self.map(count_rows)

    def map(self, function: Callable[..., Any], *arguments: list[Any]) -> list[Any]:
        """Call a function for each partition; see `Partitions.map`."""
        futures = self.client.map(function, self.futures, *arguments, pure=False)
        results: list[Any] = self.client.gather(futures)
        return results

    def transform(self, function: Callable[..., Any], argument: Any) -> None:
        """Replace each partition by a function of it; see `Partitions.transform`."""
        # A task, and not scattered data: Dask can compute it again after a loss.
        shared = self.client.submit(_identity, argument, pure=False)
        self.futures = self.client.map(
            function, self.futures, [shared] * len(self.futures), pure=False
        )
        self.wait()

    def first_row(self, i: int) -> Any:
        """Return the first row of partition `i` as a table."""
        return self.client.submit(first_row, self.futures[i]).result()

    def locate(self) -> list[str]:
        """Return the address of a worker that holds each partition."""
        found = self.client.who_has(self.futures)
        return [min(found.get(future.key) or [""]) for future in self.futures]

    def wait(self) -> None:
        """Wait until workers hold all partitions.

        Raises
        ------
        RuntimeError
            If a partition was lost and Dask cannot compute it again.
        """
        _, distributed = import_dask()
        try:
            distributed.wait(self.futures)
            for future in self.futures:
                if future.status != "finished":
                    future.result()  # raises its error
        except CancelledError as error:
            raise RuntimeError(
                f"a partition of {self.name} is gone with its worker, and Dask cannot compute it "
                "again: data that were scattered have no recipe; read them from files, and fit "
                "again"
            ) from error


def _identity(value: Any) -> Any:
    """Return the value."""
    return value


def gather_rows(client: Any, name: str, value: Any, X: Partitions) -> Any:
    """Return the values of rows that `fit` was given as the argument `name`, in memory.

    Raises
    ------
    ValueError
        If the values are partitioned in another way than X.
    """
    if not is_collection(value):
        return value
    if getattr(value, "ndim", 1) == 2 and hasattr(value, "rechunk"):
        value = value.rechunk({1: -1})
    parts = client.gather(client.compute(list(np.ravel(value.to_delayed()))))
    lengths = [count_rows(part) for part in parts]
    if lengths != X.lengths:
        raise ValueError(
            f"{name} has partitions of {_shortened(lengths)} rows, {X.name} of "
            f"{_shortened(X.lengths)}: they have to be the same; {name}.rechunk(...) for arrays, "
            "and for frames take both from one frame"
        )
    if type(parts[0]).__module__.startswith("pandas"):
        import pandas

        return pandas.concat(parts)
    return np.concatenate(parts)


def _shortened(lengths: list[int]) -> str:
    """Return the first few lengths as text."""
    shown = ", ".join(map(str, lengths[:5]))
    return shown if len(lengths) <= 5 else f"{shown}, ... ({len(lengths)} partitions)"
