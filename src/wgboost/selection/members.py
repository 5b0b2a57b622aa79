"""Members of a bag: each is fitted without one fold, and stopped by it."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from wgboost.boosting import Interrupted
from wgboost.calibration.folds import taken_beside
from wgboost.data.rows import count_rows, take_rows
from wgboost.estimators.course import Course
from wgboost.estimators.fitting import AT_THE_LIMIT
from wgboost.responses import Units
from wgboost.selection.race import Entry, StoppedError
from wgboost.selection.starts import SharedStarts
from wgboost.typing import Array

__all__ = ["Members", "noted", "told_once"]


@dataclass(eq=False)
class Members:
    """Rows and their folds, and what models of them have in common."""

    X: Any
    y: Any
    beside: dict[str, Any]  # what belongs to rows
    weight: Array  # (n,)
    splits: list[tuple[Array, Array]]  # rows to train on, rows to watch
    units: dict[str, Units]  # of y, by recipe
    new: Callable[[str, int], Any]  # a model of a recipe for a fold, not yet fitted
    verbose: bool = False
    callbacks: Sequence[Any] = ()
    course: Course = field(default_factory=Course)
    _starts: SharedStarts = field(default_factory=SharedStarts)
    _made: dict[tuple[int, str], Entry] = field(default_factory=dict)

    def fit(self, recipe: str, fold: int) -> Entry:
        """Fit a recipe without a fold; what is the same for two recipes is fitted once.

        Raises KeyboardInterrupt if Ctrl-C cut the model short, and StoppedError if a callback did
        and there are other models.
        """
        begun = time.perf_counter()
        member, (train, test) = self.new(recipe, fold), self.splits[fold]
        self._starts.prepare(member, fold)
        settings = fold, _said(member.get_params())
        if settings in self._made:
            return replace(self._made[settings], recipe=recipe, seconds=0.0)
        member._units = self.units[recipe]
        self._fit(member, recipe, fold, train, test)
        if self.course.stopped and self._made:
            raise StoppedError
        self._starts.learn(member, fold, member._n_rows)
        seconds = time.perf_counter() - begun
        metric, values = next(iter(member.history_["validation"].items()))
        total = float(self.weight[member.validation_rows_].sum())
        value = float(values[member.n_estimators_])
        curve = np.array(values) if member._stops_early(len(train)) else None
        entry = Entry(recipe, fold, value, total, seconds, member, curve)
        self._made[settings] = entry
        if self.verbose:
            print(_line(entry, metric, len(self.splits)), flush=True)
        return entry

    def refit(self, recipe: str, fold: int) -> Any:
        """Return a model of a recipe for all rows of the last split; `fold` tells seeds apart.

        The rows that judge find its rounds, as they do in `fit`; then it is fitted to them as well.
        """
        member, (train, test) = self.new(recipe, fold), self.splits[-1]
        member.refit = True
        member._units = self.units[recipe]
        self._fit(member, recipe, fold, train, test)
        if self.course.stopped and not member.refitted_:
            raise StoppedError
        return member

    def refitted(self, kept: Sequence[Entry]) -> tuple[list[Any], bool]:
        """Return models of the latest rows for entries, and whether Ctrl-C came.

        If there was time for some of the first recipe's only, it is those; if for none, the models
        of the entries.
        """
        found: list[Any] = []
        interrupted = False
        for entry in kept:
            try:
                found.append(self.refit(entry.recipe, entry.fold))
            except StoppedError:
                break
            except KeyboardInterrupt:
                interrupted = True
                break
        if len(found) < len(kept):
            found = found[: sum(entry.recipe == kept[0].recipe for entry in kept)]
        return found or [entry.model for entry in kept], interrupted

    def _fit(self, member: Any, recipe: str, fold: int, train: Array, test: Array) -> None:
        if self.course.stopped:
            raise StoppedError
        self.course.begin(recipe, fold)
        member._course = self.course
        fitted = partial(_fit, member, self.X, self.y, self.beside, train, test, self.callbacks)
        noted(fitted, recipe)

    def fit_alone(self, member: Any, recipe: str, train: Array, test: Array) -> Any:
        """Return a model that is fitted as if there were no rows but these."""
        if self.course.stopped:
            raise StoppedError
        self.course.begin(recipe, 0)
        member._course = self.course
        rows, here = np.concatenate([train, test]), np.arange(train.size + test.size)
        along = taken_beside(self.beside, count_rows(self.X), rows)
        some = take_rows(self.X, rows), take_rows(self.y, rows)
        _fit(member, *some, along, here[: train.size], here[train.size :], self.callbacks)
        return member


def _fit(
    member: Any, X: Any, y: Any, beside: dict[str, Any], train: Array, test: Array,
    callbacks: Sequence[Any],
) -> None:  # fmt: skip
    """Fit a member to some rows, stopped by others; raise KeyboardInterrupt if it was cut short."""
    n = len(y) if hasattr(y, "__len__") else train.size + test.size
    if train.size + test.size < n:  # rows in neither count for nothing
        weight = beside["sample_weight"]
        mask = np.zeros(n)
        mask[np.concatenate([train, test])] = 1
        beside = {**beside, "sample_weight": mask if weight is None else mask * np.asarray(weight)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Interrupted)
        warnings.filterwarnings("ignore", AT_THE_LIMIT)  # the bag says it, of the best recipe
        more = {**beside, "validation_rows": test, "callbacks": callbacks}
        told_once(partial(member.fit, X, y, **more))
    if member.interrupted_:
        raise KeyboardInterrupt


def told_once(function: Any) -> Any:
    """Call a function without what was said when the bag took in its rows."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "text labels are taken in the order")
        return function()


def noted(function: Any, recipe: str) -> Any:
    """Call a function; what it raises says which recipe it was about."""
    try:
        return function()
    except Exception as error:
        error.add_note(f"in the recipe {recipe!r}")
        raise


def _said(parameters: dict[str, Any]) -> str:
    """Return parameters as text that differs where they do: arrays in full."""
    whole = {k: np.asarray(v) if hasattr(v, "__array__") else v for k, v in parameters.items()}
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(whole)


def _line(entry: Entry, metric: str, n_folds: int) -> str:
    member = entry.model
    return (
        f"{entry.recipe}, fold {entry.fold + 1} of {n_folds}: {metric} {entry.value:.4f}, "
        f"{member.n_estimators_} rounds, evidence {member.evidence_:.3g}, {entry.seconds:.1f} s"
    )
