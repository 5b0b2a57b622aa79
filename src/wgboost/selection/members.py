"""Members of a bag: each is fitted without one fold, and stopped by it."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from wgboost.boosting import Interrupted
from wgboost.calibration.folds import taken_beside
from wgboost.data.rows import count_rows, take_rows
from wgboost.responses import Units
from wgboost.selection.race import Entry
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
    _starts: SharedStarts = field(default_factory=SharedStarts)
    _made: dict[tuple[int, str], Entry] = field(default_factory=dict)

    def fit(self, recipe: str, fold: int) -> Entry:
        """Fit a recipe without a fold; what is the same for two recipes is fitted once.

        Raises KeyboardInterrupt if the model was cut short.
        """
        begun = time.perf_counter()
        member, (train, test) = self.new(recipe, fold), self.splits[fold]
        self._starts.prepare(member, fold)
        settings = fold, _said(member.get_params())
        if settings in self._made:
            return replace(self._made[settings], recipe=recipe, seconds=0.0)
        member._units = self.units[recipe]
        noted(partial(_fit, member, self.X, self.y, self.beside, train, test), recipe)
        self._starts.learn(member, fold, member._n_rows)
        seconds = time.perf_counter() - begun
        metric, values = next(iter(member.history_["validation"].items()))
        total = float(self.weight[member.validation_rows_].sum())
        value = float(values[member.n_estimators_])
        entry = self._made[settings] = Entry(recipe, fold, value, total, seconds, member)
        if self.verbose:
            print(_line(entry, metric, len(self.splits)), flush=True)
        return entry

    def fit_alone(self, member: Any, train: Array, test: Array) -> Any:
        """Return a model that is fitted as if there were no rows but these."""
        rows, here = np.concatenate([train, test]), np.arange(train.size + test.size)
        along = taken_beside(self.beside, count_rows(self.X), rows)
        some = take_rows(self.X, rows), take_rows(self.y, rows)
        _fit(member, *some, along, here[: train.size], here[train.size :])
        return member


def _fit(member: Any, X: Any, y: Any, beside: dict[str, Any], train: Array, test: Array) -> None:
    """Fit a member to some rows, stopped by others; raise KeyboardInterrupt if it was cut short."""
    n = len(y) if hasattr(y, "__len__") else train.size + test.size
    if train.size + test.size < n:  # rows in neither count for nothing
        weight = beside["sample_weight"]
        mask = np.zeros(n)
        mask[np.concatenate([train, test])] = 1
        beside = {**beside, "sample_weight": mask if weight is None else mask * np.asarray(weight)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Interrupted)
        told_once(partial(member.fit, X, y, validation_rows=test, **beside))
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
