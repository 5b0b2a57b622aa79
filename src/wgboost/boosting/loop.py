"""The boosting loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np

from wgboost.boosting.callbacks import Callback, Keep, call_callbacks
from wgboost.boosting.early_stopping import StoppingRule, Validation
from wgboost.boosting.randomness import RoundRandomness
from wgboost.boosting.round import RoundTargets
from wgboost.data import Features
from wgboost.learners import FittedLearner, Learner
from wgboost.typing import Array, Directions

__all__ = ["BoostingResult", "Monitor", "Schedule", "boost"]


@dataclass(frozen=True)
class Schedule:
    """Say which rounds are added.

    Parameters
    ----------
    n_rounds : int
        Number of rounds to add.
    rate : float
        Learning rate.
    first_round : int, default=0
        Number of rounds that the model already has.
    seed : int, default=0
        Seed of the fit.
    """

    n_rounds: int
    rate: float
    first_round: int = 0
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Monitor:
    """Hold what is measured and called after each round.

    Parameters
    ----------
    validations : sequence of Validation, default=()
        Rows on which metrics are measured.
    watch : StoppingRule or None, default=None
        Early stopping: finds the best number of rounds and ends the loop.
    callbacks : sequence of callables, default=()
        Called with the state of the fit, as `wgboost.callbacks` describes it. A callback that
        returns True or `Keep` ends the loop.
    more : callable or None, default=None
        Function of the state that returns further entries of it.
    """

    validations: Sequence[Validation] = ()
    watch: StoppingRule | None = None
    callbacks: Sequence[Callback] = ()
    more: Callable[[dict[str, Any]], dict[str, Any]] | None = None


@dataclass(eq=False)
class BoostingResult:
    """Hold the rounds that were added and why they ended.

    Parameters
    ----------
    rounds : list of FittedLearner, default=[]
        The rounds that were added.
    interrupted : bool, default=False
        Whether Ctrl-C ended the loop.
    stopped : bool, default=False
        Whether a callback returned True.
    keep : Keep or None, default=None
        Number of rounds to keep, if a callback returned one.
    """

    rounds: list[FittedLearner] = field(default_factory=list)
    interrupted: bool = False
    stopped: bool = False
    keep: Keep | None = None


def boost(
    particles: Directions,
    movement: RoundTargets,
    features: Features,
    learner: Learner,
    schedule: Schedule,
    *,
    weight: Array | None = None,
    monitor: Monitor | None = None,
) -> BoostingResult:
    """Add rounds to a model, and move its training particles in place.

    The randomness of round r depends on (seed, r) alone: a model that is continued later equals one
    that was fitted without a pause.

    Parameters
    ----------
    particles : array of shape (n, m, d)
        Training particles of the model; they are moved in place.
    movement : RoundTargets
        What the learner of a round is fitted to.
    features : Features
        Features of the training rows.
    learner : Learner
        What is fitted in each round.
    schedule : Schedule
        Number of rounds, learning rate and seed.
    weight : array of shape (n,) or None, default=None
        Sample weights.
    monitor : Monitor or None, default=None
        Validation sets, early stopping and callbacks.

    Returns
    -------
    BoostingResult
        The rounds that were added.

    Raises
    ------
    ValueError
        If a round has no finite targets.
    KeyboardInterrupt
        If Ctrl-C is pressed before the first round ends. Later it ends the loop with the rounds so
        far.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.boosting.loop import Schedule, boost
    >>> from wgboost.boosting.round import RoundTargets
    >>> from wgboost.data import Features
    >>> from wgboost.directions import DiagonalNewton
    >>> from wgboost.learners.hist_tree import HistTree
    >>> from wgboost.responses import Normal
    >>> from wgboost.targets.posterior import PosteriorTarget
    >>> X = np.arange(20.0)[:, None]
    >>> targets = RoundTargets(PosteriorTarget(Normal(), np.sin(X[:, 0])), DiagonalNewton(), "mean")
    >>> particles = np.zeros((20, 3, 2), dtype=np.float32)
    >>> features = Features.from_raw(X, bins=255)
    >>> result = boost(particles, targets, features, HistTree(), Schedule(n_rounds=2, rate=0.1))
    >>> len(result.rounds), bool(particles.any())
    (2, True)
    """
    monitor = monitor or Monitor()
    validations, watch = monitor.validations, monitor.watch
    first, rate = schedule.first_round, schedule.rate
    result, randomness, began = BoostingResult(), RoundRandomness(schedule.seed), monotonic()
    for validation in validations:
        validation.measure()
    if watch is not None:
        watch.begin(first)
    ended = watch is not None and watch.ended(first)
    try:
        for r in range(first, first + (0 if ended else schedule.n_rounds)):
            rng = randomness.at(r)
            try:
                targets, curvature = movement(particles, rate, rng)
                fitted = learner.fit(features, targets, curvature, weight, rng).scaled(rate)
            except ValueError as error:
                if np.isfinite(particles).all() and "finite" not in str(error):
                    raise
                raise ValueError(
                    f"round {r + 1}: {error}. If particles diverge, set a smaller learning_rate, a "
                    'larger min_samples_leaf, or l2 > 0 with TreeLearner(leaf="newton")'
                ) from error
            fitted.add_to(particles)
            result.rounds.append(fitted.without_rows())
            metrics: dict[str, dict[str, float]] = {}
            for validation in validations:
                validation.add(fitted)
                metrics[validation.name] = validation.measure()
            stop = watch is not None and watch.update(r + 1)
            info: dict[str, Any] = {
                "round": r + 1, "n_rounds": first + schedule.n_rounds, "metrics": metrics,
                "history": {validation.name: validation.history for validation in validations},
                "particles": particles, "seconds": monotonic() - began, "finished": stop,
                "rounds": result.rounds,
            }  # fmt: skip
            info |= {} if monitor.more is None else monitor.more(info)
            result.keep, result.stopped = call_callbacks(monitor.callbacks, info)
            if stop or result.stopped or result.keep is not None:
                break
    except KeyboardInterrupt:
        if not result.rounds:
            raise
        result.interrupted = True
    if watch is not None:
        watch.end()
    return result
