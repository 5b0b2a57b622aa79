"""How many rows a prediction rests on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wgboost.data import Features
from wgboost.learners import HistTree
from wgboost.typing import Array

__all__ = ["support"]

_PROBES = 20


def support(
    features: Features,
    learner: HistTree,
    *,
    n_rounds: int,
    rate: float,
    newton: bool,
    weight: Array | None = None,
    seed: int = 0,
) -> Array:
    """Return the effective number of rows (n,) behind a prediction at each training row.

    Noise of variance 1 takes the place of y: it is boosted like the model, n_rounds with the same
    settings, several times over and each time with trees of its own. The mean of k rows would leave
    1 / k of its variance; as much of it as is left at x, as few rows speak there. The noise that
    splits chase is in it, what a model misses because it is too simple is not.
    """
    n = features.shape[0]
    rng = np.random.default_rng([seed, 2**31 + 2])
    noise = rng.standard_normal((n, _PROBES, 1), dtype=np.float32)
    fitted = np.zeros_like(noise)
    curvature = np.ones_like(noise) if newton else None
    settings = replace(learner.settings, tree="per_particle", split_on="all")
    probe = replace(learner, settings=settings, constraints=None, longest_step=np.inf)
    for _ in range(n_rounds):
        probe.fit(features, noise - fitted, curvature, weight, rng).scaled(rate).add_to(fitted)
    left = np.square(fitted, dtype=np.float64).mean(axis=(1, 2))
    rows: Array = 1.0 / (left + 1.0 / n)  # the constant that a model starts at rests on all of them
    return rows
