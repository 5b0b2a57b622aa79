"""From the rows of a stage to the rounds that are to be added."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from wgboost.boosting.start import Start
from wgboost.model import FittedModel, History
from wgboost.smooth.blas import one_thread
from wgboost.training.data import TrainingData
from wgboost.training.request import FitRequest, Paused
from wgboost.training.rounds import FitStage
from wgboost.training.search_trials import Trial
from wgboost.training.settings import Settings
from wgboost.typing import Array

__all__ = ["Plan", "StageOptions", "make_stage"]

Plan = Generator[FitStage, FittedModel, FittedModel]
"""Yields the stages of a fit, is sent the model of each, and returns the model of the fit."""


@dataclass(frozen=True, eq=False)
class StageOptions:
    """What stages of one fit differ in, beside their data.

    Attributes
    ----------
    settings : Settings
        Of the stage.
    n_rounds : int or None
        The number of rounds; None is the most that the settings allow.
    early_stopping : bool
        Whether to keep the best number of rounds.
    name : str
        The name of the stage.
    callbacks : sequence of callables
    previous : FittedModel or None
        The model to add rounds to.
    paused : Paused or None
        Where the fit was when the checkpoint was written.
    like : Start or None
        The start of another model of some of these rows.
    held_out : array or None
        Rows that are held out of the training data.
    history : History or None
        Of the search that a refit follows.
    trials : sequence of dicts
        What a search has tried.
    refit_share : float
        Rows of the refit over those of the search; 0 without a refit.
    held_out_lack : float or None
        Root mean square lack of support of the rows that the search held out.
    goal : float
        The value of the metric that the stage has to reach: it ends once it cannot.
    """

    settings: Settings
    n_rounds: int | None = None
    early_stopping: bool = False
    name: str = ""
    callbacks: Sequence[Any] = ()
    previous: FittedModel | None = None
    paused: Paused | None = None
    like: Start | None = None
    held_out: Array | None = None
    history: History | None = None
    trials: Sequence[Trial] | None = None
    refit_share: float = 0.0
    held_out_lack: float | None = None
    goal: float = math.inf


@one_thread()  # sums over rows have the same bits on any number of threads
def make_stage(
    request: FitRequest,
    data: TrainingData,
    validation: Mapping[str, TrainingData],
    options: StageOptions,
    model: FittedModel | None = None,
) -> FitStage:
    """Return the stage that trains on these rows.

    Parameters
    ----------
    request : FitRequest
    data : TrainingData
        The rows to train on.
    validation : mapping
        Validation sets by name.
    options : StageOptions
    model : FittedModel, optional
        A model that the stage has given already; its start is used again.
    """
    settings, previous, n_levels = options.settings, options.previous, request.schema.n_levels
    began = monotonic()
    if model is not None:
        units, start = model.units, model.start
    elif previous is None:
        units = data.units() if request.units is None else request.units
        start, data = data.start(settings, n_levels, units, options.like or request.like)
    else:
        units, start = previous.units, previous.start
        data = data.resumed(settings, n_levels, units, start)
    request.progress.start_seconds = monotonic() - began
    n_rounds = options.n_rounds
    if n_rounds is None:
        n_rounds = settings.max_rounds(early_stopping=options.early_stopping)

    def save(path: Any, so_far: FittedModel, watch: Any, n_rounds: int) -> None:
        if request.save is None:
            return
        trials = None if options.trials is None else list(options.trials)
        so_far = replace(
            so_far, held_out=options.held_out, search_trials=trials,
            held_out_lack=options.held_out_lack,
        )  # fmt: skip
        if options.history is not None:
            so_far = replace(so_far, history=options.history)
        watched = None if watch is None else watch.state()
        request.save(path, so_far, Paused(options.name, n_rounds, watched))

    return FitStage(
        settings=settings,
        schema=request.schema,
        data=data,
        validation=validation,
        start=start,
        units=units,
        n_rounds=n_rounds,
        early_stopping=options.early_stopping,
        constraints=request.constraints,
        callbacks=options.callbacks,
        previous=previous,
        name=options.name,
        save=save,
        watch=None if options.paused is None else options.paused.watch,
        progress=request.progress,
        goal=options.goal,
    )
