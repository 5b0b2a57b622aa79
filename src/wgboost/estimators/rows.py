"""The rows of a fit: which to train on, which to watch, and what belongs to each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.model_selection import train_test_split

from wgboost.boosting import Start
from wgboost.data import named_columns
from wgboost.estimators.distinct import Distinct, find_distinct, row_hashes
from wgboost.metrics import Metric
from wgboost.responses import Units
from wgboost.targets import RowTarget
from wgboost.typing import Array, Directions

__all__ = ["Rows", "given_sets", "split_rows"]


@dataclass(frozen=True, eq=False)
class Rows(ABC):
    """Rows to train on or to watch, with all that belongs to them.

    What a kind of rows says here is all that training has to know: to hold some out, to watch
    others, to refit and to go on are the same for every kind.
    """

    X: Array  # (n, p)
    weight: Array | None  # (n,)

    def __len__(self) -> int:
        return len(self.X)

    @property
    def counted(self) -> Array:
        """Indices of the rows that count: those of weight zero do not."""
        return np.arange(len(self)) if self.weight is None else np.flatnonzero(self.weight)

    def total(self, some: Array) -> int:
        """How many some of the rows are, where a row of weight 2 is the row twice."""
        return len(some) if self.weight is None else round(float(self.weight[some].sum()))

    def tree_weight(self, leaf: str) -> Array | None:  # noqa: ARG002
        """How much rows count in the leaves of trees, (n,); None: all the same."""
        return self.weight

    @property
    def classes(self) -> Array | None:
        """Codes (n,) of classes whose shares a random split should keep, if there are any."""
        return None

    @property
    def answered(self) -> bool:
        """Whether rows come with a y."""
        return True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of a particle, if they have any."""
        return ()

    @property
    def answer_columns(self) -> list[Array] | None:
        """What belongs to a row beside X, as columns (n,) of numbers.

        None: it is not known, and no row counts as a copy of another.
        """
        return None

    @cached_property
    def distinct(self) -> Distinct:
        """The rows that differ, each with its copies: same features, same y and all else."""
        answers, hashes = self.answer_columns, None
        if answers is not None and isinstance(self.X, np.ndarray):
            hashes = row_hashes(self.X.T, len(self)), row_hashes(answers, len(self))
        return find_distinct(self.weight, len(self), hashes)

    @property
    def to_split(self) -> Distinct:
        """What is held out or put into a fold as a whole: distinct rows, or a few rows one by one.

        Of a few rows that are there many times each, as in a truth table, none can be predicted
        from the others: there copies are split.
        """
        distinct = self.distinct
        return distinct if distinct.predictable else find_distinct(self.weight, len(self), None)

    def once(self, index: Array) -> tuple[Array, Array | None]:
        """Return some of the rows, of copies the first, and the weight of all copies together."""
        distinct, weight = self.distinct, None if self.weight is None else self.weight[index]
        if distinct.weight is None:
            return index, weight
        share = np.ones(len(index)) if weight is None else weight
        units, first, place = np.unique(
            distinct.which[index], return_index=True, return_inverse=True
        )
        total = np.bincount(place, weights=share).astype(np.float32)
        counts = units < len(distinct)
        return index[first[counts]], total[counts]

    def part(self, index: Array) -> Self:
        """Return some of the rows, those with copies once and with the weight of all of them."""
        first, weight = self.once(index)
        return replace(self.take(first), weight=weight)

    def sample(self, n: int, seed: int) -> Self:
        """Return about n of the rows, drawn as those to hold out are, in their order; or all."""
        if len(self) <= n:
            return self
        return self.take(split_rows(self, None, n / len(self), seed)[1])

    def merged(self) -> Self:
        """Return all rows, those with copies once and with the weight of all of them."""
        return self if self.distinct.weight is None else self.part(np.arange(len(self)))

    def units(self) -> Units:
        """Return the units to see y in."""
        return Units()

    @abstractmethod
    def take(self, index: Array) -> Self:
        """Return some of the rows, with all that belongs to them."""

    @abstractmethod
    def others(self, estimator: Any, X: Array, **given: Any) -> Self:
        """Return rows to watch, checked: a table, and y, sample_weight, ... as `fit` takes them."""

    @abstractmethod
    def start(self, estimator: Any, units: Units, like: Start | None = None) -> tuple[Start, Self]:
        """Return the start of new rows, and these rows as seen from it.

        `like` is the start of some of these rows: what was sought for it may be used again.
        """

    def resumed(self, estimator: Any, units: Units, start: Start) -> Self:  # noqa: ARG002
        """Return these rows as seen from the start that they have given."""
        return self

    def particles(self, start: Start) -> Directions:
        """Return where the particles (n, m, d) of these rows, as seen from the start, are."""
        return start.at(self.X)

    def seen_from(self, start: Start) -> Self:  # noqa: ARG002
        """Return these rows, which are new to a start, as seen from it."""
        return self

    @abstractmethod
    def target(self, units: Units) -> RowTarget:
        """Return what the particles of these rows move towards."""

    @abstractmethod
    def metric(self, chosen: Any) -> Metric:
        """Return the metric to watch these rows by; raise if they cannot be."""

    def metrics(self, chosen: Any) -> list[Metric]:
        """Return the metrics that one name or function, or a list of them, stands for."""
        if not isinstance(chosen, (list, tuple)):
            return [self.metric(chosen)]
        found = [self.metric(one) for one in chosen]
        names = [one.name for one in found]
        if not found or len(set(names)) < len(names):
            raise ValueError(
                f"eval_metric={chosen!r} must be one metric, or a list of different ones, of which "
                "the first decides"
            )
        return found

    @abstractmethod
    def scorer(self, metric: Metric, units: Units) -> Callable[[Directions], float]:
        """Return a metric as a function of these rows' particles."""


