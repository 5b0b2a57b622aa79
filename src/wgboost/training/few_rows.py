"""Few rows: five folds find the number of rounds, since none can be held out for good."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np

from wgboost.model import FittedModel
from wgboost.training.data import TrainingData
from wgboost.training.request import FitRequest
from wgboost.training.rounds import FitStage
from wgboost.training.settings import Settings
from wgboost.training.stages import StageOptions, make_stage
from wgboost.typing import Array

__all__ = ["EVIDENCE", "cross_validates", "find_rounds"]

EVIDENCE = 4.0
"""The evidence of few rows; `docs/evidence.md` has the experiment behind it."""

_MIN_ROWS = 10  # of which folds of two can be left out
_FOLDS = 5


def cross_validates(settings: Settings, data: TrainingData, *, groups: bool) -> bool:
    """Return whether folds find the number of rounds of a fit that holds nothing out.

    So it is where rounds, early stopping and evidence are left open, and rows differ in y.
    """
    undecided = settings.early_stopping is None and settings.n_estimators is None
    undecided = undecided and settings.evidence is None and settings.eval_metric == "nll"
    return undecided and not groups and len(data.to_split) >= _MIN_ROWS and data.varied


def find_rounds(
    request: FitRequest, data: TrainingData, options: StageOptions
) -> Generator[FitStage, FittedModel, tuple[int, float, float]]:
    """Return the best number of rounds over folds, the metric there, and before the first."""
    settings = options.settings
    metric = data.metric(settings.eval_metric).name
    most = settings.max_rounds(early_stopping=False)
    total, weights = np.zeros(most + 1), 0.0
    options = replace(
        options, n_rounds=most, name="folds", callbacks=(), previous=None, paused=None
    )
    for inside, outside in _folds(data, settings.seed):
        held = data.part(outside)
        model = yield make_stage(request, data.part(inside), {"validation": held}, options)
        if model.interrupted:
            raise KeyboardInterrupt
        weight = len(held) if held.weight is None else float(held.weight.sum())
        total += weight * np.asarray(model.history["validation"][metric])
        weights += weight
    mean = np.where(np.isfinite(total), total, np.inf) / weights
    best = 1 + int(np.argmin(mean[1:]))
    return best, float(mean[best]), float(mean[0])


def _folds(data: TrainingData, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield indices of rows to train on and to hold out; copies of a row stay together."""
    units = data.to_split
    order = np.random.default_rng([seed, 2**31 + 5]).permutation(len(units))
    for fold in np.array_split(order, _FOLDS):
        yield units.rows_of(np.setdiff1d(order, fold)), units.rows_of(fold)
