"""Errors of a boosted model by a parametric bootstrap."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wgboost.boosting.randomness import RoundRandomness
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["N_REPLICATES", "ParametricBootstrap"]

N_REPLICATES = 20
"""Default number of simulated data sets."""


@dataclass(frozen=True, eq=False)
class ParametricBootstrap:
    """Estimate the errors of a boosted model by boosting simulated data.

    The predicted parameters are taken as the truth, and y is simulated by adding noise of known
    size. Boosting uses the same features, trees, rounds, learning rate and draws. The difference
    between the boosted parameters and the truth is an error: remaining noise, splits that follow
    noise, and smoothing by few rounds and leaves. It does not include structure that the model has
    missed.

    Parameters
    ----------
    features : Features
        Features of the training rows.
    learner : HistTree
        Learner of the model.
    n_rounds : int
        Number of rounds of the model.
    rate : float
        Learning rate.
    newton : bool
        Whether leaves weight rows by their curvature.
    weight : array of shape (n,) or None, default=None
        Sample weights.
    seed : int, default=0
        Seed of the model.
    n_replicates : int, default=20
        Number of simulated data sets.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.parametric_bootstrap import ParametricBootstrap
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> features = Features.from_raw(np.arange(20.0)[:, None], bins=255)
    >>> bootstrap = ParametricBootstrap(features, HistTree(), n_rounds=3, rate=0.5, newton=True)
    >>> truth = np.zeros((20, 2))
    >>> bootstrap.errors(truth, np.ones((20, 2)), truth).shape
    (20, 20, 2)
    """

    features: Features
    learner: HistTree
    n_rounds: int
    rate: float
    newton: bool
    weight: Array | None = None
    seed: int = 0
    n_replicates: int = N_REPLICATES

    def errors(self, truth: Array, information: Array, start: Array) -> Directions:
        """Return boosted minus true parameters (n, n_replicates, d).

        `truth` (n, d) are the true parameters, `information` (n, d) is one over the variance of the
        noise, and boosting begins at `start` (n, d).
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
        """Return values (n,) of the training rows smoothed by the same rounds.

        With raw features X (k, p) of other rows, return the smoothed values (k,) there.
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
        """Move `fitted` in place, and return the trees of each round.

        Each replicate has trees of its own, which are split on all coordinates.
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
