"""Training: from checked data to the rounds of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold

from wgboost.boosting import (
    AveragedFlow,
    ConstantStart,
    EstimatorStart,
    Movement,
    RowTarget,
    Start,
    Validation,
    averaged_flow,
    boost,
)
from wgboost.boosting.start import predicted_location
from wgboost.data import Features
from wgboost.directions import Kernel
from wgboost.ensemble import FlatTrees, RoundList, join_rounds
from wgboost.estimators.parameters import Parameters
from wgboost.responses import Response, Units
from wgboost.typing import Array, Directions

__all__ = ["Fit", "HeldOut", "make_start", "progress", "train"]


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


@dataclass(eq=False)
class Fit:
    """A trained model and how it came about."""

    ensemble: FlatTrees | RoundList
    start: Start
    n_rounds: int
    history: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    interrupted: bool = False


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
    held_out: Sequence[HeldOut] = (),
    watch: str | None = None,
    callbacks: Sequence[Any] = (),
    previous: FlatTrees | RoundList | None = None,
) -> Fit:
    """Add n_rounds rounds and keep the best number of them by the first held-out set."""
    learner, n_threads = estimator._learner(), estimator._n_threads()
    features = Features.from_raw(
        X,
        bins=estimator.max_bins if learner.uses_codes else None,
        weight=weight,
        rng=np.random.default_rng([seed, 2**31]),
        n_threads=n_threads,
    )
    first_round = 0 if previous is None else previous.n_rounds
    particles = start_particles
    if previous is not None:
        particles = previous.predict(X, start=start_particles, n_threads=n_threads)
    validations = []
    for one in held_out:
        state = start.at(one.X)
        if previous is not None:
            state = previous.predict(one.X, start=state, n_threads=n_threads)
        codes = features.cuts.apply(one.X, n_threads=n_threads) if features.cuts else None
        validations.append(Validation(one.name, one.X, codes, state, one.metrics))
    if getattr(estimator, "verbose", 0):
        callbacks = [*callbacks, progress(int(estimator.verbose), first_round + n_rounds)]
    movement = Movement(target, estimator._direction(), estimator.leaf, n_threads)
    result = boost(
        particles,
        movement,
        features,
        learner,
        n_rounds=n_rounds,
        rate=float(estimator.learning_rate),
        weight=weight,
        seed=seed,
        first_round=first_round,
        validations=validations,
        watch=(0, watch) if watch is not None and validations else None,
        patience=estimator.n_iter_no_change,
        callbacks=callbacks,
    )
    keep = len(result.rounds)
    if result.best_round is not None:
        keep = result.best_round - first_round
    rounds: list[Any] = result.rounds[:keep]
    ensemble = join_rounds(rounds, X.shape[1], start.shape)
    if previous is not None:
        ensemble = _continued(previous, ensemble, rounds)
    history = {v.name: v.history for v in validations}
    return Fit(ensemble, start, ensemble.n_rounds, history, result.interrupted)


def _continued(
    previous: FlatTrees | RoundList, ensemble: FlatTrees | RoundList, rounds: list[Any]
) -> FlatTrees | RoundList:
    if isinstance(previous, RoundList):
        return RoundList((*previous.rounds, *rounds), previous.shape)
    if not isinstance(ensemble, FlatTrees):
        raise ValueError("warm_start cannot continue trees with another kind of learner")
    return FlatTrees.join([previous, ensemble]) if ensemble.n_rounds else previous


def make_start(
    estimator: Parameters,
    response: Response,
    units: Units,
    X: Array,
    y: Array,
    weight: Array | None,
    evidence: Any,
    seed: int,
) -> tuple[Start, Directions]:
    """Return the start of new rows, and the start particles (n, m, d) of the training rows.

    y is standardised. With an estimator as `init` the training rows start at out-of-fold
    predictions, new rows at those of an estimator fitted on all rows.
    """
    rng = np.random.default_rng([seed, 2**31 + 1])
    kernel: Kernel = estimator._kernel()
    flow = estimator._flow()
    m, shape = estimator.n_particles, (estimator.n_particles, response.n_params)

    counted = np.arange(len(y)) if weight is None else np.flatnonzero(weight)

    def settle(settled_y: Array, step: AveragedFlow) -> Array:
        power = evidence[counted] if np.ndim(evidence) else evidence
        share = None if weight is None else weight[counted]
        rows = response.take(counted)
        return averaged_flow(step, rows, settled_y[counted], share, power, kernel, m, rng)

    if flow is not None:
        constant = ConstantStart(settle(y, flow).astype(np.float32))
        return constant, constant.at(X)
    if hasattr(estimator.init, "fit") and hasattr(estimator.init, "predict"):
        location, fitted = _cross_fitted(estimator.init, response, units, X, y, weight, counted)
        # What the estimator leaves over: residuals, or for classes the spread alone.
        particles = settle(y if response.nominal else y - location, AveragedFlow())
        if response.nominal:
            particles = particles - particles.mean(axis=0)
        moving = EstimatorStart(particles.astype(np.float32), fitted, response, units)
        return moving, moving.moved(location)
    particles = np.asarray(estimator.init, dtype=np.float32)
    if particles.shape != shape or not np.isfinite(particles).all():
        raise ValueError(
            f"init has shape {particles.shape}; finite start particles {shape} (n_particles, "
            'parameters) are needed, or "flow", or an estimator'
        )
    constant = ConstantStart(particles)
    return constant, constant.at(X)


def _cross_fitted(
    init: Any, response: Response, units: Units, X: Array, y: Array, weight: Array | None,
    counted: Array,
) -> tuple[Array, Any]:  # fmt: skip
    """Out-of-fold locations of the training rows, and the estimator fitted on all that count."""
    known = y.astype(int) if response.nominal else units.restore(y)

    def fit(rows: Array) -> Any:
        if response.nominal and np.unique(known[rows]).size == 1:
            return DummyClassifier(strategy="prior").fit(X[rows], known[rows])
        options = {} if weight is None else {"sample_weight": weight[rows]}
        return clone(init).fit(X[rows], known[rows], **options)

    if counted.size < 2:
        raise ValueError("init as an estimator needs at least two rows, to predict out of fold")
    folds: Any = KFold(min(5, counted.size), shuffle=True, random_state=0)
    if response.nominal:
        rarest = int(np.unique(known[counted], return_counts=True)[1].min())
        if rarest > 1:
            folds = StratifiedKFold(min(5, rarest), shuffle=True, random_state=0)
    fitted = fit(counted)
    # Rows of weight zero are not trained on: for them every prediction is out of fold.
    location = predicted_location(fitted, X, response, units)
    for inside, outside in folds.split(X[counted], known[counted]):
        held = counted[outside]
        location[held] = predicted_location(fit(counted[inside]), X[held], response, units)
    return location, fitted
