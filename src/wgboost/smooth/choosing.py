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

_FEW = 500  # rows that scalings are compared by
_STEPS, _MORE = 30, 100


def candidates(settings: SmoothStart, sample: Sample, rng: np.random.Generator) -> list[Covariance]:
    """Return a covariance of each kernel, tuned on some of the training rows.

    Features are measured by what predicts rows best that were left out of a few.
    """
    order = rng.permutation(len(sample.y))
    rows = np.sort(order[: settings.tuning_rows])
    few = np.sort(order[: min(_FEW, settings.tuning_rows)])
    first, logs = settings.kernels[0], start_logs(sample.columns.n_lengths)
    best, columns = np.inf, sample.columns
    for share in settings.shares if sample.columns.numbers else ():
        scaled = sample.columns.ranking(share, sample.X)
        if len(settings.shares) == 1:
            columns = scaled
            continue
        some = replace(sample.take(few), columns=scaled)
        tuned = Covariance(scaled, first, some.tuned(first, logs, _STEPS))
        loss = _left_out_loss(some, tuned)
        if loss < best:
            best, columns, logs = loss, scaled, tuned.logs
    some = replace(sample.take(rows), columns=columns)
    found = []
    for kernel in settings.kernels:
        logs = some.tuned(kernel, logs, _MORE)
        found.append(Covariance(columns, kernel, logs))
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
