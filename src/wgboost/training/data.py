"""Training data: features, and what belongs to each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.model_selection import train_test_split

from wgboost.boosting.start import Start
from wgboost.metrics import Metric
from wgboost.responses import Units
from wgboost.targets.base import RowTarget
from wgboost.training.copies import Distinct, find_distinct, row_hashes
from wgboost.training.settings import Settings
from wgboost.typing import Array, Directions

__all__ = ["TrainingData", "random_split"]


@dataclass(frozen=True, eq=False)
class TrainingData(ABC):
    """Rows to train on or to validate with, and all that belongs to them.

    Subclasses say what the target of a row is. Holding rows out, validation, refits and warm starts
    are the same for all of them.
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
    def has_y(self) -> bool:
        """Whether rows come with a y."""
        return True

    @property
    def can_start_smooth(self) -> bool:
        """Whether a Gaussian process can predict where rows start."""
        return False

    @property
    def varied(self) -> bool:
        """Whether rows differ in y, as far as that is known."""
        return True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of a particle, if they have any."""
        return ()

    @property
    def target_columns(self) -> list[Array] | None:
        """What belongs to a row beside X, as columns (n,) of numbers.

        None: it is not known, and no row counts as a copy of another.
        """
        return None

    @cached_property
    def distinct(self) -> Distinct:
        """The rows that differ, each with its copies: same features, same y and all else."""
        columns, hashes = self.target_columns, None
        if columns is not None and isinstance(self.X, np.ndarray):
            hashes = row_hashes(self.X.T, len(self)), row_hashes(columns, len(self))
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
        return self.take(random_split(self, n / len(self), seed)[1])

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
    def n_params(self, settings: Settings) -> int:
        """Return the number of coordinates of a particle."""

    @abstractmethod
    def validation(self, encoder: Any, X: Array, fit_params: dict[str, Any]) -> Self:
        """Return validation data, checked: a matrix, and y, sample_weight, ... as in `fit`."""

    @abstractmethod
    def start(
        self, settings: Settings, n_levels: Array, units: Units, like: Start | None = None
    ) -> tuple[Start, Self]:
        """Return the start of new rows, and these rows relative to it.

        `n_levels` (p,) are the categories of each column. `like` is the start of some of these
        rows, parts of which may be used again.
        """

    def resumed(
        self,
        settings: Settings,  # noqa: ARG002
        n_levels: Array,  # noqa: ARG002
        units: Units,  # noqa: ARG002
        start: Start,  # noqa: ARG002
    ) -> Self:
        """Return these rows relative to the start that they have given."""
        return self

    def particles(self, start: Start) -> Directions:
        """Return the start particles (n, m, d) of these rows, relative to the start."""
        return start.at(self.X)

    def relative_to(self, start: Start) -> Self:  # noqa: ARG002
        """Return these rows, which the start was not fitted to, relative to it."""
        return self

    @abstractmethod
    def target(self, units: Units) -> RowTarget:
        """Return what the particles of these rows move towards."""

    @abstractmethod
    def metric(self, chosen: Any) -> Metric:
        """Return the metric of these rows that `eval_metric` stands for."""

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


def random_split(
    data: TrainingData, fraction: float, seed: int, groups: Distinct | None = None
) -> tuple[Array, Array]:
    """Return indices of rows to train on and to hold out, a random share of groups.

    Without groups it is a share of the distinct rows with all their copies, stratified by class
    where every class has two of them. Rows of weight zero are in neither part.
    """
    units = data.to_split if groups is None else groups
    n = len(units)
    if n < 2:
        raise ValueError(
            f"early stopping holds out rows, of n_samples={n}; two different ones at least are "
            "needed, or early_stopping=False"
        )
    n_held = min(int(np.ceil(fraction * n)), n - 1)
    # A group may have rows of several classes.
    classes = data.classes if groups is None else None
    classes = None if classes is None else classes[units.first]
    if classes is not None:
        counts = np.unique(classes, return_counts=True)[1]
        if counts.min() < 2 or min(n_held, n - n_held) < counts.size:
            classes = None
    parts = train_test_split(
        np.arange(n), test_size=n_held, random_state=seed % 2**31, stratify=classes
    )
    inside, outside = (units.rows_of(part) for part in parts)
    return inside, outside
