"""Which covariances are worth a try, and their parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wgboost.smooth.covariance import Covariance
from wgboost.smooth.process import Process
from wgboost.smooth.scale import Scale
from wgboost.smooth.settings import SmoothStart
from wgboost.smooth.tuning import Sample, start_logs

__all__ = ["candidates"]

_FEW = 500  # rows that scalings and starts are compared by
_SHORTER = 0.0, 1.0  # logs of the lengths to start with, below their prior
_ENOUGH = 200  # rows to tell one place where a search ends from another
_STEPS, _MORE = 30, 100


def candidates(settings: SmoothStart, sample: Sample, rng: np.random.Generator) -> list[Covariance]:
    """Return a covariance of each kernel, tuned on some of the training rows.

    What features are measured by, and from where lengths are sought, is what predicts rows best
    that were left out of a few.
    """
    order = rng.permutation(len(sample.y))
    rows = np.sort(order[: settings.tuning_rows])
    few = sample.take(np.sort(order[: min(_FEW, settings.tuning_rows)]))
    first, tried = settings.kernels[0], []
    for share in settings.shares if sample.columns.numbers else (0.0,):
        some = replace(few, columns=sample.columns.ranking(share, sample.X))
        for shorter in _SHORTER if len(few.y) >= _ENOUGH else (0.0,):
            logs = start_logs(sample.columns.n_lengths)
            logs[3:] -= shorter
            one = Covariance(some.columns, first, some.tuned(first, logs, _STEPS))
            evidence = some.loss(first, one.logs)[0] / len(some.y)
            tried.append((_left_out_loss(some, one) + evidence, one))
    best = min(tried, key=lambda one: one[0])[1]
    some = replace(sample.take(rows), columns=best.columns)
    found, logs = [], best.logs
    for kernel in settings.kernels:
        logs = some.tuned(kernel, logs, _MORE)
        found.append(Covariance(best.columns, kernel, logs))
    return found


def _left_out_loss(sample: Sample, covariance: Covariance) -> float:
    """Return minus the mean log density of rows left out."""
    noise = covariance.noise * sample.spread + sample.known
    process = Process.fit(covariance, sample.X, sample.y, noise)
    mean, variance = process.left_out(covariance, sample.X, sample.y, noise)
    residual, weight = sample.y - mean, 1 / sample.spread
    scale = Scale(covariance.noise, 1.0).fitted(residual, variance, weight, sample.known)
    density = scale.log_density(residual, variance, sample.known)
    return -float(np.average(density, weights=weight))
