"""The search for the evidence of a row, as stages of a fit."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost.learners.hist_tree import HistTree
from wgboost.model import FittedModel
from wgboost.training.data import TrainingData
from wgboost.training.error_evidence import MOST_EVIDENCE, ErrorEvidence, simulate_errors
from wgboost.training.evidence_trials import Trial, best_trial, next_on, pilot_of, sampled
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.request import FitRequest, Paused
from wgboost.training.rounds import FitStage
from wgboost.training.stages import Plan, StageOptions, make_stage

__all__ = ["search_evidence", "with_evidence"]

_SAMPLE, _TIMES = 10_000, 4  # rows that evidence is chosen on, where there are so many times more
_WATCHED = 10_000  # rows of each validation set that such a search uses
_GROWTH = 0.25  # power of the number of rows that evidence by error grows with


@dataclass(eq=False)
class _Search:
    """The trials so far and their models."""

    request: FitRequest
    data: PosteriorData
    validation: Mapping[str, TrainingData]
    options: StageOptions
    n_rows: int
    trials: list[Trial] = field(default_factory=list)
    models: dict[int, FittedModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sample, self.sample_validation = self.data, self.validation
        if len(self.data) >= _TIMES * _SAMPLE:
            seed = self.request.settings.seed
            self.sample = self.data.sample(_SAMPLE, seed)
            self.sample_validation = {
                name: one.sample(_WATCHED, seed) for name, one in self.validation.items()
            }

    @property
    def has_errors(self) -> bool:
        """Whether errors can be simulated: by trees, on rows that are in memory."""
        learner = self.request.settings.make_learner()
        return isinstance(learner, HistTree) and isinstance(self.data.X, np.ndarray)

    def next(self, *, decided: bool) -> Trial | None:
        """Return what to try next; `decided` ends the search on the sample."""
        sizes = len(self.sample), len(self.data)
        return next_on(self.trials, *sizes, self.has_errors, decided)

    def is_whole(self, trial: Trial) -> bool:
        """Return whether a trial is trained on all rows."""
        return bool(trial.get("rows", len(self.data)) == len(self.data))

    def stage(
        self, trial: Trial, previous: FittedModel | None, paused: Paused | None
    ) -> Generator[FitStage, FittedModel, FitStage]:
        """Return the stage of a trial; the model of a constant may have to be trained first."""
        near = next((one.start for one in self.models.values()), self.options.like)
        pilot = None
        if trial["by_error"]:
            pilot = self.models.get(pilot_of(self.trials))
        whole, progress = self.is_whole(trial), self.request.progress
        few, settings = self.sample, self.options.settings
        settings = settings.at(n_rows=self.n_rows if whole else few.total(few.counted))
        # A fit to all rows follows the sample, before the refit.
        share = self.options.refit_share
        progress.expect(share if whole else (1.0 + share) * len(self.data) / len(few))
        options = replace(self.options, settings=settings, like=near, trials=self.trials)
        data, level = yield from with_evidence(
            self.request, self.data if whole else few, trial, options, pilot
        )
        name = f"evidence {level:.3g}" + " by error" * trial["by_error"]
        if whole and few is not self.data:
            name = f"fit {name}"
        progress.trial = {"evidence": level, "by_error": trial["by_error"]}
        options = replace(
            options, settings=settings.at(level=level), name=name, previous=previous, paused=paused
        )
        sets = self.validation if whole else self.sample_validation
        return make_stage(self.request, data, sets, options)

    def add(self, trial: Trial, model: FittedModel, metric: str) -> None:
        """Take note of what a trial has given."""
        values = model.history["validation"][metric]
        measured = {"rounds": model.n_rounds, "value": values[model.n_rounds], "start": values[0]}
        self.models[len(self.trials)] = model
        self.trials = [*self.trials, {**trial, "evidence": model.evidence, **measured}]


def search_evidence(
    request: FitRequest,
    data: PosteriorData,
    validation: Mapping[str, TrainingData],
    options: StageOptions,
) -> Plan:
    """Train for one evidence after the other and return the best model.

    Of many rows a sample chooses the evidence, which is then trained on all of them.
    """
    if not validation:
        raise ValueError(
            'evidence="auto" is chosen by rows that are not trained on: set '
            "early_stopping=True, or give X_val and y_val, or a number"
        )
    metric = next(iter(validation.values())).metrics(options.settings.eval_metric)[0].name
    previous, paused, progress = options.previous, options.paused, request.progress
    known = previous.evidence_trials if paused is not None and previous is not None else None
    n_rows = options.settings.n_rows
    search = _Search(request, data, validation, options, n_rows, list(known or []))
    cut = interrupted = False  # by a callback while the sample was searched; by Ctrl-C
    decided = paused is not None and paused.stage.startswith("fit")
    while (trial := search.next(decided=decided)) is not None:
        try:
            stage = yield from search.stage(trial, previous, paused)
            model = yield stage
        except KeyboardInterrupt:  # before its first round
            if not search.models:
                raise
            interrupted = True
            break
        previous = paused = None
        search.add(trial, model, metric)
        interrupted = model.interrupted
        if interrupted or (progress.stopped and search.is_whole(trial)):
            break
        if progress.stopped:  # what is known by now is trained on all rows
            cut, decided, progress.stopped = True, True, False
    progress.expect(options.refit_share)
    best = _chosen(search, only_trained=interrupted or progress.stopped)
    progress.stopped = progress.stopped or cut
    progress.trial = None
    trials = [dict(one) for one in search.trials]
    trials[best]["chosen"] = True
    if best in search.models:
        return replace(search.models[best], interrupted=interrupted, evidence_trials=trials)
    # An earlier process trained it.
    stage = yield from search.stage(search.trials[best], None, None)
    model = yield stage
    return replace(model, evidence_trials=trials)


def _chosen(search: _Search, *, only_trained: bool) -> int:
    """Return which trial to take: of those that were trained here, or on all rows."""
    known: Sequence[int] = sorted(search.models)
    if not only_trained:
        known = [i for i, one in enumerate(search.trials) if search.is_whole(one)]
    return known[best_trial([search.trials[i] for i in known])]


def with_evidence(
    request: FitRequest,
    data: PosteriorData,
    trial: Trial,
    options: StageOptions,
    pilot: FittedModel | None = None,
) -> Generator[FitStage, FittedModel, tuple[PosteriorData, float]]:
    """Return the rows with the evidence of a trial, and its mean.

    By error, it is that of the best constant, times the variance of what particles expect over
    the squared error of it. `pilot` is the model of this constant, if there is one already. Where a
    sample chose the evidence, that of all rows is the function of x that was found on the sample.
    """
    if not trial["by_error"]:
        level = float(trial["evidence"])
        return replace(data, evidence=level, sought=True), level
    trials, some, settings = options.trials or (), data, options.settings
    if sampled([*trials, trial]):
        search_data: Any = data if options.search_data is None else options.search_data()
        some = search_data.sample(_SAMPLE, settings.seed)
        settings = settings.at(n_rows=some.total(some.counted))
    else:
        options.errors.clear()
    if not options.errors:
        found = yield from _simulated(request, some, replace(options, settings=settings), pilot)
        options.errors.append(found)
    evidence = options.errors[0].evidence(None if some is data else data.X)
    if some is not data:  # the more rows, the smaller the errors
        share = data.total(data.counted) / some.total(some.counted)
        evidence = (evidence * share**_GROWTH).clip(1.0, MOST_EVIDENCE)
    level = float(1.0 / np.average(1.0 / evidence, weights=data.weight))
    return replace(data, evidence=evidence, sought=True), level


def _simulated(
    request: FitRequest, data: PosteriorData, options: StageOptions, pilot: FittedModel | None
) -> Generator[FitStage, FittedModel, ErrorEvidence]:
    """Return the evidence of rows by the errors of the best constant's model."""
    trials = options.trials or ()
    best = trials[pilot_of(trials)]
    level = float(best["evidence"])
    same = replace(data, evidence=level, sought=True)
    stage = make_stage(request, same, {}, _pilot_options(options, level, best["rounds"]), pilot)
    if pilot is None:
        pilot = yield stage
        if pilot.interrupted:
            raise KeyboardInterrupt
    return simulate_errors(stage, data, pilot, level)


def _pilot_options(options: StageOptions, level: float, n_rounds: int) -> StageOptions:
    return replace(
        options, settings=options.settings.at(level=level), n_rounds=n_rounds, name="errors",
        early_stopping=False, callbacks=(), previous=None, paused=None,
    )  # fmt: skip
