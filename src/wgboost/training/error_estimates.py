"""The expected squared error of a fitted model, estimated by boosting simulated data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.boosting.randomness import RoundRandomness
from wgboost.boosting.simulated_errors import SimulatedErrors, label_movement, noise_movement
from wgboost.boosting.start import ConstantStart
from wgboost.data import Features
from wgboost.data.level_groups import LevelGroups
from wgboost.data.rarity import rarity
from wgboost.learners.hist_tree import HistTree
from wgboost.model import FittedModel
from wgboost.model.error_model import ErrorModel
from wgboost.responses import Response
from wgboost.smooth.posterior_draws import PosteriorDraws, tune_covariance
from wgboost.training.data import random_split
from wgboost.training.posterior_data import PosteriorData, without_rows
from wgboost.training.request import FitRequest
from wgboost.training.settings import Settings
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["can_estimate_errors", "estimate_errors"]

_ROWS = 5000  # at most this many rows are simulated
_TUNING_ROWS = 300, 600  # that the parameters of the Gaussian process are tuned on
_ROWS_PER_COLUMN = 12  # of them, up to a third of the rows
_OBSERVED_ROWS = 1000  # that its draws are conditioned on
_MIN_ROWS = 10
_REPLICATES = 10
_ROUNDS = 100  # of the simulation; more where steps would be too large
_LARGEST_RATE = 0.5
_SHARES = {False: 0.7, True: 0.42}  # of the simulated error of 200 rows: numbers and classes
_SHARE_ROWS, _SHARE_POWER = 200, 0.07  # simulated errors fall a little more slowly than true ones
_DECAY = 0.2, 1.2  # bounds of the power of the number of rows that errors fall with
_LEAST_PROBABILITY = 0.01
_LEAST_INFORMATION = 1e-3  # of the mean: where y says nothing, noise has no bounds
_LEAST_VARIANCE = 1e-12
_LARGEST_RATIO = 1.6  # of the error to the variance that the model predicts of training rows
_CERTAIN_SHARE = 0.8  # of the estimated noise, that is not error
_RARITY_POWER = 0.25  # of the rarity of a row, that errors grow with
_SMOOTHING_ROUNDS, _SMOOTHING_RATE, _SMOOTHING_L2 = 40, 0.1, 2.0


@dataclass(frozen=True, eq=False)
class _SimulatedRows:
    """Rows that are simulated.

    Attributes
    ----------
    data : PosteriorData
    features : Features
        Binned.
    matrix : array (n, p)
        With codes of groups of levels.
    n_levels : array (p,)
    groups : LevelGroups or None
    settings : Settings
        For this number of rows.
    rng : numpy.random.Generator
    """

    data: PosteriorData
    features: Features
    matrix: Array
    n_levels: Array
    groups: LevelGroups | None
    settings: Settings
    rng: np.random.Generator

    @property
    def weight(self) -> Array:
        """How often each row counts, on average once."""
        weight = self.data.weight
        return np.ones(len(self.data)) if weight is None else weight / weight.mean()


@dataclass(frozen=True, eq=False)
class _Functions:
    """Functions that data are simulated from.

    Attributes
    ----------
    values : array (n, replicates, q)
        Locations, or class probabilities up to a factor.
    start : array (n, d)
        Parameters before the first round.
    relative : array (n, q)
        Variance of the noise of rows, relative to the mean.
    noise : array (q,)
        Mean variance of the noise.
    variance : array (n, q)
        Variance that the model predicts.
    noise_of_y : array (q,)
        Variance of the noise of y; 0 where the location is not in its units.
    """

    values: Array
    start: Array
    relative: Array
    noise: Array
    variance: Array
    noise_of_y: Array

    def take(self, index: Array) -> _Functions:
        """Return the functions of some rows."""
        return replace(
            self, values=self.values[index], start=self.start[index],
            relative=self.relative[index], variance=self.variance[index],
        )  # fmt: skip


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
    n_rows = data.total(data.counted)
    some = data.sample(_ROWS, request.settings.seed)
    rows = _rows(request, model, some)
    functions = _functions(rows, model)
    if functions is None:
        return None
    squared = _squared_errors(rows, functions, model, learner)
    share = some.total(some.counted) / n_rows
    if share < 1:
        index = random_split(some, 0.5, request.settings.seed)[1]
        half = _rows(request, model, some.take(index))
        of_half = _squared_errors(half, functions.take(index), model, learner)
        squared *= share ** _decay(squared[index].mean(), of_half.mean())
    squared *= _share(response, some.total(some.counted))
    squared = _larger_where_rare(rows, squared)
    if not response.nominal:
        mean = np.average(squared, axis=0, weights=rows.weight)
        bounded = _bounded(mean, functions, rows, many=share < 1)
        squared *= bounded / np.maximum(mean, _LEAST_VARIANCE)
    return _smoothed(rows, squared, functions.noise_of_y)


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
    trees = isinstance(model.ensemble, FlatTrees) and model.n_rounds > 0
    trees = trees and isinstance(request.settings.make_learner(), HistTree)
    return able and trees and type(model.start) is ConstantStart


def _share(response: Response, n_rows: int) -> float:
    """Return the share of the simulated error that is the estimate."""
    share = _SHARES[response.nominal]
    return float(share * (max(n_rows, _SHARE_ROWS) / _SHARE_ROWS) ** -_SHARE_POWER)


def _larger_where_rare(rows: _SimulatedRows, squared: Array) -> Array:
    """Return squared errors (n, q) of the same mean that are larger where rows are rare.

    The process is as smooth everywhere as most rows say, and shows less of the structure of others.
    """
    larger = squared * (rarity(rows.matrix, rows.n_levels) ** _RARITY_POWER)[:, None]
    before, after = (np.average(each, axis=0, weights=rows.weight) for each in (squared, larger))
    kept: Array = larger * (before / np.maximum(after, _LEAST_VARIANCE))
    return kept


def _decay(error: float, of_half: float) -> float:
    """Return the power of the number of rows that errors fall with, from those of half the rows."""
    ratio = of_half / max(error, _LEAST_VARIANCE)
    return float(np.clip(np.log2(max(ratio, 1.0)), *_DECAY))


def _bounded(mean: Array, found: _Functions, rows: _SimulatedRows, *, many: bool) -> Array:
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


def _rows(request: FitRequest, model: FittedModel, data: PosteriorData) -> _SimulatedRows:
    settings = request.settings.at(n_rows=data.total(data.counted))
    X, n_levels = data.X, request.schema.n_levels
    groups = getattr(model.ensemble, "level_groups", None)
    if groups is not None:
        X, n_levels = groups.apply(X), groups.n_levels(n_levels)
    features = Features.from_raw(
        X, bins=settings.max_bins, n_levels=n_levels, weight=data.weight,
        rng=np.random.default_rng([settings.seed, 2**31]), n_threads=settings.n_threads,
    )  # fmt: skip
    rng = np.random.default_rng([settings.seed, 2**31 + 4])
    return _SimulatedRows(data, features, X, n_levels, groups, settings, rng)


def _functions(rows: _SimulatedRows, model: FittedModel) -> _Functions | None:
    """Return draws from the posterior of a Gaussian process; None if y or all features are alike.

    The parameters of the process are those of the largest marginal likelihood of some rows.
    """
    data, response = rows.data, without_rows(rows.data.response)
    start = data.particles(model.start).mean(axis=1, dtype=np.float64)
    outputs, noise, variance, of_y = _pseudo_outputs(rows, model, response, start)
    shift = np.average(outputs, axis=0, weights=rows.weight)
    spread = np.sqrt(np.average(np.square(outputs - shift), axis=0, weights=rows.weight))
    if not (np.isfinite(spread).all() and spread.min() > _LEAST_VARIANCE):
        return None
    outputs = (outputs - shift) / spread
    # Rows are drawn more often where they are rare, so that the process sees its structure there.
    order = np.argsort(
        rows.rng.standard_exponential(len(data)) / rarity(rows.matrix, rows.n_levels)
    )
    n_tuned = _n_tuned(*rows.matrix.shape)
    tuned, observed = np.sort(order[:n_tuned]), np.sort(order[:_OBSERVED_ROWS])
    X, weight = rows.matrix, rows.weight
    covariance = tune_covariance(X[tuned], outputs[tuned], weight[tuned], rows.n_levels)
    if covariance is None:
        return None
    draws = PosteriorDraws.of(
        covariance, X[observed], outputs[observed], weight[observed], _REPLICATES, rows.rng
    )
    values, mean_noise = shift + spread * draws.at(X), noise.mean(axis=0)
    level = covariance.noise * np.square(spread)
    if not response.nominal:
        of_y = level * of_y / mean_noise
    return _Functions(values, start, noise / mean_noise, level, variance, of_y)


def _n_tuned(n_rows: int, n_columns: int) -> int:
    """Return on how many rows the parameters of the process are tuned."""
    least, most = _TUNING_ROWS
    return max(least, min(_ROWS_PER_COLUMN * n_columns, n_rows // 3, most))


def _squared_errors(
    rows: _SimulatedRows, functions: _Functions, model: FittedModel, learner: HistTree
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
    movement = noise_movement(truth, functions.noise * functions.relative, rows.rng)
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


def _pseudo_outputs(
    rows: _SimulatedRows, model: FittedModel, response: Response, start: Array
) -> tuple[Array, Array, Array, Array]:
    """Return what y says of the location of each row, and the noise of that, (n, q) each.

    It is one Newton step from the start: y itself for a normal response. For classes it is an
    indicator of each class. The third array is the predicted variance: noise and disagreement. The
    last (q,) is the mean predicted variance of y alone, 0 if that is not finite.
    """
    data = rows.data
    if response.nominal:
        shares = np.eye(_n_classes(response, start))[np.asarray(data.y, dtype=int)]
        return shares, np.ones_like(shares), np.ones_like(shares), np.zeros(1)
    target: Any = data.target(model.units)
    score, _ = target.derivatives(
        start[:, None].astype(np.float32), slice(0, len(data)), "score", 1
    )
    where: Any = response.location
    columns = where if isinstance(where, slice) else slice(where, where + 1)
    noisy = None if data.noise is None else target.y
    at_start = response.fisher(_with_offset(data, response, model, start), 1.0, noisy)[:, columns]
    level = np.asarray(target.evidence).reshape(-1, 1)
    fitted = model.ensemble.predict(
        data.X, start=data.particles(model.start), n_threads=rows.settings.n_threads
    )
    middle: Directions = fitted.mean(axis=1, dtype=np.float64)
    information = response.fisher(_with_offset(data, response, model, middle), 1.0, noisy)
    information = information[:, columns]
    noise = 1.0 / np.maximum(information, _LEAST_INFORMATION * information.mean(axis=0))
    spread = fitted[:, :, columns].var(axis=1, dtype=np.float64)
    outputs = score[:, 0, columns] / (level * at_start)
    return outputs, noise, noise + spread, _noise_of_y(response, middle)


def _with_offset(
    data: PosteriorData, response: Response, model: FittedModel, theta: Array
) -> Array:
    """Return parameters (n, d) with the offsets that counts keep in their likelihood."""
    if data.offset is None or not (response.discrete or not response.offset_shifts_y):
        return theta
    moved: Array = response.with_offset(theta[:, None], data.offset, model.units)[:, 0]
    return moved


def _noise_of_y(response: Response, theta: Array) -> Array:
    """Return the mean variance (q,) of y given parameters (n, d); 0 if the location is a log."""
    with np.errstate(over="ignore", invalid="ignore"):
        each = np.asarray(response.var(theta)).reshape(len(theta), -1)
        variance: Array = each.mean(axis=0)
    if response.offset_link != "identity" or not np.isfinite(variance).all():
        return np.zeros_like(variance)
    return variance


def _n_classes(response: Response, start: Array) -> int:
    return int(response.probabilities(start[:1]).shape[-1])


def _smoothed(rows: _SimulatedRows, squared: Array, noise: Array) -> ErrorModel:
    """Return squared errors (n, q) as a function of x, with the noise (q,) of y."""
    mean = np.average(squared, axis=0, weights=rows.weight)
    n = len(squared)
    target = (squared / np.maximum(mean, _LEAST_VARIANCE)).mean(axis=1).astype(np.float32)
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