def split_rows(
    rows: Rows, given: Any, fraction: float, seed: int, groups: Distinct | None = None
) -> tuple[Array, Array]:
    """Return indices of the rows to train on and to hold out; rows of weight zero are in neither.

    `given` is a mask or indices of the rows to hold out, or None: then a random share of the
    groups, or without them of the distinct rows with all their copies, stratified by class where
    every class has two of them.
    """
    if given is not None:
        held, counted = _as_mask(given, len(rows)), rows.counted
        inside, outside = counted[~held[counted]], counted[held[counted]]
    else:
        units = rows.to_split if groups is None else groups
        n = len(units)
        if n < 2:
            raise ValueError(
                f"early stopping holds out rows, of n_samples={n}; two different ones at least are "
                "needed, or early_stopping=False"
            )
        n_held = min(int(np.ceil(fraction * n)), n - 1)
        # A group may have rows of several classes.
        classes = rows.classes if groups is None else None
        classes = None if classes is None else classes[units.first]
        if classes is not None:
            counts = np.unique(classes, return_counts=True)[1]
            if counts.min() < 2 or min(n_held, n - n_held) < counts.size:
                classes = None
        parts = train_test_split(
            np.arange(n), test_size=n_held, random_state=seed % 2**31, stratify=classes
        )
        inside, outside = (units.rows_of(part) for part in parts)
    if inside.size == 0 or outside.size == 0:
        raise ValueError(
            f"{inside.size} rows to train on and {outside.size} to validate; both are needed"
        )
    return np.sort(inside), np.sort(outside)


def _as_mask(given: Any, n: int) -> Array:
    held, index = np.zeros(n, dtype=bool), np.asarray(given)
    try:
        held[index] = True
    except IndexError as error:
        raise ValueError(f"validation_rows does not index {n} rows: {error}") from error
    if index.dtype.kind != "b" and held.sum() < index.size:
        raise ValueError(
            f"validation_rows has {index.size} indices of {held.sum()} rows; a mask has to be of "
            "True and False, indices have to differ"
        )
    return held


def given_sets(estimator: Any, rows: Rows, X_val: Any, beside: dict[str, Any]) -> dict[str, Rows]:
    """Return the user's validation sets by name, checked like the training rows.

    `beside` holds y_val, sample_weight_val and the like: what belongs to each set, or None.
    """
    y_val = beside["y_val"]
    if X_val is None and y_val is None:
        for name, value in beside.items():
            if value is not None:
                raise ValueError(f"{name} belongs to X_val and y_val; give all three")
        return {}
    if X_val is None or (y_val is None and rows.answered):
        raise ValueError("X_val and y_val belong together; give both")
    several = isinstance(X_val, (list, tuple)) and (not X_val or np.ndim(X_val[0]) == 2)
    tables = list(X_val) if several else [X_val]
    lists = dict(beside)
    for name, value in beside.items():
        if not several or value is None:
            lists[name] = [value] * len(tables)
        elif not isinstance(value, (list, tuple)) or len(value) != len(tables) or not tables:
            answered = f"of {len(value)}" if isinstance(value, (list, tuple)) else "is none"
            raise ValueError(
                f"X_val is a list of {len(tables)} sets, {name} {answered}; "
                "as many of both are needed"
            )
    if not tables:
        raise ValueError("X_val is a list of 0 sets; leave it out, or give some")
    sets: dict[str, Rows] = {}
    for i, table in enumerate(tables):
        which = f"set {i + 1} of " if len(tables) > 1 else ""
        given = {name.removesuffix("_val"): values[i] for name, values in lists.items()}
        try:
            table, given, _ = named_columns(table, given)
            X = estimator._matrix(table, reset=False)
            one = rows.others(estimator, X, **given)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{which}X_val, y_val: {error}") from error
        if len(one) != X.shape[0]:
            raise ValueError(f"{which}X_val has {X.shape[0]} rows, y_val has {len(one)}")
        sets["validation" if i == 0 else f"validation_{i + 1}"] = one
    return sets
