"""Training: from checked data to the rounds of a model."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost.boosting import Interrupted, Movement, Start, Validation, Watch, boost
from wgboost.data import Features
from wgboost.ensemble import FlatTrees, RoundList, join_rounds
from wgboost.estimators.parameters import Parameters
from wgboost.learners import HistTree
from wgboost.responses import Units
from wgboost.targets import RowTarget
from wgboost.typing import Array, Directions

__all__ = ["Fit", "HeldOut", "History", "progress", "train", "warn_interrupted"]

History = dict[str, dict[str, list[float]]]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows to watch: their features and the metrics of their particles."""

    name: str
    X: Array
    metrics: dict[str, Callable[[Directions], float]]


def progress(every: int, n_rounds: int) -> Callable[[dict[str, Any]], None]:
    """A callback that prints the metrics every so many rounds."""

    def show(info: dict[str, Any]) -> None:
        if info["round"] % every == 0 or info["round"] == n_rounds:
            values = [
                f"{name} {metric} {value:.4f}"
                for name, metrics in info["metrics"].items()
                for metric, value in metrics.items()
            ]
            print("  ".join([f"round {info['round']} of {n_rounds}", *values]), flush=True)

    return show


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model and how it came about."""

    ensemble: FlatTrees | RoundList
    start: Start
    units: Units = field(default_factory=Units)
    history: History = field(default_factory=dict)
    interrupted: bool = False
    held_out: Array | None = None  # indices of the training rows that it has not seen

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.ensemble.n_rounds


def train(
    estimator: Parameters,
    X: Array,
    target: RowTarget,
    start: Start,
    start_particles: Directions,
    *,
    weight: Array | None,
    n_rounds: int,
    seed: int,
    units: Units | None = None,
    held_out: Sequence[HeldOut] = (),
    watch: str | None = None,
    callbacks: Sequence[Any] = (),
    previous: Fit | None = None,
) -> Fit:
    """Add rounds up to n_rounds, and keep the best number of them by the first held-out set."""
    learner, n_threads = estimator._learner(), estimator._n_threads()
    longest = getattr(target, "longest_step", np.inf)
    if isinstance(learner, HistTree) and longest < np.inf:
        learner = replace(learner, longest_step=longest)
    features = Features.from_raw(
        X,
        bins=estimator.max_bins if learner.uses_codes else None,
        n_levels=estimator.schema_.n_levels,
        weight=weight,
        rng=np.random.default_rng([seed, 2**31]),
        n_threads=n_threads,
    )

    def so_far(rows: Array, particles: Directions) -> Directions:
        if previous is None:
            return particles
        return previous.ensemble.predict(rows, start=particles, n_threads=n_threads)

    validations = []
    for one in held_out:
        codes = features.cuts.apply(one.X, n_threads=n_threads) if features.cuts else None
        state = so_far(one.X, start.at(one.X))
        validations.append(Validation(one.name, one.X, codes, state, one.metrics))
    watched = None
    if watch is not None and validations:
        watched = Watch(validations[0], watch, estimator.n_iter_no_change)
    if getattr(estimator, "verbose", 0):
        callbacks = [*callbacks, progress(int(estimator.verbose), n_rounds)]
    first_round = 0 if previous is None else previous.n_rounds
    result = boost(
        so_far(X, start_particles),
        Movement(target, estimator._direction(), estimator.leaf, n_threads),
        features,
        learner,
        n_rounds=n_rounds - first_round,
        rate=float(estimator.learning_rate),
        weight=weight,
        seed=seed,
        first_round=first_round,
        validations=validations,
        watch=watched,
        callbacks=callbacks,
    )
    rounds: list[Any] = result.rounds
    if watched is not None:
        rounds = rounds[: watched.best_round - first_round]
    ensemble = join_rounds(rounds, X.shape[1], start.shape)
    history = {v.name: v.history for v in validations}
    if previous is not None:
        ensemble = _continued(previous.ensemble, ensemble, rounds)
        history = _appended(previous.history, history, first_round)
    return Fit(ensemble, start, units or Units(), history, result.interrupted)


def warn_interrupted(fit: Fit, note: str = "") -> None:
    """Tell the caller of `fit` that Ctrl-C made the model shorter."""
    if fit.interrupted:
        text = f"interrupted: the model consists of {fit.n_rounds} rounds{note}"
        warnings.warn(text, Interrupted, stacklevel=3)


def _continued(
    previous: FlatTrees | RoundList, ensemble: FlatTrees | RoundList, rounds: list[Any]
) -> FlatTrees | RoundList:
    if not previous.n_rounds or not rounds:
        return ensemble if rounds else previous
    if isinstance(previous, RoundList):
        return RoundList((*previous.rounds, *rounds), previous.shape)
    if not isinstance(ensemble, FlatTrees):
        raise ValueError("warm_start cannot continue trees with another kind of learner")
    return FlatTrees.join([previous, ensemble])


def _appended(before: History, after: History, first_round: int) -> History:
    """Values by round again: those of the rounds that were kept, then the new ones.

    NaN stands for rounds at which a set was not measured.
    """
    joined = {name: dict(metrics) for name, metrics in before.items()}
    for name, metrics in after.items():
        for metric, values in metrics.items():
            known = joined.setdefault(name, {}).get(metric, [])[:first_round]
            gap = [math.nan] * (first_round - len(known))
            joined[name][metric] = [*known, *gap, *values]
    return joined
