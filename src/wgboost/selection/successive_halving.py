"""Successive halving: all recipes on the first fold, the better ones on the next, and so on."""

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
    """Signal that a callback has ended the fit.

    Examples
    --------
    >>> from wgboost.selection import StoppedError
    >>> issubclass(StoppedError, Exception)
    True
    """


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Hold the result of one recipe on one fold.

    Parameters
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
    model : object, default=None
        The fitted model.
    curve : array or None, default=None
        Metric after 0, 1, 2, ... rounds, if the fold itself chose the number of rounds.
        `fold_values` then has the value that counts.

    Examples
    --------
    >>> from wgboost.selection import FoldResult
    >>> FoldResult("plain", 0, value=1.5, weight=10.0, seconds=0.1).value
    1.5
    """

    recipe: str
    fold: int
    value: float
    weight: float  # of the fold's rows together
    seconds: float
    model: Any = None
    curve: Array | None = None


def fold_values(entries: Sequence[FoldResult]) -> list[float]:
    """Return the metric of a recipe on each of its folds.

    Where folds choose the number of rounds of their models, the value of a fold is that at the
    number of rounds that is best on the other folds. At the number that the fold chose itself it
    would be optimistic. A single fold has no other value.

    Parameters
    ----------
    entries : sequence of FoldResult
        Results of one recipe.

    Returns
    -------
    list of float
        One value for each result.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, fold_values
    >>> fold_values([FoldResult("a", 0, 1.0, 1.0, 0.1), FoldResult("a", 1, 2.0, 1.0, 0.1)])
    [1.0, 2.0]
    """
    curves = [entry.curve for entry in entries]
    if any(curve is None for curve in curves):
        return [entry.value for entry in entries]
    return cross_validated_values(curves, [entry.weight for entry in entries])  # type: ignore[arg-type]


def mean_value(entries: Sequence[FoldResult], recipe: str, n_folds: int | None = None) -> float:
    """Return the mean metric of a recipe over rows.

    Parameters
    ----------
    entries : sequence of FoldResult
        Results of all recipes.
    recipe : str
        Name of the recipe.
    n_folds : int or None, default=None
        Number of the first folds to count; None counts all.

    Returns
    -------
    float
        The mean, or infinity if it is not finite.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, mean_value
    >>> entries = [FoldResult("a", 0, 1.0, 3.0, 0.1), FoldResult("a", 1, 5.0, 1.0, 0.1)]
    >>> mean_value(entries, "a")
    2.0
    """
    own = [e for e in entries if e.recipe == recipe and (n_folds is None or e.fold < n_folds)]
    return _mean(own, fold_values(own))


def unbiased_value(entries: Sequence[FoldResult], recipe: str) -> float:
    """Return the mean metric over the folds that did not choose the recipe.

    No other recipe was tried on those folds. Without such folds the mean is over all folds and a
    little optimistic, because the best of several recipes is partly the best by chance.

    Parameters
    ----------
    entries : sequence of FoldResult
        Results of all recipes.
    recipe : str
        Name of the recipe.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, unbiased_value
    >>> entries = [FoldResult(r, 0, v, 1.0, 0.1) for r, v in (("a", 1.0), ("b", 2.0))]
    >>> unbiased_value([*entries, FoldResult("a", 1, 3.0, 1.0, 0.1)], "a")
    3.0
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
    """Return the recipe with the most folds, and of several the one with the best mean.

    Parameters
    ----------
    entries : sequence of FoldResult
        Results of all recipes.

    Returns
    -------
    str
        Name of the recipe; of equal ones the first.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, best_recipe
    >>> best_recipe([FoldResult("a", 0, 2.0, 1.0, 0.1), FoldResult("b", 0, 1.0, 1.0, 0.1)])
    'b'
    """
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
    """Return the recipe and the fold to fit next.

    After every fold a share of the recipes goes on. Recipes run in the order of their rank, so that
    the best so far is always ahead.

    Parameters
    ----------
    entries : sequence of FoldResult
        Results so far.
    recipes : sequence of str
        Names of all recipes.
    n_folds : int
        Number of folds.
    keep : float, default=0.5
        Share of the recipes that goes on to the next fold.
    min_folds : int, default=1
        At least two recipes go on until so many folds have been used.
    only_best : bool, default=False
        Whether only the best recipe so far goes on.

    Returns
    -------
    tuple of (str, int) or None
        Recipe and fold, or None if nothing is left.

    Examples
    --------
    >>> from wgboost.selection import next_fit
    >>> next_fit([], ["a", "b"], n_folds=3)
    ('a', 0)
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
    """Compare recipes by successive halving over folds.

    Parameters
    ----------
    recipes : sequence of str
        Names of the recipes, the likely ones first.
    n_folds : int
        Number of folds.
    fit : callable
        Function of a recipe and a fold that returns a `FoldResult`. It may raise `StoppedError` to
        end the comparison.
    keep : float, default=0.5
        Share of the recipes that goes on to the next fold.
    min_folds : int, default=1
        At least two recipes go on until so many folds have been used.
    budget : float or None, default=None
        Seconds. No fit is begun that would leave the best recipe so far too little time for the
        rest of its folds; those are always finished.
    clock : callable, default=time.perf_counter
        Function that returns the time in seconds.

    Returns
    -------
    entries : list of FoldResult
        All results.
    interrupted : bool
        Whether Ctrl-C ended the comparison.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first result.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, best_recipe, successive_halving
    >>> value = {"a": 2.0, "b": 1.0}
    >>> fit = lambda recipe, fold: FoldResult(recipe, fold, value[recipe], 1.0, 0.1)
    >>> entries, interrupted = successive_halving(["a", "b"], 3, fit)
    >>> best_recipe(entries), len(entries), interrupted
    ('b', 4, False)
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
    """Fit one recipe on some folds.

    Parameters
    ----------
    recipe : str
        Name of the recipe.
    folds : sequence of int
        Indices of the folds.
    fit : callable
        Function of a recipe and a fold that returns a `FoldResult`.
    budget : float or None, default=None
        Seconds. No fit is begun that would take longer than is left.
    clock : callable, default=time.perf_counter
        Function that returns the time in seconds.

    Returns
    -------
    entries : list of FoldResult
        The results.
    interrupted : bool
        Whether Ctrl-C ended the fits.

    Examples
    --------
    >>> from wgboost.selection import FoldResult, fit_folds
    >>> entries, _ = fit_folds("a", [0, 4], lambda r, k: FoldResult(r, k, 1.0, 1.0, 0.1))
    >>> [entry.fold for entry in entries]
    [0, 4]
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
    """Return the seconds that the best recipe will take for the rest of its folds."""
    first = best_recipe(entries)
    own = [entry.seconds for entry in entries if entry.recipe == first]
    return (n_folds - len(own)) * math.fsum(own) / len(own)
