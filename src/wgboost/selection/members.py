"""Members of a bag: each is fitted without one fold, which stops it early."""

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
from wgboost.boosting.start import Start
from wgboost.estimators.attributes import set_model
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.model import FittedModel
from wgboost.model.error_model import ErrorModel
from wgboost.responses import Units
from wgboost.selection.shared_starts import SharedStarts
from wgboost.selection.spec import Member
from wgboost.selection.successive_halving import FoldResult, Job, StoppedError
from wgboost.training.fit import completed_model, fit_rounds
from wgboost.training.progress import FitProgress
from wgboost.training.request import FitRequest
from wgboost.training.settings import resolve_settings
from wgboost.typing import Array

__all__ = ["Members", "in_recipe", "without_label_warnings"]

_ESTIMATES = 3  # of expected squared errors, that members share
_ALIKE = 0.2  # relative difference of the numbers of rows up to which they do
_COST = 0.5  # seconds that grow with the number of trees of a round


@dataclass(eq=False)
class Members:
    """Fits members of a bag to folds of the same data.

    Attributes
    ----------
    X, y
        The data.
    fit_params : dict
        Sample weights, offsets and the like.
    weight : array (n,)
        Weights of rows.
    splits : list of (train, test)
        Rows to train on and rows to validate with, by fold.
    units : dict
        Units of y by recipe.
    new : callable
        Returns a model of a recipe for a fold, not fitted yet.
    verbose : bool
        Whether to print a line for each model.
    callbacks : sequence of callables
        Called after every round of every model.
    progress : FitProgress
        What callbacks learn about the fit as a whole.
    """

    X: Any
    y: Any
    fit_params: dict[str, Any]
    weight: Array
    splits: list[tuple[Array, Array]]
    units: dict[str, Units]
    new: Callable[[str, int], Member]
    verbose: bool = False
    callbacks: Sequence[Any] = ()
    progress: FitProgress = field(default_factory=FitProgress)
    _starts: SharedStarts = field(default_factory=SharedStarts)
    _errors: list[tuple[float, type[Start], ErrorModel]] = field(default_factory=list)
    _results: dict[tuple[int, str, bool], FoldResult] = field(default_factory=dict)

    def fit(self, job: Job) -> FoldResult:
        """Fit a recipe without a fold; a model that two recipes have in common is fitted once.

        A trial has few trees a round. If all the same it has those of a member, it is one.
        `completed` adds what only predictions of new rows need.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C ended the fit of the model.
        StoppedError
            If a callback ended it, and there are other models.
        """
        start = time.perf_counter()
        member, (train, test) = self.new(job.recipe, job.fold), self.splits[job.fold]
        like = self._starts.prepare(member, job.fold)
        key = job.fold, _as_text(member.get_params())
        known = self._results.get((*key, job.trial))
        if known is not None:
            return replace(known, recipe=job.recipe, seconds=0.0)
        ratio = self._fit(member, job, train, test, like)
        if self.progress.stopped and self._results:
            raise StoppedError
        self._starts.learn(member, job.fold, round(float(self.weight[train].sum())))
        seconds = time.perf_counter() - start
        metric, values = next(iter(member.history_["validation"].items()))
        total = float(self.weight[member.validation_rows_].sum())
        value = float(values[member.n_estimators_])
        stops = resolve_settings(member.get_params(deep=False)).stops_early(len(train))
        curve = np.array(values) if stops else None
        result = FoldResult(
            job.recipe, job.fold, value, total, seconds, member, curve, job.trial,
            max(1.0, _COST * ratio),
        )  # fmt: skip
        self._results[*key, job.trial] = result
        if job.trial and ratio == 1 and value <= job.goal:
            self._results[*key, False] = replace(result, trial=False)
        if self.verbose:
            print(_line(result, metric, len(self.splits)), flush=True)
        return result

    def completed(self, kept: Sequence[FoldResult]) -> tuple[list[FoldResult], bool]:
        """Return results whose models have all they need, and whether Ctrl-C came.

        Their support and expected squared error come last, for those that are kept. After Ctrl-C
        the results are those that are finished, and without any all of them as they are.
        """
        found: list[FoldResult] = []
        for result in kept:
            member, (train, test) = result.model, self.splits[result.fold]
            request = self._request(member, result.recipe, train, test)
            complete = partial(self._complete, request, member.model_, result.fold, train)
            try:
                set_model(member, in_recipe(complete, result.recipe))
            except KeyboardInterrupt:
                return found or list(kept), True
            found.append(result)
        return found, False

    def _complete(
        self, request: FitRequest, model: FittedModel, fold: int, rows: Array
    ) -> FittedModel:
        """Return a model of some rows with its support and expected squared error.

        The error is estimated for a few members, and the others take it from them, unless they have
        many more or fewer rows.
        """
        n_rows = float(self.weight[rows].sum())
        kind = type(model.start)  # errors of a process are relative to its variance
        known = [
            one for n, start, one in self._errors
            if start is kind and abs(n - n_rows) <= _ALIKE * n_rows
        ]  # fmt: skip
        if len(known) >= _ESTIMATES:
            return completed_model(request, model, known[fold % _ESTIMATES])
        model = completed_model(request, model)
        if model.interrupted:
            raise KeyboardInterrupt
        if model.errors is not None:
            self._errors.append((n_rows, kind, model.errors))
        return model

    def refit(self, recipe: str, fold: int) -> Member:
        """Return a model of a recipe for all rows of the last split, with the seed of a fold.

        Early stopping finds its number of rounds, as in `fit`; then it is fitted to the validation
        rows as well.
        """
        member, (train, test) = self.new(recipe, fold), self.splits[-1]
        member.set_params(refit=True)
        self._fit(member, Job(recipe, fold), train, test, None)
        if self.progress.stopped and not member.refitted_:
            raise StoppedError
        return member

    def refitted(self, kept: Sequence[FoldResult]) -> tuple[list[Member], bool]:
        """Return models of all rows of the last split, and whether Ctrl-C came.

        If the fit ends early, they are those that are finished, and without any the models of the
        folds.
        """
        found: list[Member] = []
        interrupted = False
        for result in kept:
            try:
                found.append(self.refit(result.recipe, result.fold))
            except StoppedError:
                break
            except KeyboardInterrupt:
                interrupted = True
                break
        return found or [result.model for result in kept], interrupted

    def _begin(self, job: Job) -> None:
        """Go on to another model; raise StoppedError if a callback has ended the fit."""
        if self.progress.stopped:
            raise StoppedError
        self.progress.begin(job.recipe, job.fold, trial=job.trial)

    def _fit(self, member: Member, job: Job, train: Array, test: Array, like: Start | None) -> int:
        """Fit a model to one part of the rows, and validate it with the other.

        Return the number of trees of a member over those of the model.
        """
        self._begin(job)
        request = self._request(member, job.recipe, train, test)
        request, ratio = replace(request, like=like), request.settings.n_trees
        if job.trial:
            few = request.settings.for_trials()
            request = replace(request, settings=few, goal=job.goal)
        ratio //= request.settings.n_trees
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Interrupted)
            model = in_recipe(partial(fit_rounds, request), job.recipe)
        if model.interrupted:
            raise KeyboardInterrupt
        if model.refitted:
            rows = np.union1d(train, test)
            model = in_recipe(partial(self._complete, request, model, job.fold, rows), job.recipe)
        set_model(member, model)
        return ratio

    def _request(self, member: Member, recipe: str, train: Array, test: Array) -> FitRequest:
        """Return the request for a model of one part of the rows."""
        given = FitArguments(
            self.X, {"y": self.y, **self._weighted(train, test)}, validation_rows=test,
            callbacks=self.callbacks,
        )  # fmt: skip
        prepare = partial(
            prepare_fit, type(member).__name__, member.get_params(deep=False), given,
            progress=self.progress,
        )  # fmt: skip
        request: FitRequest = in_recipe(partial(without_label_warnings, prepare), recipe)
        return replace(request, units=self.units[recipe])

    def _weighted(self, train: Array, test: Array) -> dict[str, Any]:
        """Return the fit parameters, with weight zero for rows that are in neither part."""
        y, fit_params = self.y, self.fit_params
        n = len(y) if hasattr(y, "__len__") else train.size + test.size
        if train.size + test.size == n:
            return fit_params
        weight = fit_params["sample_weight"]
        mask = np.zeros(n)
        mask[np.concatenate([train, test])] = 1
        return {
            **fit_params, "sample_weight": mask if weight is None else mask * np.asarray(weight)
        }  # fmt: skip


def without_label_warnings(function: Callable[[], Any]) -> Any:
    """Call a function without the warning about text labels, which the bag gives once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "text labels are taken in the order")
        return function()


def in_recipe(function: Callable[[], Any], recipe: str) -> Any:
    """Call a function, and add the name of the recipe to its errors."""
    try:
        return function()
    except Exception as error:
        error.add_note(f"in the recipe {recipe!r}")
        raise


def _as_text(parameters: dict[str, Any]) -> str:
    """Return parameters as text, with arrays in full, so that it is the same for equal ones."""
    whole = {k: np.asarray(v) if hasattr(v, "__array__") else v for k, v in parameters.items()}
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return repr(whole)


def _line(result: FoldResult, metric: str, n_folds: int) -> str:
    """Return the line that is printed for a model."""
    member = result.model
    kind = ", trial" if result.trial else ""
    return (
        f"{result.recipe}{kind}, fold {result.fold + 1} of {n_folds}: {metric} {result.value:.4f}, "
        f"{member.n_estimators_} rounds, evidence {member.evidence_:.3g}, {result.seconds:.1f} s"
    )
