"""Conversion of batches to training data: codes in a file, and y in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.data.batches import Batch, Batches
from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Cuts
from wgboost.data.frames import as_frame
from wgboost.data.schema import Schema
from wgboost.data.scratch import Scratch
from wgboost.data.stored import StoredMatrix, empty_file
from wgboost.typing import Array

__all__ = ["SAMPLE", "learn_numeric_columns", "read_batches"]

SAMPLE = 200_000  # rows from which the bins are found, as for data in memory


def read_batches(
    batches: Batches,
    schema: Schema | None,
    *,
    categorical_features: Any,
    max_bins: int,
    n_threads: int,
    weigh: Callable[[Array, Array | None], Array | None],
) -> tuple[Schema, StoredMatrix, Array, Array | None]:
    """Return the schema, codes, y and sample weights of batches, which are read twice.

    The first pass learns the schema, keeps y and weights, and draws rows to find the bins. The
    second pass writes codes.

    Parameters
    ----------
    batches : Batches
        The data.
    schema : Schema or None
        The columns, if they are already known.
    categorical_features : object
        Categorical columns, as in the estimators.
    max_bins : int
        Largest number of bins.
    n_threads : int
        Number of threads.
    weigh : callable
        Function of y and the sample weights that returns the weights in training.

    Returns
    -------
    schema : Schema
        The columns.
    matrix : StoredMatrix
        Codes of the features.
    y : array of shape (n,) or (n, q)
        Values to predict.
    weight : array of shape (n,) or None
        Sample weights.
    """
    first = _FirstPass(schema, categorical_features)
    for i, batch in enumerate(batches):
        first.add(i, batch)
    y, weight, schema = np.concatenate(first.y), first.weights(), first.schema
    if schema is None:
        raise ValueError("there are no batches; the function has to yield (X, y) at least once")
    share = weigh(y, weight)
    sample, places = first.sample()
    cuts = Cuts.find(
        sample, max_bins=max_bins, weight=None if share is None else share[places],
        n_threads=n_threads,
    )  # fmt: skip
    folder = Scratch(batches.folder)
    codes = empty_file(folder, (len(y), sample.shape[1]))
    begin, ends = 0, []
    for i, batch in enumerate(batches):
        rows = slice(begin, begin + len(batch.y))
        begin += len(batch.y)
        if not np.array_equal(y[rows], batch.y, equal_nan=y.dtype.kind == "f"):
            raise ValueError(
                f"batch {i} has another y in the second pass than in the first; batches have to "
                "be the same rows in the same order every time: seed what shuffles or draws them"
            )
        matrix = schema.apply(batch.X)
        if len(matrix) != len(batch.y):
            raise ValueError(f"batch {i} has {len(matrix)} rows of X in the second pass")
        binned = cuts.apply(matrix, n_threads=n_threads)
        codes[rows] = binned.codes
        ends.append(BinEnds.of(matrix, binned, cuts, None if share is None else share[rows]))
    if begin < len(y):
        raise ValueError(f"the second pass gave {begin} rows, the first {len(y)}")
    return schema, StoredMatrix(codes, cuts, folder, ends=BinEnds.merge(ends)), y, weight


class _FirstPass:
    """The first pass over batches."""

    def __init__(self, schema: Schema | None, categorical_features: Any) -> None:
        self.schema, self._categorical = schema, categorical_features
        self.y: list[Array] = []
        self.weight: list[Array | None] = []
        self._rng = np.random.default_rng(0)
        self._kept: list[tuple[Array, Array, Array]] = []  # keys, places, rows
        self._n = 0

    def add(self, i: int, batch: Batch) -> None:
        """Add a batch."""
        try:
            if self.schema is None:
                self.schema, matrix = learn_numeric_columns(batch.X, self._categorical)
            else:
                matrix = self.schema.apply(batch.X)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"batch {i}: {error}") from error
        n, weight = len(matrix), batch.weight
        if batch.y.shape[:1] != (n,) or (weight is not None and weight.shape != (n,)):
            shapes = f"y of shape {batch.y.shape}"
            shapes += "" if weight is None else f", weights of shape {weight.shape}"
            raise ValueError(f"batch {i} has {n} rows of X, and {shapes}")
        if self.weight and (weight is None) != (self.weight[0] is None):
            raise ValueError(f"batch {i}: some batches have weights and some have none")
        if self.y and not _alike(batch.y, self.y[0]):
            raise ValueError(
                f"batch {i} has y of dtype {batch.y.dtype} and shape {batch.y.shape}, the first of "
                f"{self.y[0].dtype} and {self.y[0].shape}; make them of one kind"
            )
        self.y.append(batch.y)
        self.weight.append(weight)
        # The rows with the smallest keys are a sample that does not depend on the batch sizes.
        keys, places = self._rng.random(n), np.arange(self._n, self._n + n)
        self._kept.append((keys, places, matrix))
        self._n += n
        if sum(len(part[0]) for part in self._kept) > 2 * SAMPLE:
            self._kept = [self._smallest()]

    def _smallest(self) -> tuple[Array, Array, Array]:
        keys, places, rows = (np.concatenate(part) for part in zip(*self._kept, strict=True))
        if len(keys) > SAMPLE:
            few = np.argpartition(keys, SAMPLE)[:SAMPLE]
            keys, places, rows = (part[few] for part in (keys, places, rows))
        return keys, places, rows

    def sample(self) -> tuple[Array, Array]:
        """Return sampled rows in their order, and their indices."""
        _, places, rows = self._smallest()
        order = np.argsort(places)
        return rows[order], places[order]

    def weights(self) -> Array | None:
        """Return the weights of all rows."""
        known = [weight for weight in self.weight if weight is not None]
        return np.concatenate(known) if known else None


def _alike(y: Array, other: Array) -> bool:
    """Return whether two y can be concatenated; numbers would become text next to text."""
    kinds = {"numbers" if one.dtype.kind in "fiub" else one.dtype.kind for one in (y, other)}
    return y.shape[1:] == other.shape[1:] and len(kinds - {"O"}) < 2


def learn_numeric_columns(
    X: Any, categorical_features: Any, what: str = "batches"
) -> tuple[Schema, Array]:
    """Return the schema of columns of numbers, and the rows as a matrix."""
    frame = as_frame(X)
    schema, matrix = Schema.fit(
        X if frame is not None else np.asarray(X), categorical_features=categorical_features
    )
    for column, known in enumerate(schema.levels):
        if known is not None:
            label = repr(schema.names[column]) if schema.names else column
            raise ValueError(
                f"column {label} is categorical, and {what} "
                "are of numbers: encode it, and set categorical_features=None"
            )
    return schema, matrix
