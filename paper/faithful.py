"""The author's repeats, as his program ran them, with wgboost's general estimator.

Beside exact trees and the author's start particles this takes y in units of all training rows, also
while some of them are held out, where `WGBRegressor` knows the others only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper.data import Array, Source
from paper.exact import ExactTree
from paper.jobs import Job
from paper.plain import averaged_start, nll, score_and_curvature
from paper.regression import held_out
from paper.table1 import repeats
from wgboost import Target, WGBoost

__all__ = ["author_repeat", "jobs", "normal_posterior", "trained"]


def _derivative(which: int) -> Any:
    def function(theta: Array, y: Array) -> Array:
        return score_and_curvature(theta.astype(np.float64), y)[which]

    return function


def normal_posterior() -> Target:
    """The posterior of (mean, log scale) given y, under the paper's prior."""
    return Target(score=_derivative(0), curvature=_derivative(1))


def trained(X: Array, y: Array, n_rounds: int) -> WGBoost:
    """The author's model of standardised y."""
    return WGBoost(
        normal_posterior(), n_estimators=n_rounds, learning_rate=0.1, bandwidth=0.1,
        learner=ExactTree(), init=averaged_start(y), n_jobs=1,
    ).fit(X, y)  # fmt: skip


def author_repeat(
    name: str, repeat: int, data: str | None, most_rounds: int = 4000
) -> dict[str, Any]:
    """NLL with NLL stopping on one repeat's test rows."""
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    X, y = source.X[train], source.y[train]
    mean, scale = y.mean(), y.std()
    z, held = (y - mean) / scale, held_out(len(y))
    inside = np.setdiff1d(np.arange(len(y)), held)
    search = trained(X[inside], z[inside], most_rounds)
    curve = [nll(theta, z[held]) for theta in search.staged_predict_particles(X[held])]
    rounds = int(np.argmin(curve)) + 1
    theta = trained(X, z, rounds).predict_particles(source.X[test])
    value = nll(theta, (source.y[test] - mean) / scale) + float(np.log(scale))
    return {"nll": value, "nll_rounds": rounds}


def jobs(names: Sequence[str], data: str | None, most: int | None = None) -> list[Job]:
    """One job for every repeat of every set."""
    return [
        Job(f"author/{name}/{i:02d}", author_repeat, {"name": name, "repeat": i}, data)
        for name in names
        for i in range(repeats(name) if most is None else most)
    ]
