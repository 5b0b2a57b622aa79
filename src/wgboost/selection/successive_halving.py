"""Successive halving: all recipes on the first fold, the better ones on the next, and so on.

On the first fold they compete with trials, which cost less than members of the bag.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.selection.fold_values import cross_validated_values
from wgboost.typing import Array

__all__ = [
    "FoldResult",
    "Job",
    "StoppedError",
    "best_recipe",
    "fold_values",
    "kept_results",
    "mean_value",
    "next_fit",
    "results_table",
    "successive_halving",
    "unbiased_value",
]


class StoppedError(Exception):
    """A callback has ended the fit."""


@dataclass(frozen=True)
class Job:
    """A model to fit.

    Attributes
    ----------
    recipe : str
        Name of the recipe.
    fold : int
        Index of the fold that it is fitted without.
    trial : bool
        Whether the model is for the comparison only, and no member of the bag.
    goal : float
        Value on the fold that a trial has to reach for its recipe to go on.
    """

    recipe: str
    fold: int
    trial: bool = False
    goal: float = math.inf


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The result of one recipe on one fold.

    Attributes
    ----------
    recipe : str
        Name of the recipe.
    fold : int
        Index of the fold.
    value : float
        Metric on the fold at the number of rounds of the model; smaller is better.
    weight : float
        Total weight of the rows of the fold.
    seconds : float
        Time of the fit.
    model : object
        The fitted model.
    curve : array or None
        Metric after 0, 1, 2, ... rounds, if the fold itself chose the number of rounds.
        `fold_values` then has the value that counts.
    trial : bool
        Whether the model is for the comparison only.
    member_share : float
        Seconds that a member takes, over those of this model, about.
    """

    recipe: str
    fold: int
    value: float
    weight: float
    seconds: float
    model: Any = None
    curve: Array | None = None
    trial: bool = False
    member_share: float = 1.0


def fold_values(results: Sequence[FoldResult]) -> list[float]:
    """Return the metric of a recipe on each of its folds.

    Where folds choose the number of rounds of their models, the value of a fold is that at the
    number of rounds that is best on the other folds. At the number that the fold chose itself it
    would be optimistic. A single fold has no other value.
    """
    curves = [result.curve for result in results]
    if any(curve is None for curve in curves):
        return [result.value for result in results]
    return cross_validated_values(curves, [result.weight for result in results])  # type: ignore[arg-type]


def mean_value(results: Sequence[FoldResult], recipe: str, n_folds: int | None = None) -> float:
    """Return the mean metric of a recipe over the rows of its folds, or of the first `n_folds`.

    It is infinity if the mean is not finite.
    """
    own = [r for r in results if r.recipe == recipe and (n_folds is None or r.fold < n_folds)]
    return _mean(own, fold_values(own))


def unbiased_value(results: Sequence[FoldResult], recipe: str) -> float:
    """Return the mean metric of the members over the folds on which no other recipe was tried.

    These folds did not choose the recipe. Without such folds the mean is over all folds and a
    little optimistic, because the best of several recipes is partly the best by chance. A bag
    without members has trials in their place.
    """
    own = kept_results(results, recipe)
    shared = {result.fold for result in results if result.recipe != recipe}
    values = dict(zip(own, fold_values(own), strict=True))
    free = [result for result in own if result.fold not in shared] or own
    return _mean(free, [values[result] for result in free])


def _mean(results: Sequence[FoldResult], values: Sequence[float]) -> float:
    """Return the weighted mean of values, or infinity if it is not finite."""
    total = math.fsum(result.weight for result in results)
    mean = math.fsum(r.weight * v for r, v in zip(results, values, strict=True)) / total
    return mean if math.isfinite(mean) else math.inf


def best_recipe(results: Sequence[FoldResult]) -> str:
    """Return the recipe with the most folds, and of several the one with the best mean.

    Trials count only as long as there is nothing else.
    """
    whole = [result for result in results if not result.trial] or results
    folds: dict[str, int] = {}
    for result in whole:
        folds[result.recipe] = folds.get(result.recipe, 0) + 1
    return min(folds, key=lambda recipe: (-folds[recipe], mean_value(whole, recipe)))


def kept_results(results: Sequence[FoldResult], recipe: str) -> list[FoldResult]:
    """Return the members by fold; the trials of the recipe if the fit ended before the first."""
    own = sorted((r for r in results if r.recipe == recipe), key=lambda r: r.fold)
    return [result for result in own if not result.trial] or own


