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
from wgboost import DiagonalNewton, Kernel, Target, WGBoost

__all__ = [
    "author_repeat",
    "jobs",
    "normal_posterior",
    "trained",
    "with_digits",
]


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
        normal_posterior(), n_estimators=n_rounds, learning_rate=0.1,
        direction=DiagonalNewton(Kernel("gaussian", 0.1)), learner=ExactTree(),
        init=averaged_start(y), n_jobs=1,
    ).fit(X, y)  # fmt: skip


def author_repeat(
    name: str,
    repeat: int,
    data: str | None,
    most_rounds: int = 4000,
    digits: int | None = None,
    nudge: float = 0.0,
) -> dict[str, Any]:
    """NLL with NLL stopping on one repeat's test rows.

    `digits` is the seed of random digits beyond the second decimal of y; `nudge` makes all of
    standardised y larger by that share.
    """
    source = Source.chosen(data).regression(name)
    train, test = source.repeats[repeat]
    values = source.y if digits is None else with_digits(source.y, digits)
    X, y = source.X[train], values[train]
    mean, scale = y.mean(), y.std()
    z, held = (1 + nudge) * (y - mean) / scale, held_out(len(y))
    inside = np.setdiff1d(np.arange(len(y)), held)
    search = trained(X[inside], z[inside], most_rounds)
    curve = [nll(theta, z[held]) for theta in search.staged_predict_particles(X[held])]
    rounds = int(np.argmin(curve)) + 1
    theta = trained(X, z, rounds).predict_particles(source.X[test])
    value = nll(theta, (1 + nudge) * (values[test] - mean) / scale) + float(np.log(scale))
    return {"nll": value, "nll_rounds": rounds}


def with_digits(y: Array, seed: int) -> Array:
    """Values that were rounded to two decimals, with random digits in place of those lost."""
    longer: Array = y + np.random.default_rng(seed).uniform(-0.005, 0.005, len(y))
    return longer


def jobs(
    names: Sequence[str], data: str | None, most: int | None = None, *, again: bool = False
) -> list[Job]:
    """One job for every repeat of every set; `again`: with a nudge of 1e-7.

    The author read y of concrete with all its digits, the benchmark's file has two decimals.
    """
    out = []
    for name in names:
        changes: dict[str, float] = {"nudge": 1e-7} if again else {}
        if name == "concrete":
            changes["digits"] = 2 if again else 1
        for i in range(repeats(name) if most is None else most):
            path = f"{'again' if again else 'author'}/{name}/{i:02d}"
            out.append(Job(path, author_repeat, {"name": name, "repeat": i, **changes}, data))
    return out
