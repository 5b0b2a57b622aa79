"""Rounds until there are enough of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wgboost.boosting.history import Interrupted, Validation
from wgboost.boosting.randomness import RoundRandomness
from wgboost.boosting.round import Movement
from wgboost.data import Features
from wgboost.learners import FittedLearner, Learner
from wgboost.typing import Array, Directions

__all__ = ["Boosted", "Callback", "boost"]

Callback = Callable[[dict[str, Any]], bool | None]


@dataclass(eq=False)
class Boosted:
    """The rounds that were added and which of them to keep."""

    rounds: list[FittedLearner] = field(default_factory=list)
    best_round: int | None = None  # number of rounds with the best validation metric
    best_value: float = np.inf
    interrupted: bool = False


def boost(
    particles: Directions,
    movement: Movement,
    features: Features,
    learner: Learner,
    *,
    n_rounds: int,
    rate: float,
    weight: Array | None = None,
    seed: int = 0,
    first_round: int = 0,
    validations: Sequence[Validation] = (),
    watch: tuple[int, str] | None = None,
    patience: int | None = None,
    callbacks: Sequence[Callback] = (),
) -> Boosted:
    """Add rounds to the model that `particles` (n, m, d) are the training values of, in place.

    The randomness of round r comes from (seed, r) alone: to continue later gives the model that
    would have come without a pause. `watch` names a validation set and its metric; the best
    number of rounds by it is kept, and after `patience` rounds without a better one the loop ends
    (None: never). A callback gets {"round", "metrics", "particles"} and ends the loop by returning
    True. Ctrl-C ends it too, with the rounds so far and a warning.
    """
    result, randomness = Boosted(), RoundRandomness(seed)
    before = [validation.measure() for validation in validations]
    if watch is not None:
        result.best_value = before[watch[0]][watch[1]]
        result.best_round = first_round
    try:
        for r in range(first_round, first_round + n_rounds):
            rng = randomness.at(r)
            targets, curvature = movement(particles, rate, rng)
            fitted = learner.fit(features, targets, curvature, weight, rng).scaled(rate)
            fitted.add_to(particles)
            result.rounds.append(fitted)
            if _after_round(result, r, fitted, particles, validations, watch, patience, callbacks):
                break
    except KeyboardInterrupt:
        result.interrupted = True
        warnings.warn(
            f"interrupted: the model consists of the {len(result.rounds)} rounds so far",
            Interrupted,
            stacklevel=2,
        )
    return result


def _after_round(
    result: Boosted,
    r: int,
    fitted: FittedLearner,
    particles: Directions,
    validations: Sequence[Validation],
    watch: tuple[int, str] | None,
    patience: int | None,
    callbacks: Sequence[Callback],
) -> bool:
    """Measure and report; return whether to stop."""
    measured: dict[str, dict[str, float]] = {}
    for validation in validations:
        validation.add(fitted)
        measured[validation.name] = validation.measure()
    stop = False
    if watch is not None:
        value = measured[validations[watch[0]].name][watch[1]]
        if value < result.best_value:
            result.best_value, result.best_round = value, r + 1
        elif patience is not None and result.best_round is not None:
            stop = r + 1 - result.best_round >= patience
    for callback in callbacks:
        stop = bool(callback({"round": r + 1, "metrics": measured, "particles": particles})) or stop
    return stop
