"""The search for the start and the evidence of a row, as stages of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wgboost.model import FittedModel
from wgboost.training.data import TrainingData
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.request import FitRequest, Paused
from wgboost.training.rounds import FitStage
from wgboost.training.search_trials import (
    TRIED,
    SearchSpace,
    Trial,
    next_on,
    smooth_margin,
    stage_name,
)
from wgboost.training.stages import Plan, StageOptions, make_stage

__all__ = ["search", "with_evidence"]

_SAMPLE, _TIMES = 10_000, 4  # rows to choose on, where there are so many times more
_WATCHED = 10_000  # rows of each validation set that such a search uses


@dataclass(eq=False)
class _Search:
    """The trials so far and their models."""

    request: FitRequest
    data: PosteriorData
    validation: Mapping[str, TrainingData]
    options: StageOptions
    n_rows: int
    space: SearchSpace
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

    def next(self, *, decided: bool) -> Trial | None:
        """Return what to try next; `decided` ends the search on the sample."""
        return next_on(self.space, self.trials, len(self.sample), len(self.data), decided)

    def is_whole(self, trial: Trial) -> bool:
        """Return whether a trial is trained on all rows."""
        return bool(trial.get("rows", len(self.data)) == len(self.data))

    def stage(self, trial: Trial, previous: FittedModel | None, paused: Paused | None) -> FitStage:
        """Return the stage of a trial."""
        whole, progress, init = self.is_whole(trial), self.request.progress, trial.get("init")
        near = self.options.like
        for i, model in self.models.items():  # with the same kind of start
            if self.trials[i].get("init") == init:
                near = model.start
        few, level = self.sample, float(trial["evidence"])
        # A fit to all rows follows the sample, before the refit.
        share = self.options.refit_share
        progress.expect(share if whole else (1.0 + share) * len(self.data) / len(few))
        settings = self.options.settings.of_trial(trial).at(
            n_rows=self.n_rows if whole else few.total(few.counted)
        )
        name = stage_name(trial)
        if whole and few is not self.data:
            name = f"fit {name}"
        progress.trial = {name: trial[name] for name in TRIED if name in trial}
        options = replace(
            self.options, settings=settings, like=near, trials=self.trials, name=name,
            previous=previous, paused=paused, goal=self._goal(trial),
        )  # fmt: skip
        data = self.data if whole else few
        if self.space.level is None:
            data = with_evidence(data, level)
        sets = self.validation if whole else self.sample_validation
        return make_stage(self.request, data, sets, options)

    def _goal(self, trial: Trial) -> float:
        """Return the value that a trial has to reach: the best so far of the same rows."""
        same = [one for one in self.trials if one.get("rows") == trial.get("rows")]
        return self.space.goal(trial, same)

    def add(self, trial: Trial, model: FittedModel, metric: str) -> None:
        """Take note of what a trial has given."""
        values = model.history["validation"][metric]
        measured = {
            "rounds": model.n_rounds, "trained": len(values) - 1,
            "value": values[model.n_rounds], "start": values[0],
        }  # fmt: skip
        self.models[len(self.trials)] = model
        self.trials = [*self.trials, {**trial, "evidence": model.evidence, **measured}]


def search(
    request: FitRequest,
    data: PosteriorData,
    validation: Mapping[str, TrainingData],
    options: StageOptions,
) -> Plan:
    """Train with one start and evidence after the other and return the best model.

    A trial that cannot become better than the best so far ends early. Of many rows a sample
    chooses, and all of them are trained on with its choice.
    """
    if not validation:
        raise ValueError(
            'evidence="auto" is chosen by rows that are not trained on: set '
            "early_stopping=True, or give X_val and y_val, or a number"
        )
    held_out = next(iter(validation.values()))
    metric = held_out.metrics(options.settings.eval_metric)[0].name
    previous, paused, progress = options.previous, options.paused, request.progress
    known = previous.search_trials if paused is not None and previous is not None else None
    n_rows, settings = options.settings.n_rows, options.settings
    space = SearchSpace(
        settings.starts,
        None if settings.search_evidence else settings.level,
        # A sample says little about the leaves that all rows need.
        compares_leaves=settings.auto_leaves
        and settings.learner is None
        and len(data) < _TIMES * _SAMPLE,
        margin=smooth_margin(metric, held_out.total(held_out.counted)),
    )
    # Earlier versions also tried evidence that differs by row.
    tried = [one for one in known or () if not one.get("by_error")]
    trying = _Search(request, data, validation, options, n_rows, space, tried)
    cut = interrupted = False  # by a callback while the sample was searched; by Ctrl-C
    decided = paused is not None and paused.stage.startswith("fit")
    while (trial := trying.next(decided=decided)) is not None:
        try:
            model = yield trying.stage(trial, previous, paused)
        except KeyboardInterrupt:  # before its first round
            if not trying.models:
                raise
            interrupted = True
            break
        previous = paused = None
        trying.add(trial, model, metric)
        interrupted = model.interrupted
        if interrupted or (progress.stopped and trying.is_whole(trial)):
            break
        if progress.stopped:  # what is known by now is trained on all rows
            cut, decided, progress.stopped = True, True, False
    progress.expect(options.refit_share)
    best = _chosen(trying, only_trained=interrupted or progress.stopped)
    progress.stopped = progress.stopped or cut
    progress.trial = None
    trials = [dict(one) for one in trying.trials]
    trials[best]["chosen"] = True
    if best in trying.models:
        return replace(trying.models[best], interrupted=interrupted, search_trials=trials)
    # An earlier process trained it.
    model = yield trying.stage(trying.trials[best], None, None)
    return replace(model, search_trials=trials)


def _chosen(trying: _Search, *, only_trained: bool) -> int:
    """Return which trial to take: of those that were trained here, or on all rows."""
    known: Sequence[int] = sorted(trying.models)
    if not only_trained:
        known = [i for i, one in enumerate(trying.trials) if trying.is_whole(one)]
    return known[trying.space.best([trying.trials[i] for i in known])]


def with_evidence(data: PosteriorData, level: float) -> PosteriorData:
    """Return the rows with an evidence that was searched for."""
    return replace(data, evidence=level, sought=True)
