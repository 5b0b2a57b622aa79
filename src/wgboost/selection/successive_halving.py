"""A race: all recipes on the first fold, the better ones on the next, the winner on all."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wgboost.selection.fold_values import cross_validated_values
from wgboost.typing import Array

__all__ = [
    "FoldResult",
    "StoppedError",
    "best_recipe",
    "fit_folds",
    "fold_values",
    "mean_value",
    "next_fit",
    "successive_halving",
    "unbiased_value",
]


class StoppedError(Exception):
    """A callback has ended the fit."""


@dataclass(frozen=True, eq=False)
class FoldResult:
    """What one recipe did on one fold.

    `value` is the metric at the rounds of the model, smaller is better. If the fold itself chose
    them, `curve` are the values after 0, 1, 2, ... rounds, and `fold_values` has what counts.
    """

    recipe: str
    fold: int
    value: float
    weight: float  # of the fold's rows together
    seconds: float
    model: Any = None
    curve: Array | None = None


def fold_values(entries: Sequence[FoldResult]) -> list[float]:
    """Return what a recipe reached on each of its folds, the entries.

    Where folds choose the rounds of their models, a fold has its value at the number of rounds that
    is best on the others: at the one that it chose itself it would be too good. Of a single fold
    there is nothing else.
    """
    curves = [entry.curve for entry in entries]
    if any(curve is None for curve in curves):
        return [entry.value for entry in entries]
    return cross_validated_values(curves, [entry.weight for entry in entries])  # type: ignore[arg-type]


def mean_value(entries: Sequence[FoldResult], recipe: str, n_folds: int | None = None) -> float:
    """Return the mean over rows of what a recipe reached on the first folds, or on all it has."""
    own = [e for e in entries if e.recipe == recipe and (n_folds is None or e.fold < n_folds)]
    return _mean(own, fold_values(own))


def unbiased_value(entries: Sequence[FoldResult], recipe: str) -> float:
    """Return the mean over the folds by which the recipe was not chosen.

    On those no other recipe was tried. If there are none, the mean is over all folds, and a little
    too good: the best of several is partly so by luck.
    """
    own = [entry for entry in entries if entry.recipe == recipe]
    shared = {entry.fold for entry in entries if entry.recipe != recipe}
    values = dict(zip(own, fold_values(own), strict=True))
    free = [entry for entry in own if entry.fold not in shared] or own
    return _mean(free, [values[entry] for entry in free])


def _mean(entries: Sequence[FoldResult], values: Sequence[float]) -> float:
    total = math.fsum(entry.weight for entry in entries)
    mean = math.fsum(e.weight * v for e, v in zip(entries, values, strict=True)) / total
    return mean if math.isfinite(mean) else math.inf


def best_recipe(entries: Sequence[FoldResult]) -> str:
    """Return the recipe with the most folds, of those the best, of equals the first."""
    folds: dict[str, int] = {}
    for entry in entries:
        folds[entry.recipe] = folds.get(entry.recipe, 0) + 1
    return min(folds, key=lambda recipe: (-folds[recipe], mean_value(entries, recipe)))


def next_fit(
    entries: Sequence[FoldResult],
    recipes: Sequence[str],
    n_folds: int,
    *,
    keep: float = 0.5,
    min_folds: int = 1,
    only_best: bool = False,
) -> tuple[str, int] | None:
    """Return the recipe and the fold to fit next, or None if the race is over.

    After every fold a share of the recipes, `keep`, goes on, and two at least as long as fewer
    folds than `min_folds` have judged. Recipes run in the order of their rank, so that the best so
    far is always ahead. In a only_best it alone goes on.
    """
    if only_best:
        first = best_recipe(entries)
        done = {entry.fold for entry in entries if entry.recipe == first}
        return next(((first, fold) for fold in range(n_folds) if fold not in done), None)
    running = list(recipes)
    for fold in range(n_folds):
        done_here = {entry.recipe for entry in entries if entry.fold == fold}
        for recipe in running:
            if recipe not in done_here:
                return recipe, fold
        running.sort(key=lambda recipe: mean_value(entries, recipe, fold + 1))
        least = 2 if fold + 1 < min_folds else 1
        running = running[: max(least, math.ceil(len(running) * keep))]
    return None


def successive_halving(
    recipes: Sequence[str],
    n_folds: int,
    fit: Callable[[str, int], FoldResult],
    *,
    keep: float = 0.5,
    min_folds: int = 1,
    budget: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[list[FoldResult], bool]:
    """Run the race; return all entries, and whether Ctrl-C ended it.

    With a budget in seconds nothing is begun that would leave the best recipe so far too little
    time for the rest of its folds; those are always finished. Ctrl-C before the first entry raises
    KeyboardInterrupt. A fit that raises StoppedError ends the race, too.
    """
    entries: list[FoldResult] = []
    begun, only_best = clock(), False
    while True:
        if budget is not None and entries:
            only_best = (
                only_best or clock() - begun + _remaining_seconds(entries, n_folds) >= budget
            )
        job = next_fit(
            entries, recipes, n_folds, keep=keep, min_folds=min_folds, only_best=only_best
        )
        if job is None:
            return entries, False
        try:
            entries.append(fit(*job))
        except StoppedError:
            return entries, False
        except KeyboardInterrupt:
            if not entries:
                raise
            return entries, True


def fit_folds(
    recipe: str,
    folds: Sequence[int],
    fit: Callable[[str, int], FoldResult],
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[list[FoldResult], bool]:
    """Fit one recipe on some folds; return the entries, and whether Ctrl-C ended it.

    With a budget in seconds nothing is begun that would take longer than is left.
    """
    entries: list[FoldResult] = []
    begun = clock()
    for fold in folds:
        next_one = max((entry.seconds for entry in entries), default=0.0)
        if budget is not None and clock() - begun + next_one >= budget:
            break
        try:
            entries.append(fit(recipe, fold))
        except StoppedError:
            break
        except KeyboardInterrupt:
            return entries, True
    return entries, False


def _remaining_seconds(entries: Sequence[FoldResult], n_folds: int) -> float:
    """Seconds that the best_recipe will take for the rest of its folds."""
    first = best_recipe(entries)
    own = [entry.seconds for entry in entries if entry.recipe == first]
    return (n_folds - len(own)) * math.fsum(own) / len(own)
