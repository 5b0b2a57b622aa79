"""Blocks of a Ray Dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wgboost.data.rows import count_rows
from wgboost.distributed import Parts, first_row
from wgboost.distributed.ray.library import got, is_dataset, library
from wgboost.typing import Array

__all__ = ["RayParts"]


_UNEVEN = 1.5  # as many rows of a block as a worker should have: blocks are cut anew
_CUT = 4  # blocks for each worker then


class RayParts(Parts):
    """The blocks of a Ray Dataset, kept in its object store.

    Any worker can read any block. Which one does is decided here, so that all have about as many
    rows; what was lost with a machine Ray computes again.
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
        kept = _in_order(dataset)
        self._take_blocks(kept)
        if max(self.lengths, default=0) > _UNEVEN * sum(self.lengths) / n_workers:
            self._take_blocks(_in_order(kept.repartition(_CUT * n_workers)))
        if not self.futures:
            raise ValueError(f"{name} has no rows")
        self.columns = list(kept.columns() or [])

    def _take_blocks(self, dataset: Any) -> None:
        """Keep the blocks that have rows."""
        self.futures = dataset.to_arrow_refs()
        lengths = self.each(count_rows)
        self.futures = [one for one, n in zip(self.futures, lengths, strict=True) if n]
        self.lengths = [n for n in lengths if n]

    def taken(self, values: dict[str, Any]) -> dict[str, Any]:
        """Take columns out of the table; what is not named by columns stays as it is."""
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
        found = dict(values)
        for name, columns in named.items():
            whole = np.concatenate(self.each(_column, [columns] * len(self.futures)))
            found[name] = whole[:, 0] if isinstance(values[name], str) else whole
        out = {one for columns in named.values() for one in columns}
        if out:
            self.become(_without, sorted(out))
        return found

    def each(self, function: Callable[..., Any], *given: list[Any]) -> list[Any]:
        """Return a function of every block, and of one of each list given, to the client."""
        task = library().remote(function)
        lists = zip(self.futures, *given, strict=True)
        answers: list[Any] = got([task.remote(*some) for some in lists])
        return answers

    def become(self, function: Callable[..., Any], known: Any) -> None:
        """Have Ray keep a function of every block, and of what is known, in its place."""
        ray = library()
        task, common = ray.remote(function), ray.put(known)
        made = [task.remote(one, common) for one in self.futures]
        for one in made:
            got(ray.remote(_there).remote(one))
        self.futures = made

    def head(self, i: int) -> Any:
        """Return the first row of a block."""
        return got(library().remote(first_row).remote(self.futures[i]))

    def holders(self) -> list[str]:
        """Return a worker for each block: the one with the fewest rows so far, large blocks first.

        Workers have no names yet, they get numbers.
        """
        rows, out = [0] * self.n_workers, [""] * len(self.lengths)
        for i in sorted(range(len(self.lengths)), key=lambda i: (-self.lengths[i], i)):
            rank = rows.index(min(rows))
            rows[rank] += self.lengths[i]
            out[i] = f"{rank:09d}"
        return out

    def wait(self) -> None:
        """Do nothing: what a worker asks for and is not there Ray computes again."""


def _in_order(dataset: Any) -> Any:
    """Return a Dataset computed, its blocks in the order of its rows and not of their coming."""
    options = dataset.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        return dataset.materialize()
    finally:
        options.preserve_order = before


def _there(_: Any) -> None:
    """Take a block as an argument: then it has been computed."""


def _column(table: Any, names: Sequence[str]) -> Array:
    """Return columns of an Arrow table (rows, columns)."""
    return np.column_stack([table.column(one).to_numpy() for one in names])


def _without(table: Any, names: list[str]) -> Any:
    return table.drop_columns(names)
