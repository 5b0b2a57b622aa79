"""Candidate covariances with tuned parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.scale import Scale
from wgboost.smooth.settings import SmoothStart
from wgboost.smooth.tuning import Sample, Steps, start_logs
from wgboost.typing import Array

__all__ = ["candidate_covariances"]

_FEW = 300  # rows to compare scalings
_ENOUGH = 200  # rows to compare optima of a search
_SHORTER = 1.0  # log of the factor by which lengths start shorter, with enough rows
_FAST, _SLOW = Steps(20, 3e-4), Steps(60, 1e-4)


def candidate_covariances(
    settings: SmoothStart, sample: Sample, rng: np.random.Generator
) -> list[Covariance]:
    """Return a covariance of each kernel, tuned on some of the training rows.

    The scaling of the features is the one that predicts left-out rows best, on a few rows. If there
    are too many rows for an exact process, only the best kernel is returned.
    """
    order = rng.permutation(len(sample.y))
    rows = np.sort(order[: settings.tuning_rows])
    few = sample.take(np.sort(order[: min(_FEW, settings.tuning_rows)]))
    first, *others = settings.kernels
    enough = len(rows) >= _ENOUGH
    # At long lengths gradients hardly depend on a feature.
    start = start_logs(sample.columns.n_lengths, _SHORTER if enough else 0.0)
    share, *shares = settings.shares if sample.columns.numbers else (0.0,)

    def with_share(share: float) -> Sample:
        return replace(few, columns=sample.columns.with_rank_share(share, sample.X))

    best = _better(None, with_share(share), first, start, _FAST)
    for share in shares:  # lengths of one scaling are a good start for another
        best = _better(best, with_share(share), first, best[1].logs, _FAST)
    some = replace(sample.take(rows), columns=best[1].columns)
    best = _better(None, some, first, best[1].logs, _SLOW)
    if enough:
        # On few rows a length may have become so large that its feature has no effect. The search
        # starts again from a shorter one.
        back = np.minimum(best[1].logs, [*[np.inf] * 3, *start[3:]])
        best = _better(best, some, first, back, _SLOW)
    logs = best[1].logs
    tuned = [Covariance(some.columns, one, some.tuned(one, logs, _SLOW)) for one in others]
    made = [best[1], *tuned]
    if len(sample.y) <= settings.exact_rows:
        return made
    return [min(made, key=lambda one: _leave_one_out_loss(some, one))]


def _better(
    best: tuple[float, Covariance] | None, sample: Sample, kernel: str, logs: Array, steps: Steps
) -> tuple[float, Covariance]:
    """Return the best so far, or the result of a search from logs if that is better."""
    one = Covariance(sample.columns, kernel, sample.tuned(kernel, logs, steps))
    evidence = sample.loss(kernel, one.logs)[0] / len(sample.y)
    loss = _leave_one_out_loss(sample, one) + evidence
    return (loss, one) if best is None or loss < best[0] else best


def _leave_one_out_loss(sample: Sample, covariance: Covariance) -> float:
    """Return minus the mean log density of rows left out."""
    noise = (covariance.noise + sample.known) / sample.weight
    process = ExactGP.fit(covariance, sample.X, sample.y, noise)
    mean, variance = process.leave_one_out(covariance, sample.X, sample.y, noise)
    residual = sample.y - mean
    scale = Scale(covariance.noise, 1.0).fitted(residual, variance, sample.weight, sample.known)
    density = scale.log_density(residual, variance, sample.known)
    return -float(np.average(density, weights=sample.weight))
