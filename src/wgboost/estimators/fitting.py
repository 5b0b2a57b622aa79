"""Training: from checked data to the rounds of a model."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost.boosting import Interrupted, MeanStep, Movement, Start, Validation, Watch, boost
from wgboost.callbacks import Progress
from wgboost.data import MAX_BINS, Features, StoredMatrix, group_levels
from wgboost.engines import collective
from wgboost.ensemble import FlatTrees, RoundList, join_rounds
from wgboost.estimators.parameters import Parameters
from wgboost.learners import HistTree, Learner
from wgboost.responses import Observations, Units
from wgboost.targets import PosteriorTarget, RowTarget
from wgboost.trees import Constraints
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = [
    "AT_THE_LIMIT",
    "Fit",
    "HeldOut",
    "History",
    "fit_of",
    "train",
    "warn_copies",
    "warn_fixed_rounds",
    "warn_interrupted",
    "warn_limit",
    "warn_weights",
]

_LIGHT, _HEAVY = 0.1, 1e10  # mean weights between which trees are as they should be
_COPIED = 0.5  # share of the rows held out from which on they tell little

AT_THE_LIMIT = "early stopping ended at the limit"
"""How the warning of `warn_limit` begins."""

History = dict[str, dict[str, list[float]]]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows to watch: their features and the metrics of their particles."""

    name: str
    X: Array
    metrics: dict[str, Callable[[Directions], float]]


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model and how it came about."""

    ensemble: FlatTrees | RoundList
    start: Start
    units: Units = field(default_factory=Units)
    history: History = field(default_factory=dict)
    interrupted: bool = False
    held_out: Array | None = None  # indices of the training rows that it has not seen
    refitted: bool = False  # on all rows, with the number of rounds that held-out rows chose
    limit: int | None = None  # rounds after which there were no more, the metric still improving

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.ensemble.n_rounds

    def measured(self, rows: HeldOut) -> dict[str, list[float]]:
        """Return what was measured on a set before the last round; NaN where it was not."""
        known = self.history.get(rows.name, {})
        values = {metric: known.get(metric, [])[: self.n_rounds] for metric in rows.metrics}
        return {m: [*v, *[math.nan] * (self.n_rounds - len(v))] for m, v in values.items()}


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
    constraints: Constraints | None = None,
    held_out: Sequence[HeldOut] = (),
    watch: bool = False,
    callbacks: Sequence[Any] = (),
    previous: Fit | None = None,
    stage: str = "",
    measure: Callable[[Directions], Any] | None = None,
    save: Callable[[Any, Fit, Watch | None, int], None] | None = None,
    seen: Mapping[str, Any] | None = None,
) -> Fit:
    """Add rounds up to n_rounds; `watch` keeps the best number of them by the first held-out set.

    `stage` is what callbacks are told of, and `measure` adds to what is printed. `save` is what
    callbacks can have called with (path, model so far, watch, n_rounds); `seen` is what the watch
    of such a model had seen.
    """
    learner, n_threads, course = estimator._learner(), estimator._n_threads(), estimator._course
    longest = getattr(target, "longest_step", np.inf)
    if isinstance(learner, HistTree) and longest < np.inf:
        learner = replace(learner, longest_step=longest)
    if isinstance(learner, HistTree) and constraints is not None:
        learner = replace(learner, constraints=constraints)
    movement = Movement(
        target,
        estimator._direction(),
        estimator.leaf,
        n_threads,
        _mean_step(target, weight, learner),
    )
    first_targets, n_levels = None, estimator.schema_.n_levels
    if isinstance(learner, HistTree) and (n_levels > 0).any():
        # Of the start, also where earlier rounds are continued: the model is that of one run.
        rng = np.random.default_rng([seed, 2**31 + 5])
        first_targets = movement(start_particles, float(estimator.learning_rate), rng)
    coded, groups = X, None
    if first_targets is not None and (n_levels > MAX_BINS).any():
        rng = np.random.default_rng([seed, 2**31 + 6])
        groups, coded = group_levels(X, n_levels, *first_targets, weight, rng)
        known = None if previous is None else getattr(previous.ensemble, "level_groups", None)
        if known is not None and not known.same_as(groups):
            groups, coded = known, known.apply(X)  # of other rows than these
        n_levels = groups.n_levels(n_levels)
    features = Features.from_raw(
        coded,
        bins=estimator.max_bins if learner.uses_codes else None,
        n_levels=n_levels,
        weight=weight,
        rng=np.random.default_rng([seed, 2**31]),
        n_threads=n_threads,
    )

    def so_far(rows: Any, particles: Directions) -> Directions:
        if previous is None:
            return particles
        ensemble = previous.ensemble
        if groups is not None and isinstance(ensemble, FlatTrees):
            ensemble = replace(ensemble, level_groups=None)  # rows have codes
        if isinstance(rows, StoredMatrix):
            return rows.predict(ensemble, particles, n_threads)
        added: Directions = ensemble.predict(rows, start=particles, n_threads=n_threads)
        return added

    validations = []
    for one in held_out:
        codes = None
        given: Any = one.X if groups is None else groups.apply(one.X)
        if features.cuts is not None:
            stored = isinstance(given, StoredMatrix)
            codes = given.binned if stored else features.cuts.apply(given, n_threads=n_threads)
        state = so_far(given, start.at(one.X))
        earlier = {} if previous is None else previous.measured(one)
        validations.append(Validation(one.name, one.X, codes, state, one.metrics, earlier))
    watched = None
    if watch and validations:
        first = validations[0]
        patience, begun = estimator.n_iter_no_change, seen is not None
        watched = Watch(first, next(iter(first.metrics)), patience, **dict(seen or {}), begun=begun)
    first_round = 0 if previous is None else previous.n_rounds

    def fit(rounds: Sequence[Any], n_kept: int, interrupted: bool = False) -> Fit:
        history = {v.name: v.history for v in validations}
        found = fit_of(previous, rounds, n_kept, X.shape[1], start, units or Units(), history)
        if groups is not None and isinstance(found.ensemble, FlatTrees):
            found = replace(found, ensemble=replace(found.ensemble, level_groups=groups))
        return replace(found, interrupted=interrupted)

    def about_fit(info: dict[str, Any]) -> dict[str, Any]:
        def save_to(path: Any) -> None:
            if save is not None:
                save(path, fit(info["rounds"], info["round"]), watched, n_rounds)

        best_round = None if watched is None else watched.best_round
        where = course.describe(stage, info, best_round)
        return {"save": save_to, "watch": watched, **where}

    if isinstance(learner, HistTree) and first_targets is not None:
        learner = learner.with_signal(features, *first_targets, weight)
    bar = Progress(int(estimator.verbose), measure=measure) if estimator.verbose else None
    try:
        result = boost(
            so_far(coded, start_particles),
            movement,
            features,
            learner,
            n_rounds=n_rounds - first_round,
            rate=float(estimator.learning_rate),
            weight=weight,
            seed=seed,
            first_round=first_round,
            validations=validations,
            watch=watched,
            callbacks=callbacks if bar is None else [*callbacks, bar],
            more=about_fit,
        )
    finally:
        if bar is not None:
            bar.close()
    course.stopped = course.stopped or result.stopped
    n_kept = first_round + len(result.rounds)
    limit = None
    if watched is not None:
        done = not result.interrupted and n_kept == n_rounds
        limit = n_rounds if done and watched.ran_out(n_rounds) else None
        n_kept = watched.best_round
    elif result.keep is not None:
        n_kept = check_integer("Keep.rounds", result.keep.rounds, low=0, high=n_kept)
    return replace(fit(result.rounds, n_kept, result.interrupted), limit=limit)


def _mean_step(target: RowTarget, weight: Array | None, learner: Learner) -> MeanStep | None:
    """Return the step that truncated rows have in common; None for other rows."""
    if not isinstance(target, PosteriorTarget):
        return None
    y = target.y
    if not isinstance(y, Observations) or not y.truncated:
        return None
    step = MeanStep(target.response, y, target.evidence, weight)
    spread_over_workers = isinstance(learner, HistTree) and learner.grower is not None
    return replace(step, total=collective.total) if spread_over_workers else step


def fit_of(
    previous: Fit | None, rounds: Sequence[Any], n_kept: int, n_features: int, start: Start,
    units: Units, history: History,
) -> Fit:  # fmt: skip
    """Return the model of the first n_kept of earlier rounds and those that were added."""
    first_round = 0 if previous is None else previous.n_rounds
    rounds = rounds[: max(0, n_kept - first_round)]
    ensemble = join_rounds(rounds, n_features, start.shape)
    if previous is not None:
        ensemble = _continued(previous.ensemble, ensemble, rounds, n_kept)
        history = _joined(previous.history, history)
    return Fit(ensemble, start, units, history)


def warn_interrupted(fit: Fit, note: str = "") -> None:
    """Tell the caller of `fit` that Ctrl-C made the model shorter."""
    if fit.interrupted:
        text = f"interrupted: the model consists of {fit.n_rounds} rounds{note}"
        warnings.warn(text, Interrupted, stacklevel=4)  # of `fit`, which calls `_fit`


def warn_limit(estimator: Parameters, fit: Fit) -> None:
    """Tell the caller of `fit` that rounds ran out before early stopping found the best of them."""
    if fit.limit is None or fit.interrupted:
        return
    metric = next(iter(fit.history["validation"]))
    warnings.warn(
        f"{AT_THE_LIMIT} of {fit.limit} rounds (n_estimators): {metric!r} was still improving on "
        f"rows that are not trained on. More rounds or a larger learning_rate than "
        f"{estimator.learning_rate:g} may give a better model",
        stacklevel=4,  # of `fit`, which calls `_fit`
    )


def warn_fixed_rounds(estimator: Parameters) -> None:
    """Tell the caller of `fit` what a given number of rounds does to settings left open."""
    if estimator.n_estimators is None or estimator.early_stopping is not None:
        return
    if getattr(estimator, "evidence", 1) is None:
        warnings.warn(
            f"n_estimators={estimator.n_estimators} turns early stopping off and sets evidence to "
            "1. early_stopping=True searches for both, with at most so many rounds; "
            "early_stopping=False keeps them as they are, without this warning",
            stacklevel=4,  # of `fit`, which calls `_fit`
        )


def warn_weights(estimator: Parameters, weight: Array | None) -> None:
    """Tell the caller of `fit` that the unit of the weights leaves little to learn from."""
    if weight is None:
        return
    mean = float(weight[weight > 0].mean(dtype=np.float64))
    if mean > _HEAVY or (mean < _LIGHT and estimator.l2 and estimator.learner is None):
        against = "squares of sums overflow" if mean > 1 else f"l2={estimator.l2:g} outweighs them"
        text = (
            f"sample weights are {mean:.3g} on average: a weight is a number of repeats, and "
            f"{against}; divide the weights by their mean"
        )
        warnings.warn(text, stacklevel=4)  # of `fit`, which calls `_fit`


def warn_copies(share: float, stacklevel: int) -> None:
    """Tell the caller of `fit` that a splitter puts copies of rows into several folds."""
    if share > _COPIED:
        text = (
            f"{share:.0%} of the rows of a fold are copies of rows that are trained on: what is "
            "learnt by heart passes for good there. Give the number of folds as cv, which keeps "
            "copies together, or groups"
        )
        warnings.warn(text, stacklevel=stacklevel + 1)


def _continued(
    previous: FlatTrees | RoundList, ensemble: FlatTrees | RoundList, rounds: Sequence[Any],
    n_rounds: int,
) -> FlatTrees | RoundList:  # fmt: skip
    """Return earlier rounds and new ones, n_rounds in all."""
    if n_rounds < previous.n_rounds:
        return previous.head(n_rounds)
    if not previous.n_rounds or not rounds:
        return ensemble if rounds else previous
    if isinstance(previous, RoundList):
        return RoundList((*previous.rounds, *rounds), previous.shape)
    if not isinstance(ensemble, FlatTrees):
        raise ValueError("warm_start cannot continue trees with another kind of learner")
    return FlatTrees.join([previous, ensemble])


def _joined(before: History, after: History) -> History:
    """Return the history of all sets, those that are no longer measured too."""
    joined = {name: dict(metrics) for name, metrics in before.items()}
    for name, metrics in after.items():
        joined.setdefault(name, {}).update(metrics)
    return joined
