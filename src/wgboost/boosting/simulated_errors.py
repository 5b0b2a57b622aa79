"""Errors of a boosted model on data that are simulated from known functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from wgboost.boosting.randomness import RoundRandomness
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.responses import Response
from wgboost.typing import Array, Directions

__all__ = [
    "N_FOLDS",
    "Gradients",
    "SimulatedErrors",
    "draw_y",
    "label_movement",
    "movement_to",
    "noise_movement",
]

N_FOLDS = 5
"""Number of folds: a simulated data set leaves one of them out."""

_LEAST = 1e-4  # curvature of a label

Gradients = Callable[[Directions], tuple[Directions, Directions]]
"""Returns gradient and curvature (n, replicates, d) at fitted parameters of the same shape."""


@dataclass(frozen=True, eq=False)
class SimulatedErrors:
    """Boost simulated data and compare the result with the functions they were simulated from.

    Boosting has the features, trees, rounds and learning rate of a model. Every simulated data set
    lacks the rows of one fold, and errors are those of these rows. They consist of remaining noise,
    of splits that follow noise, and of structure that the trees have missed.

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
    weight : array of shape (n,) or None, default=None
        Sample weights.
    seed : int, default=0
        Seed of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.simulated_errors import SimulatedErrors, noise_movement
    >>> from wgboost.data import Features
    >>> from wgboost.learners.hist_tree import HistTree
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> simulation = SimulatedErrors(Features.from_raw(X, bins=255), HistTree(), 10, 0.3)
    >>> truth, rng = np.sin(3 * X)[:, None, :].repeat(5, axis=1), np.random.default_rng(0)
    >>> fitted = simulation.fitted(noise_movement(truth, np.full((50, 1), 0.01), rng), truth * 0)
    >>> simulation.left_out(np.square(fitted - truth)).shape
    (50, 1)
    """

    features: Features
    learner: HistTree
    n_rounds: int
    rate: float
    weight: Array | None = None
    seed: int = 0

    def folds(self, n: int) -> Array:
        """Return the fold (n,) of each row."""
        rng = np.random.default_rng([self.seed, 2**31 + 3])
        return rng.permutation(n) % N_FOLDS

    def used(self, n: int, replicates: int) -> Array:
        """Return which rows (n, replicates) each simulated data set has."""
        used: Array = self.folds(n)[:, None] != np.arange(replicates) % N_FOLDS
        return used

    def fitted(self, movement: Gradients, start: Directions) -> Directions:
        """Return the boosted parameters (n, replicates, d) of all rows.

        `start` (n, replicates, d) are the parameters before the first round.
        """
        n, replicates, _ = start.shape
        used = self.used(n, replicates)[:, :, None].astype(np.float32)
        settings = replace(self.learner.settings, tree="per_particle", split_on="all")
        learner = replace(self.learner, settings=settings, grower=None)
        fitted, draws = start.astype(np.float32), RoundRandomness(self.seed)
        for r in range(self.n_rounds):
            gradient, curvature = movement(fitted)
            gradient *= used
            curvature *= used
            if r == 0:
                learner = learner.with_signal(self.features, gradient, curvature, self.weight)
            trees = learner.fit(self.features, gradient, curvature, self.weight, draws.at(r))
            trees.scaled(self.rate).add_to(fitted)
        return fitted

    def left_out(self, values: Array) -> Array:
        """Return means (n, ...) of values (n, replicates, ...) over the data sets without a row."""
        n, replicates = values.shape[:2]
        out = ~self.used(n, replicates)
        share = out / out.sum(axis=1, keepdims=True)
        means: Array = np.einsum("nr,nr...->n...", share, values)
        return means


def noise_movement(truth: Array, variance: Array, rng: np.random.Generator) -> Gradients:
    """Return the movement to parameters (n, replicates, d) that are observed with normal noise.

    `variance` (n, d) is that of the noise.
    """
    return movement_to(draw_y(truth, variance, rng), variance)


def draw_y(truth: Array, variance: Array, rng: np.random.Generator) -> Directions:
    """Draw parameters (n, replicates, d) with normal noise of this variance (n, d) around them."""
    target = rng.standard_normal(truth.shape, dtype=np.float32)
    target *= np.sqrt(variance, dtype=np.float32)[:, None]
    target += truth
    return target


def movement_to(target: Directions, variance: Array) -> Gradients:
    """Return the movement to a target (n, replicates, d) whose noise has this variance (n, d)."""
    curvature = np.empty_like(target)
    relative = variance.mean(axis=0) / variance  # l2 is in the unit of an average row
    curvature[...] = relative[:, None]

    def movement(fitted: Directions) -> tuple[Directions, Directions]:
        return (target - fitted) * curvature, curvature.copy()

    return movement


def label_movement(probabilities: Array, response: Response, rng: np.random.Generator) -> Gradients:
    """Return the movement to parameters of classes, given labels of probabilities (n, r, k)."""
    reached = probabilities.cumsum(axis=2)
    drawn = rng.random(reached.shape[:2])[:, :, None] * reached[:, :, -1:]
    labels = (drawn > reached[:, :, :-1]).sum(axis=2).astype(np.float32)

    def movement(fitted: Directions) -> tuple[Directions, Directions]:
        gradient = np.array(response.likelihood_score(labels, fitted), np.float32)
        curvature = response.likelihood_curvature(labels, fitted)
        return gradient, np.maximum(curvature, _LEAST, dtype=np.float32)

    return movement
