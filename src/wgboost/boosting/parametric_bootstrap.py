"""How far a model would be from the truth if the truth were what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wgboost.boosting.randomness import RoundRandomness
from wgboost.data import Features
from wgboost.learners import HistTree
from wgboost.trees import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["N_REPLICATES", "ParametricBootstrap"]

N_REPLICATES = 20
"""Errors of each row that are looked at, unless said otherwise."""


@dataclass(frozen=True, eq=False)
class ParametricBootstrap:
    """Boosts made data as a model was boosted: same features, trees, rounds, rate and draws.

    What the model says of the parameters takes the place of the truth and noise of known size that
    of y. The difference between what is boosted from these and where they came from is an error
    that can be seen: the noise that is left, that which splits chase, and what a model of so many
    rounds and leaves smooths away. What it has no inkling of is not in it.
    """

    features: Features
    learner: HistTree
    n_rounds: int
    rate: float
    newton: bool  # leaves weigh rows by their curvature
    weight: Array | None = None
    seed: int = 0
    n_replicates: int = N_REPLICATES

    def errors(self, truth: Array, information: Array, start: Array) -> Directions:
        """Return errors (n, n_replicates, d) of parameters whose truth (n, d) is known.

        `information` (n, d) is one over the variance of the noise, and `start` (n, d) where
        boosting begins.
        """
        (n, d), rng = truth.shape, np.random.default_rng([self.seed, 2**31 + 3])
        target = rng.standard_normal((n, self.n_replicates, d), dtype=np.float32)
        target *= (1.0 / np.sqrt(information))[:, None]
        target += truth[:, None]
        curvature, fitted = np.empty_like(target), np.empty_like(target)
        curvature[...], fitted[...] = information[:, None], start[:, None]
        self._boost(fitted, target, curvature, self.learner.longest_step)
        fitted -= truth[:, None]
        return fitted

    def smoothed(self, values: Array, X: Array | None = None) -> Array:
        """Return what the same rounds make of values (n,): their mean over neighbouring rows.

        With X (k, p), raw features of other rows, it is returned for these (k,).
        """
        target = values.astype(np.float32)[:, None, None]
        fitted = np.full_like(target, np.average(values, weights=self.weight))
        start = fitted[:1].copy()
        trees = self._boost(fitted, target, np.ones_like(target), np.inf)
        if X is not None:
            fitted = np.broadcast_to(start, (len(X), 1, 1))
            if trees:
                flat = FlatTrees.join(trees)
                fitted = flat.predict(X, start=fitted, n_threads=self.learner.n_threads)
        return fitted[:, 0, 0].astype(np.float64)

    def _boost(
        self, fitted: Directions, target: Directions, curvature: Directions, longest_step: float
    ) -> list[FlatTrees]:
        """Move what is fitted, in place, and return the trees of each round.

        Each replicate has trees that see all of its coordinates.
        """
        settings = replace(self.learner.settings, tree="per_particle", split_on="all")
        learner = replace(self.learner, settings=settings, longest_step=longest_step)
        draws, trees = RoundRandomness(self.seed), []
        for r in range(self.n_rounds):
            left, curved = target - fitted, curvature if self.newton else None
            if self.newton:
                left *= curvature
            if r == 0:
                learner = learner.with_signal(self.features, left, curved, self.weight)
            fit = learner.fit(self.features, left, curved, self.weight, draws.at(r))
            step = fit.scaled(self.rate)
            step.add_to(fitted)
            trees.append(step.flat)
        return trees
