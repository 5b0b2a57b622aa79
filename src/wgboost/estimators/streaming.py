"""From batches to what training needs of them: codes in a file, and y in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.data import Batch, Batches, Cuts, Schema, StoredMatrix, as_frame
from wgboost.data.scratch import Scratch
from wgboost.data.stored import empty_file
from wgboost.typing import Array

__all__ = ["SAMPLE", "check_start", "learn_columns", "read_batches", "refuse_batches"]

SAMPLE = 200_000  # rows that the cuts are found from, as in memory


def read_batches(
    estimator: Any, batches: Batches, beside: dict[str, Any], *, fitting: bool
) -> tuple[StoredMatrix, dict[str, Any]]:
    """Go through the batches twice; return their codes, and `beside` with y and sample_weight.

    The first pass learns the columns, keeps y and weights, and draws rows to cut the features by;
    the second writes codes.
    """
    _check(estimator, beside)
    first = _FirstPass(estimator, fitting)
    for i, batch in enumerate(batches):
        first.see(i, batch)
    y, weight = np.concatenate(first.y), first.weights()
    beside = {**beside, "y": y, "sample_weight": weight}
    share = estimator._row_weight(beside, len(y), fitting=fitting)
    sample, places = first.sample()
    cuts = Cuts.find(
        sample, max_bins=estimator.max_bins, weight=None if share is None else share[places],
        n_threads=estimator._n_threads(),
    )  # fmt: skip
    folder = Scratch(batches.folder)
    codes = empty_file(folder, (len(y), sample.shape[1]))
    begin = 0
    for i, batch in enumerate(batches):
        rows = slice(begin, begin + len(batch.y))
        begin += len(batch.y)
        if not np.array_equal(y[rows], batch.y, equal_nan=y.dtype.kind == "f"):
            raise ValueError(
                f"batch {i} has another y in the second pass than in the first; batches have to "
                "be the same rows in the same order every time: seed what shuffles or draws them"
            )
        matrix = estimator.schema_.apply(batch.X)
        if len(matrix) != len(batch.y):
            raise ValueError(f"batch {i} has {len(matrix)} rows of X in the second pass")
        codes[rows] = cuts.apply(matrix, n_threads=estimator._n_threads()).codes
    if begin < len(y):
        raise ValueError(f"the second pass gave {begin} rows, the first {len(y)}")
    return StoredMatrix(codes, cuts, folder), beside


def refuse_batches(X_val: Any) -> None:
    """Raise TypeError for rows to watch that are not in memory."""
    if isinstance(X_val, Batches):
        raise TypeError(
            "X_val in batches: rows to watch have to be in memory, and some ten thousand do; or "
            "set early_stopping=True, which holds out some of the rows to train on"
        )


def check_start(init: Any, where: str) -> None:
    """Raise ValueError for a start that is fitted to an X that is elsewhere."""
    given = init is None or isinstance(init, (list, np.ndarray, AveragedFlow))
    if not given and not (isinstance(init, str) and init == "flow"):
        raise ValueError(f"init={init!r} is fitted to X, {where}")


def _check(estimator: Any, beside: dict[str, Any]) -> None:
    for name in ("y", "sample_weight"):
        if beside.get(name) is not None:
            raise ValueError(f"{name} is in the batches: give (X, y) or (X, y, sample_weight)")
    if estimator.learner is not None:
        raise ValueError(
            f"learner={estimator.learner!r} reads X itself, which is not in memory; batches are "
            "for trees (learner=None)"
        )
    check_start(
        estimator.init, 'which is not in memory; batches start at "flow" or at given particles'
    )


class _FirstPass:
    """What is learnt of batches one by one."""

    def __init__(self, estimator: Any, fitting: bool) -> None:
        self.estimator, self.fitting = estimator, fitting
        self.y: list[Array] = []
        self.weight: list[Array | None] = []
        self._rng = np.random.default_rng(0)
        self._kept: list[tuple[Array, Array, Array]] = []  # keys, places, rows
        self._n = 0

    def see(self, i: int, batch: Batch) -> None:
        """Take note of one batch."""
        try:
            if i == 0 and self.fitting:
                matrix = learn_columns(self.estimator, batch.X)
            else:
                matrix = self.estimator.schema_.apply(batch.X)
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
        # The rows with the smallest keys are a sample that does not depend on the batches' sizes.
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
        """Return rows that stand for all, in their order, and where they are among all."""
        _, places, rows = self._smallest()
        order = np.argsort(places)
        return rows[order], places[order]

    def weights(self) -> Array | None:
        """Return the weights of all rows."""
        known = [weight for weight in self.weight if weight is not None]
        return np.concatenate(known) if known else None


def _alike(y: Array, other: Array) -> bool:
    """Whether two y can be one: beside text numbers would become text."""
    kinds = {"numbers" if one.dtype.kind in "fiub" else one.dtype.kind for one in (y, other)}
    return y.shape[1:] == other.shape[1:] and len(kinds - {"O"}) < 2


def learn_columns(estimator: Any, X: Any, what: str = "batches") -> Array:
    """Learn the columns from the first rows and return these as a matrix."""
    frame = as_frame(X)
    estimator.schema_, matrix = Schema.fit(
        X if frame is not None else np.asarray(X),
        categorical_features=estimator.categorical_features,
    )
    names, levels = estimator.schema_.names, estimator.schema_.levels
    for column, known in enumerate(levels):
        if known is not None:
            raise ValueError(
                f"column {repr(names[column]) if names else column} is categorical, and {what} "
                "are of numbers: encode it, and set categorical_features=None"
            )
    estimator.n_features_in_ = matrix.shape[1]
    vars(estimator).pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return matrix
