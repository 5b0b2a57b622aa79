"""Functions that data are simulated from, drawn given the data of a fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.data import Features
from wgboost.data.level_groups import LevelGroups
from wgboost.data.rarity import rarity
from wgboost.model import FittedModel
from wgboost.responses import Response
from wgboost.smooth.posterior_draws import PosteriorDraws, tune_covariance
from wgboost.smooth.refitted_process import RefittedProcess
from wgboost.training.posterior_data import PosteriorData, without_rows
from wgboost.training.settings import Settings
from wgboost.typing import Array, Directions

__all__ = ["LEAST_VARIANCE", "Functions", "SimulatedRows", "draw_functions"]

_TUNING_ROWS = 300, 600  # that the parameters of the Gaussian process are tuned on
_ROWS_PER_COLUMN = 12  # of them, up to a third of the rows
_OBSERVED_ROWS = 1000  # that its draws are conditioned on
_REPLICATES = 10
_LEAST_INFORMATION = 1e-3  # of the mean: where y says nothing, noise has no bounds

LEAST_VARIANCE = 1e-12
"""Smaller variances are none."""


@dataclass(frozen=True, eq=False)
class SimulatedRows:
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
    process : RefittedProcess or None
        What particles of a model with a smooth start are relative to.
    """

    data: PosteriorData
    features: Features
    matrix: Array
    n_levels: Array
    groups: LevelGroups | None
    settings: Settings
    rng: np.random.Generator
    process: RefittedProcess | None

    @property
    def weight(self) -> Array:
        """How often each row counts, on average once."""
        weight = self.data.weight
        return np.ones(len(self.data)) if weight is None else weight / weight.mean()


@dataclass(frozen=True, eq=False)
class Functions:
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

    def take(self, index: Array) -> Functions:
        """Return the functions of some rows."""
        return replace(
            self, values=self.values[index], start=self.start[index],
            relative=self.relative[index], variance=self.variance[index],
        )  # fmt: skip


def draw_functions(rows: SimulatedRows, model: FittedModel) -> Functions | None:
    """Return draws from the posterior of a Gaussian process; None if y or all features are alike.

    The parameters of the process are those of the largest marginal likelihood of some rows.
    """
    data, response = rows.data, without_rows(rows.data.response)
    start = data.particles(model.start).mean(axis=1, dtype=np.float64)
    outputs, noise, variance, of_y = _of_y(rows, model, response, start)
    shift = np.average(outputs, axis=0, weights=rows.weight)
    spread = np.sqrt(np.average(np.square(outputs - shift), axis=0, weights=rows.weight))
    if not (np.isfinite(spread).all() and spread.min() > LEAST_VARIANCE):
        return None
    outputs = (outputs - shift) / spread
    # Rows are drawn more often where they are rare, so that the process sees its structure there.
    order = np.argsort(
        rows.rng.standard_exponential(len(data)) / rarity(rows.matrix, rows.n_levels)
    )
    n_tuned = _n_tuned(*rows.matrix.shape)
    tuned, observed = np.sort(order[:n_tuned]), np.sort(order[:_OBSERVED_ROWS])
    X, weight = rows.matrix, rows.weight
    near = None if rows.process is None else rows.process.gp.covariance
    covariance = tune_covariance(X[tuned], outputs[tuned], weight[tuned], rows.n_levels, near)
    if covariance is None:
        return None
    draws = PosteriorDraws.of(
        covariance, X[observed], outputs[observed], weight[observed], _REPLICATES, rows.rng
    )
    values, mean_noise = shift + spread * draws.at(X), noise.mean(axis=0)
    level = covariance.noise * np.square(spread)
    if not response.nominal:
        of_y = level * of_y / mean_noise
    return Functions(values, start, noise / mean_noise, level, variance, of_y)


def _of_y(
    rows: SimulatedRows, model: FittedModel, response: Response, start: Array
) -> tuple[Array, Array, Array, Array]:
    """Return `_pseudo_outputs` in units of y, where particles are relative to a process."""
    if rows.process is None:
        return _pseudo_outputs(rows, model, response, start)
    shift = rows.process.shift()
    relative = replace(rows, data=replace(rows.data, shift=shift))
    outputs, noise, variance, of_y = _pseudo_outputs(relative, model, response, start)
    scale = np.exp(shift.log_scale)[:, None]
    squared = np.square(scale)
    mean = np.average(squared, axis=0, weights=rows.weight)
    outputs = shift.location[:, None] + scale * outputs
    return outputs, squared * noise, squared * variance, mean * of_y


def _n_tuned(n_rows: int, n_columns: int) -> int:
    """Return on how many rows the parameters of the process are tuned."""
    least, most = _TUNING_ROWS
    return max(least, min(_ROWS_PER_COLUMN * n_columns, n_rows // 3, most))


def _pseudo_outputs(
    rows: SimulatedRows, model: FittedModel, response: Response, start: Array
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
