"""The expected squared error of a fitted model, estimated by boosting simulated data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.boosting.randomness import RoundRandomness
from wgboost.boosting.simulated_errors import (
    SimulatedErrors,
    label_movement,
    noise_movement,
)
from wgboost.boosting.start import ConstantStart, GPStart
from wgboost.data import Features
from wgboost.data.rarity import rarity
from wgboost.learners.hist_tree import HistTree
from wgboost.model import FittedModel
from wgboost.model.error_model import ErrorModel
from wgboost.responses import Response
from wgboost.smooth.gp_model import GPModel
from wgboost.smooth.refitted_process import RefittedProcess
from wgboost.training.data import random_split
from wgboost.training.posterior_data import PosteriorData, without_rows
from wgboost.training.request import FitRequest
from wgboost.training.simulated_functions import (
    LEAST_VARIANCE,
    Functions,
    SimulatedRows,
    draw_functions,
)
from wgboost.training.smooth_errors import (
    errors_with_trees,
    known_noise,
    share_of_simulated,
    variance_of_process,
)
from wgboost.training.smooth_starts import gp_data
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array

__all__ = ["can_estimate_errors", "estimate_errors"]

_ROWS = 5000  # at most this many rows are simulated
_MIN_ROWS = 10
_ROUNDS = 100  # of the simulation; more where steps would be too large
_LARGEST_RATE = 0.5
_SHARES = {False: 0.7, True: 0.42}  # of the simulated error of 200 rows: numbers and classes
_SHARE_ROWS, _SHARE_POWER = 200, 0.07  # simulated errors fall a little more slowly than true ones
_DECAY = 0.2, 1.2  # bounds of the power of the number of rows that errors fall with
_LEAST_PROBABILITY = 0.01
_LARGEST_RATIO = 1.6  # of the error to the variance that the model predicts of training rows
_CERTAIN_SHARE = 0.8  # of the estimated noise, that is not error
_RARITY_POWER = 0.25  # of the rarity of a row, that errors grow with
_SMOOTHING_ROUNDS, _SMOOTHING_RATE, _SMOOTHING_L2 = 40, 0.1, 2.0


def estimate_errors(request: FitRequest, model: FittedModel) -> ErrorModel | None:
    """Return the expected squared error of a fitted model as a function of x.

    Functions are drawn from the posterior of a Gaussian process that is fitted to some of the rows.
    Data are simulated from each of them and boosted as the model was. The squared differences
    between the boosted functions and those of the simulation are smoothed over x.

    Parameters
    ----------
    request : FitRequest
        The fit.
    model : FittedModel
        The fitted model.

    Returns
    -------
    ErrorModel or None
        None if there is nothing to simulate: the response has no location, the start is not
        constant, the learner has no trees, or the rows are not in memory, too few or all alike.
    """
    data: Any = request.data
    learner: Any = request.settings.make_learner()
    if not can_estimate_errors(request, model):
        return None
    response, inside = data.response, data.counted
    if model.held_out is not None:
        inside = np.setdiff1d(inside, model.held_out)
    data = data.part(inside)
    if len(data) < _MIN_ROWS or not data.varied:
        return None
    some = data.sample(_ROWS, request.settings.seed)
    rows = _rows(request, model, some)
    functions = draw_functions(rows, model)
    if functions is None:
        return None
    squared = _squared_errors(rows, functions, model, learner)
    share = _weight(some) / _weight(data)
    if share < 1:
        index = random_split(some, 0.5, request.settings.seed)[1]
        half = _rows(request, model, some.take(index))
        of_half = _squared_errors(half, functions.take(index), model, learner)
        squared *= share ** _decay(squared[index].mean(), of_half.mean())
    gp, n_simulated = _process_of(model), max(1, some.total(some.counted))
    if gp is None:
        squared *= _share(response, n_simulated)
        squared = _larger_where_rare(rows, squared)
    else:
        squared *= share_of_simulated(gp, n_simulated)
    if not response.nominal:
        mean = np.average(squared, axis=0, weights=rows.weight)
        bounded = _bounded(mean, functions, rows, many=share < 1)
        squared *= bounded / np.maximum(mean, LEAST_VARIANCE)
    if gp is None or rows.process is None:
        return _smoothed(rows, squared, functions.noise_of_y)
    relative = squared / variance_of_process(rows.process, sampled=share < 1)
    return _smoothed(rows, relative, known_noise(gp, functions.noise))


def _process_of(model: FittedModel) -> GPModel | None:
    """Return the Gaussian process that a model starts at."""
    return model.start.gp if isinstance(model.start, GPStart) else None


def can_estimate_errors(request: FitRequest, model: FittedModel) -> bool:
    """Return whether the response, the start, the learner and the rows are of a kind to simulate.

    Parameters
    ----------
    request : FitRequest
        The fit.
    model : FittedModel
        The fitted model.
    """
    data = request.data
    if not isinstance(data, PosteriorData) or not isinstance(data.X, np.ndarray):
        return False
    response = data.response
    able = response.nominal or response.offset_link is not None or response.has_dispersion
    smooth = _process_of(model) is not None
    trees = isinstance(model.ensemble, FlatTrees) and (model.n_rounds > 0 or smooth)
    trees = trees and isinstance(request.settings.make_learner(), HistTree)
    return able and trees and (smooth or type(model.start) is ConstantStart)


def _weight(data: PosteriorData) -> float:
    """Return the sum of the weights of rows, which may be far below their number."""
    weight = data.weight
    return float(len(data)) if weight is None else float(weight[data.counted].sum())


def _share(response: Response, n_rows: int) -> float:
    """Return the share of the simulated error that is the estimate."""
    share = _SHARES[response.nominal]
    return float(share * (max(n_rows, _SHARE_ROWS) / _SHARE_ROWS) ** -_SHARE_POWER)


def _larger_where_rare(rows: SimulatedRows, squared: Array) -> Array:
    """Return squared errors (n, q) of the same mean that are larger where rows are rare.

    The process is as smooth everywhere as most rows say, and shows less of the structure of others.
    """
    larger = squared * (rarity(rows.matrix, rows.n_levels) ** _RARITY_POWER)[:, None]
    before, after = (np.average(each, axis=0, weights=rows.weight) for each in (squared, larger))
    kept: Array = larger * (before / np.maximum(after, LEAST_VARIANCE))
    return kept


def _decay(error: float, of_half: float) -> float:
    """Return the power of the number of rows that errors fall with, from those of half the rows."""
    ratio = of_half / max(error, LEAST_VARIANCE)
    return float(np.clip(np.log2(max(ratio, 1.0)), *_DECAY))


def _bounded(mean: Array, found: Functions, rows: SimulatedRows, *, many: bool) -> Array:
    """Return mean squared errors (q,) that agree with the variance that the model predicts.

    The variance of few training rows is smaller than that of new rows. With `many` rows it is the
    same, and where most of it is error, the noise is known better than the error.
    """
    total = np.average(found.variance, axis=0, weights=rows.weight)
    mean = np.minimum(mean, _LARGEST_RATIO * total)
    if not many:
        return mean
    room = np.maximum(total - _CERTAIN_SHARE * found.noise, total / 2)
    return np.where(mean > total / 2, np.minimum(mean, room), mean)


def _rows(request: FitRequest, model: FittedModel, data: PosteriorData) -> SimulatedRows:
    settings = request.settings.at(n_rows=data.total(data.counted))
    for trial in model.search_trials or ():
        if trial.get("chosen"):  # trees of the simulation have as many leaves as the model's
            settings = settings.of_trial(trial)
    X, n_levels = data.X, request.schema.n_levels
    groups = getattr(model.ensemble, "level_groups", None)
    if groups is not None:
        X, n_levels = groups.apply(X), groups.n_levels(n_levels)
    features = Features.from_raw(
        X, bins=settings.max_bins, n_levels=n_levels, weight=data.weight,
        rng=np.random.default_rng([settings.seed, 2**31]), n_threads=settings.n_threads,
    )  # fmt: skip
    rng = np.random.default_rng([settings.seed, 2**31 + 4])
    process, gp = None, _process_of(model)
    if gp is not None:
        process = RefittedProcess.of(gp, gp_data(data, model.units, merge=False), rng)
    return SimulatedRows(data, features, X, n_levels, groups, settings, rng, process)


def _squared_errors(
    rows: SimulatedRows, functions: Functions, model: FittedModel, learner: HistTree
) -> Array:
    """Return the squared errors (n, q) of simulated fits at rows that they left out."""
    response = without_rows(rows.data.response)
    if rows.settings.learner is None:  # its settings follow the number of rows and the evidence
        learner = replace(learner, settings=rows.settings.at(level=1.0).tree_settings())
    stride = _stride(model.n_rounds, rows.settings.learning_rate)
    simulation = SimulatedErrors(
        rows.features,
        replace(learner, constraints=None, longest_step=response.longest_step),
        -(-model.n_rounds // stride),
        min(1.0, rows.settings.learning_rate * stride),
        rows.data.weight,
        rows.settings.seed,
    )
    truth = functions.values
    if response.nominal:
        return _errors_of_classes(simulation, truth, response, functions.start, rows.rng)
    variance = functions.noise * functions.relative
    if rows.process is not None:
        return errors_with_trees(rows.process, simulation, truth, variance, rows.rng)
    movement = noise_movement(truth, variance, rows.rng)
    fitted = simulation.fitted(movement, np.zeros_like(truth, np.float32))
    return simulation.left_out(np.square(fitted - truth))


def _stride(n_rounds: int, rate: float) -> int:
    """Return how many rounds of the model one round of the simulation stands for, 2 or more."""
    return max(2, min(-(-n_rounds // _ROUNDS), int(_LARGEST_RATE / rate)))


def _errors_of_classes(
    simulation: SimulatedErrors, truth: Array, response: Response, start: Array,
    rng: np.random.Generator,
) -> Array:  # fmt: skip
    """Return the squared errors of probabilities, summed over classes, (n, 1)."""
    probabilities = np.maximum(truth, _LEAST_PROBABILITY)
    probabilities /= probabilities.sum(axis=2, keepdims=True)
    begin = np.repeat(start[:, None], truth.shape[1], axis=1).astype(np.float32)
    fitted = simulation.fitted(label_movement(probabilities, response, rng), begin)
    gap = response.probabilities(fitted.astype(np.float64)) - probabilities
    return simulation.left_out(np.square(gap).sum(axis=2, keepdims=True))


def _smoothed(rows: SimulatedRows, squared: Array, noise: Array) -> ErrorModel:
    """Return squared errors (n, q) as a function of x, with the noise (q,) of y."""
    mean = np.average(squared, axis=0, weights=rows.weight)
    n = len(squared)
    target = (squared / np.maximum(mean, LEAST_VARIANCE)).mean(axis=1).astype(np.float32)
    settings = TreeSettings(
        max_depth=None, max_leaves=8, growth="best_first", l2=_SMOOTHING_L2, colsample=0.7,
        min_samples_leaf=max(5, n // 50),
    )  # fmt: skip
    learner = HistTree(settings, rows.settings.n_threads)
    fitted = np.ones((n, 1, 1), np.float32)
    draws, trees = RoundRandomness(rows.settings.seed), []
    for r in range(_SMOOTHING_ROUNDS):
        gap = target[:, None, None] - fitted
        step = learner.fit(rows.features, gap, None, rows.data.weight, draws.at(r))
        step = step.scaled(_SMOOTHING_RATE)
        step.add_to(fitted)
        trees.append(step.flat)
    joined = replace(FlatTrees.join(trees), level_groups=rows.groups, ranges=None)
    return ErrorModel(mean, joined, np.asarray(noise, dtype=np.float64))
