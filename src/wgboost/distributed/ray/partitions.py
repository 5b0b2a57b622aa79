"""Blocks of a Ray Dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wgboost.data.rows import count_rows
from wgboost.distributed.partitions import Partitions, first_row
from wgboost.distributed.ray.library import get_results, import_ray, is_dataset
from wgboost.typing import Array

__all__ = ["RayPartitions"]

# A block with this many times the rows that a worker should have makes blocks be split again ...
_MAX_IMBALANCE = 1.5
_BLOCKS_PER_WORKER = 4  # ... into this many.


class RayPartitions(Partitions):
    """The blocks of a Ray Dataset, kept in Ray's object store.

    Every worker can read every block. `locate` assigns blocks so that workers have about as many
    rows each. Ray computes a lost block again.

    Parameters
    ----------
    dataset : ray.data.Dataset
        The table.
    name : str
        The argument of `fit` that it was given as.
    n_workers : int
        The number of workers.
    """

    def __init__(self, dataset: Any, name: str, n_workers: int) -> None:
        if not is_dataset(dataset):
            kind = f"{type(dataset).__module__.split('.')[0]} {type(dataset).__name__}"
            raise TypeError(
                f"{name} is a {kind}; wgboost.ray takes a ray.data.Dataset: "
                "ray.data.read_parquet(folder), ray.data.from_pandas(frame); for data in memory "
                "there is wgboost.WGBRegressor"
            )
        self.name, self.n_workers = name, n_workers
        computed = _materialize_in_order(dataset)
        self._keep_blocks(computed)
        if max(self.lengths, default=0) > _MAX_IMBALANCE * sum(self.lengths) / n_workers:
            split = computed.repartition(_BLOCKS_PER_WORKER * n_workers)
            self._keep_blocks(_materialize_in_order(split))
        if not self.futures:
            raise ValueError(f"{name} has no rows")
        self.columns = list(computed.columns() or [])

    def _keep_blocks(self, dataset: Any) -> None:
        """Keep the blocks that have rows."""
        self.futures = dataset.to_arrow_refs()
        lengths = self.map(count_rows)
        self.futures = [one for one, n in zip(self.futures, lengths, strict=True) if n]
        self.lengths = [n for n in lengths if n]

    def take_columns(self, values: dict[str, Any]) -> dict[str, Any]:
        """Remove the columns that are named as values of rows, and return them.

        Parameters
        ----------
        values : dict
            Names of columns, or values in memory, by argument of `fit`.

        Returns
        -------
        values : dict
            All values in memory.
        """
        named = self._named_columns(values)
        found = dict(values)
        for name, columns in named.items():
            whole = np.concatenate(self.map(_column_values, [columns] * len(self.futures)))
            found[name] = whole[:, 0] if isinstance(values[name], str) else whole
        removed = {one for columns in named.values() for one in columns}
        if removed:
            self.transform(_drop_columns, sorted(removed))
        return found

    def _named_columns(self, values: dict[str, Any]) -> dict[str, list[str]]:
        """Return the columns that arguments name; raise for columns that do not exist."""
        named = {}
        for name, value in values.items():
            if is_dataset(value):
                raise TypeError(
                    f"{name} is a Dataset of its own; {name} is the name of a column of {self.name}"
                )
            if isinstance(value, str):
                named[name] = [value]
            elif isinstance(value, (list, tuple)) and any(one in self.columns for one in value):
                named[name] = list(value)
        for name, columns in named.items():
            unknown = [one for one in columns if one not in self.columns]
            if unknown:
                raise ValueError(
                    f"{name}={unknown[0]!r} is no column of {self.name}; columns: "
                    f"{self.columns[:20]}"
                )
        return named

    def map(self, function: Callable[..., Any], *arguments: list[Any]) -> list[Any]:
        """Call a function for each block; see `Partitions.map`."""
        task = import_ray().remote(function)
        calls = zip(self.futures, *arguments, strict=True)
        results: list[Any] = get_results([task.remote(*call) for call in calls])
        return results

    def transform(self, function: Callable[..., Any], argument: Any) -> None:
        """Replace each block by a function of it; see `Partitions.transform`."""
        ray = import_ray()
        task, shared = ray.remote(function), ray.put(argument)
        results = [task.remote(one, shared) for one in self.futures]
        for one in results:
            get_results(ray.remote(_wait_for_block).remote(one))
        self.futures = results

    def first_row(self, i: int) -> Any:
        """Return the first row of block `i` as a table."""
        return get_results(import_ray().remote(first_row).remote(self.futures[i]))

    def locate(self) -> list[str]:
        """Return a worker for each block: large blocks first, to the worker with the fewest rows.

        Workers have no names before they start, so these are their ranks.
        """
        rows, workers = [0] * self.n_workers, [""] * len(self.lengths)
        for i in sorted(range(len(self.lengths)), key=lambda i: (-self.lengths[i], i)):
            rank = rows.index(min(rows))
            rows[rank] += self.lengths[i]
            workers[i] = f"{rank:09d}"
        return workers

    def wait(self) -> None:
        """Do nothing: Ray computes a lost block when a worker asks for it."""


def _materialize_in_order(dataset: Any) -> Any:
    """Return a computed Dataset, its blocks in the order of its rows."""
    options = dataset.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        return dataset.materialize()
    finally:
        options.preserve_order = before


def _wait_for_block(_: Any) -> None:
    """Do nothing; Ray calls it when the block is computed."""


def _column_values(table: Any, names: Sequence[str]) -> Array:
    """Return columns of an Arrow table (rows, columns)."""
    return np.column_stack([table.column(one).to_numpy() for one in names])


def _drop_columns(table: Any, names: list[str]) -> Any:
    """Return an Arrow table without some columns."""
    return table.drop_columns(names)
