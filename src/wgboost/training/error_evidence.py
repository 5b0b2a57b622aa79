"""Evidence that follows how far a model errs at each row."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wgboost.boosting.parametric_bootstrap import ParametricBootstrap
from wgboost.boosting.start import GPStart, Start
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.model import FittedModel
from wgboost.responses import Response
from wgboost.training.posterior_data import PosteriorData, without_rows
from wgboost.training.rounds import FitStage
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["MOST_EVIDENCE", "ErrorEvidence", "expected", "simulate_errors"]

MOST_EVIDENCE = 1000.0
"""The largest evidence of a row."""

_LEAST = 1e-3  # of the mean information: where y says nothing, noise has no bounds


def expected(response: Response, theta: Array) -> Array:
    """Return what is expected of y at theta, (..., q): means, or medians, or shares of classes."""
    if response.nominal:
        return response.probabilities(theta)
    value = response.mean(theta) if response.has_mean else response.ppf(np.asarray(0.5), theta)
    return value if response.y_shape else np.asarray(value)[..., None]


@dataclass(frozen=True, eq=False)
class ErrorEvidence:
    """Evidence that follows simulated errors: the variance of predictions over the squared error.

    Attributes
    ----------
    bootstrap : ParametricBootstrap
        What smooths values over x.
    inverse : array (n,)
        One over the evidence of rows, before it is smoothed.
    least : float
        The smallest value of it.
    """

    bootstrap: ParametricBootstrap
    inverse: Array
    least: float

    def evidence(self, X: Array | None = None) -> Array:
        """Return the evidence of these rows, or of those with features X (k, p)."""
        found: Array = 1.0 / self.bootstrap.smoothed(self.inverse, X).clip(self.least, 1.0)
        return found


def simulate_errors(
    stage: FitStage, data: PosteriorData, pilot: FittedModel, level: float
) -> ErrorEvidence:
    """Return the evidence of rows that follows how far a model errs on data made from itself.

    Parameters
    ----------
    stage : FitStage
        How the pilot was trained.
    data : PosteriorData
        The rows.
    pilot : FittedModel
        A model of these rows with the same evidence for all.
    level : float
        That evidence.
    """
    settings = stage.settings
    start = pilot.start.at(data.X)
    bootstrap = _bootstrap(stage, data, pilot)
    particles = pilot.ensemble.predict(data.X, start=start, n_threads=settings.n_threads)
    response = without_rows(data.response)
    truth = particles.mean(axis=1, dtype=np.float64)
    # What y that were measured with errors say is less, and what is learnt of them too.
    observed = (
        data.relative_to(pilot.start).target(pilot.units).y if data.noise is not None else None
    )
    information = response.fisher(truth, 1.0, observed)
    information = np.maximum(information, _LEAST * information.mean(axis=0))
    errors = bootstrap.errors(truth, information, start.mean(axis=1, dtype=np.float64))
    _add_errors_of(pilot.start, data, settings.seed, errors)
    there = expected(response, truth)[:, None]
    error = np.square(expected(response, truth[:, None] + errors) - there).mean(axis=1)
    spread = expected(response, particles.astype(np.float64)).var(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        relative = error.sum(axis=1) / spread.sum(axis=1) / level
    # A constant start is not replayed, and errs too: no row speaks for more than there are.
    weight = np.ones(len(data)) if data.weight is None else data.weight.astype(np.float64)
    least = max(1.0 / MOST_EVIDENCE, float(np.square(weight / weight.sum()).sum()))
    relative = np.where(np.isfinite(relative), relative, 1.0 / level).clip(least, 1.0)
    return ErrorEvidence(bootstrap, relative, least)


def _add_errors_of(start: Start, data: PosteriorData, seed: int, errors: Directions) -> None:
    """Add to errors (n, replicates, d) those of a process that particles are relative to."""
    if not isinstance(start, GPStart):
        return
    deviation = np.sqrt(start.gp.epistemic_share(start.gp.at(data.X)))
    draws = np.random.default_rng([seed, 2**31 + 4]).standard_normal(errors.shape[:2])
    errors[..., data.response.location] += (deviation[:, None] * draws).astype(errors.dtype)


def _bootstrap(stage: FitStage, data: PosteriorData, pilot: FittedModel) -> ParametricBootstrap:
    settings = stage.settings
    learner = settings.make_learner()
    if not isinstance(learner, HistTree):
        raise TypeError(f"{learner!r} has no trees to boost again")
    X, n_levels = data.X, stage.schema.n_levels
    if isinstance(pilot.ensemble, FlatTrees) and pilot.ensemble.level_groups is not None:
        groups = pilot.ensemble.level_groups
        X, n_levels = groups.apply(X), groups.n_levels(n_levels)
    features = Features.from_raw(
        X, bins=settings.max_bins, n_levels=n_levels, weight=data.weight,
        rng=np.random.default_rng([settings.seed, 2**31]), n_threads=settings.n_threads,
    )  # fmt: skip
    plain = replace(
        learner, settings=replace(learner.settings, l2=settings.tree.l2), grower=None,
        longest_step=data.response.longest_step, constraints=stage.constraints,
    )  # fmt: skip
    return ParametricBootstrap(
        features, plain, n_rounds=pilot.n_rounds, rate=settings.learning_rate,
        newton=settings.leaf == "newton", weight=data.weight, seed=settings.seed,
    )  # fmt: skip
