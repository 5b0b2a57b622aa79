"""Training: held-out rows, the search for the evidence, the refit, as a plan of stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from wgboost.model import FittedModel
from wgboost.model.error_model import ErrorModel
from wgboost.training.continuing import description
from wgboost.training.data import TrainingData
from wgboost.training.error_estimates import can_estimate_errors, estimate_errors
from wgboost.training.few_rows import EVIDENCE, find_rounds
from wgboost.training.posterior_data import PosteriorData, without_rows
from wgboost.training.request import FitRequest
from wgboost.training.rounds import AddRounds, add_rounds
from wgboost.training.row_hashes import hash_rows
from wgboost.training.search import search, with_evidence
from wgboost.training.search_trials import Trial
from wgboost.training.stages import Plan, StageOptions, make_stage
from wgboost.training.support import with_held_out_lack, with_support
from wgboost.training.validation_sets import split_rows
from wgboost.trees.flat import FlatTrees

__all__ = ["completed_model", "described_model", "fit_model", "fit_rounds"]


def fit_model(request: FitRequest, run: AddRounds = add_rounds) -> FittedModel:
    """Return the model that a request asks for, with its support and expected squared error.

    Parameters
    ----------
    request : FitRequest
        Settings and data, checked.
    run : AddRounds
        Adds the rounds of a stage: `add_rounds`, or the same on a cluster.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C comes before the first round.
    """
    return completed_model(request, fit_rounds(request, run))


def fit_rounds(request: FitRequest, run: AddRounds = add_rounds) -> FittedModel:
    """Return the model that a request asks for, without what is judged by its training rows.

    Parameters
    ----------
    request : FitRequest
        Settings and data, checked.
    run : AddRounds
        Adds the rounds of a stage: `add_rounds`, or the same on a cluster.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C comes before the first round.
    """
    plan = _fit_plan(request)
    advance = partial(next, plan)
    while True:
        try:
            stage = advance()
        except StopIteration as done:
            model = done.value
            break
        try:
            model = run(stage)
        except KeyboardInterrupt as interrupt:
            advance = partial(plan.throw, interrupt)
        else:
            advance = partial(plan.send, model)
    return described_model(request, model)


def completed_model(
    request: FitRequest, model: FittedModel, errors: ErrorModel | None = None
) -> FittedModel:
    """Return a model with its support and expected squared error; Ctrl-C leaves the latter out.

    Parameters
    ----------
    request : FitRequest
        The request that the model was fitted to.
    model : FittedModel
        What `fit_rounds` has returned.
    errors : ErrorModel, optional
        The expected squared error of a model of the same kind. Without it, it is estimated.
    """
    model = with_support(request, model)
    if errors is not None and can_estimate_errors(request, model):
        return replace(model, errors=errors)
    if model.interrupted:
        return model
    try:
        return replace(model, errors=estimate_errors(request, model))
    except KeyboardInterrupt:
        return replace(model, interrupted=True)


def _with_trees_so_far(request: FitRequest) -> FitRequest:
    """Return a request whose rounds can follow those of the model that is continued.

    A trial that was interrupted goes on with few trees a round, unless a refit follows.
    """
    settings, previous = request.settings, request.previous
    if previous is None or request.paused is not None or not previous.n_rounds:
        return request
    trees = previous.ensemble.trees_per_round if isinstance(previous.ensemble, FlatTrees) else 1
    refit = request.holds_out and settings.refit
    if trees == settings.n_trees or settings.learner is not None or refit:
        return request
    few = settings.for_trials()
    if trees == few.n_trees and not previous.refitted:
        return replace(request, settings=few)
    raise ValueError(
        f"tree={settings.tree.tree!r} cannot go on from rounds with {trees} trees each; keep "
        "tree, or fit anew with warm_start=False"
    )


def _fit_plan(request: FitRequest) -> Plan:
    request = _with_trees_so_far(request)
    settings, data = request.settings, request.data
    if request.holds_out:
        return (yield from _early_stopping_plan(request))
    if request.cross_validates and isinstance(data, PosteriorData):
        return (yield from _cross_validated_plan(request, data))
    options = StageOptions(
        settings.at(n_rows=data.total(data.counted)),
        early_stopping=request.early_stopping,
        callbacks=request.callbacks,
        previous=request.previous,
        paused=request.paused,
    )
    return (yield from _train_plan(request, data.merged(), request.validation, options))


def _cross_validated_plan(request: FitRequest, data: PosteriorData) -> Plan:
    """Find the number of rounds of few rows by folds, then train on all of them."""
    previous, paused, merged = request.previous, request.paused, data.merged()
    same = replace(merged, evidence=EVIDENCE, sought=True)
    settings = request.settings.at(n_rows=data.total(data.counted), level=EVIDENCE)
    options = StageOptions(settings, callbacks=request.callbacks, previous=previous, paused=paused)
    if previous is None:
        trial: Trial = {"evidence": EVIDENCE, "rows": len(merged)}
        rounds, value, start = yield from find_rounds(request, same, options)
        trials = [{**trial, "rounds": rounds, "value": value, "start": start, "chosen": True}]
    else:  # no more rounds than folds have found
        trials = list(previous.search_trials or ())
        rounds = previous.n_rounds if paused is None else paused.n_rounds
    options = replace(options, n_rounds=rounds, trials=trials)
    model = yield make_stage(request, same, {}, options)
    return replace(model, search_trials=trials)


def _early_stopping_plan(request: FitRequest) -> Plan:
    """Find the number of rounds on rows that are held out, then refit on all rows if asked."""
    settings, data, previous = request.settings, request.data, request.previous
    inside, outside = split_rows(
        data, request.validation_rows, settings.validation_fraction, settings.seed, request.groups
    )
    options = StageOptions(
        settings.at(n_rows=data.total(inside)),
        early_stopping=settings.early_stopping is not False,
        callbacks=request.callbacks,
        previous=previous,
        paused=request.paused,
        held_out=outside,
        goal=request.goal,
    )
    finding = options
    if previous is not None and request.paused is not None and request.paused.stage == "refit":
        return (yield from _refit_plan(request, options, None))
    before = outside if previous is None else previous.held_out
    if before is None or not np.array_equal(before, outside):
        raise ValueError(
            "warm_start cannot hold out rows that the model may have seen, in a refit or "
            "because other rows were held out before: give X_val and y_val, or fit with "
            "refit=False from the start and keep the data, or set early_stopping=False"
        )
    if settings.refit:
        finding = _for_trials(options)
        ratio = options.settings.n_trees / finding.settings.n_trees
        finding = replace(finding, refit_share=ratio * len(data) / inside.size)
    request.progress.refit_share = finding.refit_share
    sets = {"validation": data.part(outside)}
    found = yield from _train_plan(request, data.part(inside), sets, finding)
    found = with_held_out_lack(request, replace(found, held_out=outside), inside, outside)
    if found.interrupted or not settings.refit:
        return found
    return (yield from _refit_plan(request, options, found))


def _for_trials(options: StageOptions) -> StageOptions:
    """Return the options of stages that a refit follows: with few trees a round.

    A model that is continued keeps its number of trees.
    """
    few, previous = options.settings.for_trials(), options.previous
    trees = None
    if previous is not None and isinstance(previous.ensemble, FlatTrees):
        trees = previous.ensemble.trees_per_round
    return replace(options, settings=few) if trees in (None, few.n_trees) else options


def _refit_plan(request: FitRequest, options: StageOptions, found: FittedModel | None) -> Plan:
    """Train on all rows, as many rounds as were found best, or as a checkpoint says."""
    progress, paused = request.progress, request.paused
    previous = request.previous if found is None else None
    chosen = previous if found is None else found
    goal = found.n_rounds if found is not None else 0 if paused is None else paused.n_rounds
    history = {} if chosen is None else chosen.history
    options = replace(
        options,
        n_rounds=goal,
        early_stopping=False,
        name="refit",
        callbacks=[one for one in request.callbacks if getattr(one, "in_refit", False)],
        previous=previous,
        paused=paused if found is None else None,
        like=None if found is None else found.start,
        held_out=None,
        history=history,
        trials=None if chosen is None else chosen.search_trials,
        held_out_lack=None if chosen is None else chosen.held_out_lack,
    )
    search_ended, progress.stopped = progress.stopped, False  # a refit follows all the same
    try:
        again = yield from _train_plan(request, request.data.merged(), {}, options)
        if again.interrupted:  # fewer rounds than were found best
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        if found is None:  # the checkpoint has no other model to fall back to
            raise
        return replace(found, interrupted=True)
    cut, progress.stopped = progress.stopped, progress.stopped or search_ended
    if found is not None and cut and again.n_rounds < goal:
        return found
    if chosen is not None:
        again = replace(again, limit=chosen.limit, held_out_lack=chosen.held_out_lack)
    return replace(again, history=history, refitted=True)


def _train_plan(
    request: FitRequest,
    data: TrainingData,
    validation: Mapping[str, TrainingData],
    options: StageOptions,
) -> Plan:
    """Train with the start and the evidence that are given, searched for, or were found before."""
    settings = options.settings
    given = settings.at(level=_given_level(settings, data))
    if not settings.searches or not isinstance(data, PosteriorData):
        model = yield make_stage(request, data, validation, replace(options, settings=given))
        return replace(model, search_trials=None)
    continued = options.previous is not None and options.paused is None
    if not settings.search_evidence:
        options = replace(options, settings=given)
    if not options.name and not continued:
        return (yield from search(request, data, validation, options))
    if continued and options.previous is not None:
        options = replace(
            options, trials=options.previous.search_trials, like=options.previous.start
        )
    elif options.previous is not None:
        options = replace(options, like=options.previous.start)
    trials = options.trials or ()
    [trial] = [one for one in trials if one.get("chosen")]
    level = float(trial["evidence"])
    settings = options.settings.of_trial(trial)
    data = with_evidence(data, level) if settings.search_evidence else data
    model = yield make_stage(request, data, validation, replace(options, settings=settings))
    return replace(model, search_trials=list(trials))


def _given_level(settings: Any, data: TrainingData) -> float:
    """Return the mean evidence that was given."""
    if isinstance(data, PosteriorData) and np.ndim(data.evidence) > 0:
        return float(data.evidence[data.counted].mean())
    evidence = settings.evidence
    return 1.0 if evidence is None or isinstance(evidence, str) else float(evidence)


def described_model(request: FitRequest, model: FittedModel) -> FittedModel:
    """Return a model completed with what it is fitted to."""
    settings, data, encoder = request.settings, request.data, request.encoder
    model = replace(
        model,
        schema=request.schema,
        seed=settings.seed,
        init=description(settings.init),
        constraints=repr(request.constraints),
        row_parameters=request.row_parameters,
    )
    if not isinstance(data, PosteriorData):
        return model
    inside = data.counted
    if model.held_out is not None:
        inside = np.setdiff1d(inside, model.held_out)
    return replace(
        model,
        # The prior has done its work; per-row parameters would only take memory.
        response=without_rows(data.response),
        classes=encoder.classes,
        ranks=encoder.ranks,
        n_outputs=encoder.n_outputs,
        proposal=encoder.proposal,
        row_hashes=hash_rows(data.X, data.y, inside),
    )