def next_fit(
    results: Sequence[FoldResult],
    recipes: Sequence[str],
    n_folds: int,
    *,
    keep: float = 0.5,
    min_folds: int = 1,
    only_best: bool = False,
) -> Job | None:
    """Return what to fit next, or None if nothing is left.

    After every fold a share of the recipes goes on. Recipes run in the order of their rank, so that
    the best so far is always ahead. The first fold has trials, which count no more once it is over.
    The last recipe is fitted without each fold.

    Parameters
    ----------
    results : sequence of FoldResult
        Results so far.
    recipes : sequence of str
        Names of all recipes.
    n_folds : int
        Number of folds.
    keep : float
        Share of the recipes that goes on to the next fold.
    min_folds : int
        At least two recipes go on until this many folds have been used.
    only_best : bool
        Whether only the best recipe so far goes on.
    """
    trials = [result for result in results if result.trial]
    members = [result for result in results if not result.trial]
    running = [best_recipe(results)] if only_best else list(recipes)
    for fold in range(n_folds):
        if len(running) == 1:
            break
        least = 2 if fold + 1 < min_folds else 1
        going_on = max(least, math.ceil(len(running) * keep))
        tried = trials if fold == 0 else members
        done = [r.recipe for r in tried if r.fold == fold and r.recipe in running]
        for recipe in running:
            if recipe not in done:
                goal = _goal(tried, done, going_on) if fold == 0 else math.inf
                return Job(recipe, fold, fold == 0, goal)
        # Trials only choose which recipes go on.
        compared = [r for r in tried if fold == 0 or r.fold > 0]
        running.sort(key=lambda recipe: mean_value(compared, recipe, fold + 1))
        running = running[:going_on]
    finished = {result.fold for result in members if result.recipe == running[0]}
    return next((Job(running[0], k) for k in range(n_folds) if k not in finished), None)


def _goal(trials: Sequence[FoldResult], done: Sequence[str], going_on: int) -> float:
    """Return the value on the first fold that a recipe needs to be among those that go on."""
    values = sorted(mean_value(trials, one, 1) for one in done)
    return values[going_on - 1] if len(values) >= going_on else math.inf


def successive_halving(
    recipes: Sequence[str],
    n_folds: int,
    fit: Callable[[Job], FoldResult],
    *,
    keep: float = 0.5,
    min_folds: int = 1,
    budget: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[list[FoldResult], bool]:
    """Compare recipes by successive halving over folds, and fit the best one without each fold.

    Parameters
    ----------
    recipes : sequence of str
        Names of the recipes, the likely ones first.
    n_folds : int
        Number of folds.
    fit : callable
        Fits a recipe without a fold. It raises `StoppedError` to end the comparison.
    keep, min_folds
        As in `next_fit`.
    budget : float or None
        Seconds. No trial is started that would leave the best recipe so far too little time for
        its members; those are always fitted.
    clock : callable
        Returns the time in seconds.

    Returns
    -------
    results : list of FoldResult
        All results: trials, and the members of the best recipe.
    interrupted : bool
        Whether Ctrl-C ended the comparison.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first result.
    """
    results: list[FoldResult] = []
    start, only_best = clock(), False
    while True:
        if budget is not None and results:
            needed = clock() - start + _member_seconds(results, n_folds)
            only_best = only_best or needed >= budget
        job = next_fit(
            results, recipes, n_folds, keep=keep, min_folds=min_folds, only_best=only_best
        )
        if job is None:
            return results, False
        try:
            results.append(fit(job))
        except StoppedError:
            return results, False
        except KeyboardInterrupt:
            if not results:
                raise
            return results, True


def _member_seconds(results: Sequence[FoldResult], n_folds: int) -> float:
    """Return the seconds that the other members of the best recipe will take."""
    own = kept_results(results, best_recipe(results))
    each = math.fsum(result.seconds * result.member_share for result in own) / len(own)
    return (n_folds - sum(not result.trial for result in own)) * each


def results_table(results: list[FoldResult], kept: list[FoldResult]) -> dict[str, Array]:
    """Return the columns of `cv_results_`; the bag has the models of `kept`."""
    models = [result.model for result in results]
    values: dict[FoldResult, float] = {}
    for recipe, trial in dict.fromkeys((result.recipe, result.trial) for result in results):
        own = [result for result in results if (result.recipe, result.trial) == (recipe, trial)]
        values.update(zip(own, fold_values(own), strict=True))
    return {
        "recipe": np.array([result.recipe for result in results], dtype=np.str_),
        "fold": np.array([result.fold for result in results]),
        "trial": np.array([result.trial for result in results]),
        "value": np.array([values[result] for result in results]),
        "rounds": np.array([model.n_estimators_ for model in models]),
        "evidence": np.array([model.evidence_ for model in models]),
        "seconds": np.array([result.seconds for result in results]),
        "kept": np.array([any(result is one for one in kept) for result in results]),
    }
