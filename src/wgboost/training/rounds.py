"""Adding rounds to a model, in this process."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wgboost.boosting.early_stopping import StoppingRule, Validation
from wgboost.boosting.loop import BoostingResult, Monitor, Schedule, boost
from wgboost.boosting.mean_step import MeanStep
from wgboost.boosting.round import RoundTargets
from wgboost.boosting.start import Start
from wgboost.callbacks import Progress
from wgboost.data import Features
from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import MAX_BINS
from wgboost.data.level_groups import LevelGroups, group_levels
from wgboost.data.schema import Schema
from wgboost.data.stored import StoredMatrix
from wgboost.ensemble import RoundList, join_rounds
from wgboost.learners import Learner
from wgboost.learners.hist_tree import HistTree
from wgboost.metrics import Metric
from wgboost.model import FittedModel, History
from wgboost.responses import Units
from wgboost.responses.observations import Observations
from wgboost.smooth.blas import one_thread
from wgboost.targets.base import RowTarget
from wgboost.targets.posterior import PosteriorTarget
from wgboost.training.data import TrainingData
from wgboost.training.progress import FitProgress
from wgboost.training.settings import Settings
from wgboost.trees import Constraints
from wgboost.trees.flat import FlatTrees
from wgboost.trees.xgboost import collective
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["AddRounds", "FitStage", "Save", "Scorer", "add_rounds", "model_of_rounds"]

_SHOWN = 2000  # training rows whose metric `verbose` shows

Save = Callable[[Any, FittedModel, Any, int], None]
"""Writes (path, model so far, what early stopping has seen, number of rounds) to a file."""

Scorer = Callable[[TrainingData, Metric, Units], Callable[[Directions], float]]
"""Makes a metric of rows a function of their particles."""


@dataclass(frozen=True, eq=False)
class FitStage:
    """Rounds to be added: to what model, with which data, and when to stop.

    Attributes
    ----------
    settings : Settings
        Of this stage; see `Settings.at`.
    schema : Schema
        The columns of X.
    data : TrainingData
        Rows to train on, relative to the start.
    validation : mapping
        Validation sets by name.
    start : Start
        Start particles of new rows.
    units : Units
        Units of y.
    n_rounds : int
        The number of rounds of the model in the end.
    early_stopping : bool
        Whether to keep the best number of rounds by the first validation set.
    constraints : Constraints or None
        What trees are held to.
    callbacks : sequence of callables
    previous : FittedModel or None
        The model to add rounds to.
    name : str
        What callbacks are told: "", "evidence 10", "refit", ...
    save : Save or None
        What callbacks can save the model so far with.
    watch : mapping or None
        What early stopping had seen when a checkpoint was written.
    progress : FitProgress
        Of the whole fit.
    goal : float
        The value of the metric that early stopping has to reach: it ends once it cannot.
    """

    settings: Settings
    schema: Schema
    data: TrainingData
    validation: Mapping[str, TrainingData]
    start: Start
    units: Units
    n_rounds: int
    early_stopping: bool = False
    constraints: Constraints | None = None
    callbacks: Sequence[Any] = ()
    previous: FittedModel | None = None
    name: str = ""
    save: Save | None = None
    watch: Mapping[str, Any] | None = None
    progress: FitProgress = field(default_factory=FitProgress)
    goal: float = math.inf

    @property
    def first_round(self) -> int:
        """The number of rounds that there are already."""
        return 0 if self.previous is None else self.previous.n_rounds


AddRounds = Callable[[FitStage], FittedModel]
"""Adds the rounds of a stage: `add_rounds`, or the same on a cluster."""


@dataclass(frozen=True, eq=False)
class _Learning:
    """What the rounds of a stage are fitted with.

    Attributes
    ----------
    movement : RoundTargets
        Computes how particles move.
    learner : Learner
        Fits a function of x to the movement.
    features : Features
        The training features, binned.
    matrix : array (n, p)
        The training features, with codes of groups of levels.
    groups : LevelGroups or None
        Groups of the levels of categories that have too many.
    weight : array (n,) or None
        Weights of rows.
    """

    movement: RoundTargets
    learner: Learner
    features: Features
    matrix: Any
    groups: LevelGroups | None
    weight: Array | None

    @property
    def ends(self) -> BinEnds | None:
        """The ends of the bins of the training rows of all workers."""
        ends = self.features.ends
        if ends is None or not isinstance(self.learner, HistTree):
            return None
        n = np.array([len(self.matrix) if self.weight is None else np.count_nonzero(self.weight)])
        if self.learner.grower is not None:
            n = collective.allreduce(n.astype(np.float64))
        return replace(ends, rows=int(n[0]))


@one_thread()  # sums over rows have the same bits on any number of threads
def add_rounds(
    stage: FitStage, *, scorer: Scorer | None = None, seed: int | None = None
) -> FittedModel:
    """Return the model with the rounds of a stage added.

    Parameters
    ----------
    stage : FitStage
    scorer : Scorer, optional
        In place of `TrainingData.scorer`.
    seed : int, optional
        In place of the seed of the settings.
    """
    settings = stage.settings
    seed = settings.seed if seed is None else seed
    particles = stage.data.particles(stage.start)
    learning = _learning(stage, particles, seed)
    groups, ends = learning.groups, learning.ends
    validations = [
        _validation(stage, name, one, learning, scorer) for name, one in stage.validation.items()
    ]
    watch = _watch(stage, validations)

    def about_fit(info: dict[str, Any]) -> dict[str, Any]:
        """Return what callbacks get of the fit as a whole, after a round."""

        def save_to(path: Any) -> None:
            if stage.save is not None:
                history = _history(validations)
                model = model_of_rounds(stage, info["rounds"], info["round"], history, groups, ends)
                stage.save(path, model, watch, stage.n_rounds)

        best_round = None if watch is None else watch.best_round
        described = stage.progress.describe(stage.name, info, best_round)
        return {"save": save_to, "watch": watch, **described}

    bar = Progress(settings.verbose, measure=_measure(stage)) if settings.verbose else None
    try:
        result = boost(
            _continued_from(stage, learning.matrix, particles, groups),
            learning.movement,
            learning.features,
            learning.learner,
            Schedule(
                stage.n_rounds - stage.first_round, settings.learning_rate, stage.first_round, seed
            ),
            weight=learning.weight,
            monitor=Monitor(
                validations,
                watch,
                stage.callbacks if bar is None else [*stage.callbacks, bar],
                about_fit,
            ),
        )
    finally:
        if bar is not None:
            bar.close()
    stage.progress.stopped = stage.progress.stopped or result.stopped
    n_kept, limit = _kept_rounds(stage, result, watch)
    model = model_of_rounds(stage, result.rounds, n_kept, _history(validations), groups, ends)
    return replace(model, interrupted=result.interrupted, limit=limit)


def _kept_rounds(
    stage: FitStage, result: BoostingResult, watch: StoppingRule | None
) -> tuple[int, int | None]:
    """Return how many rounds to keep, and their number if the metric still improved at the last."""
    n_rounds = stage.first_round + len(result.rounds)
    if watch is not None:
        done = not result.interrupted and n_rounds == stage.n_rounds
        limit = stage.n_rounds if done and watch.ran_out(stage.n_rounds) else None
        return watch.best_round, limit
    if result.keep is not None:
        return check_integer("Keep.rounds", result.keep.rounds, low=0, high=n_rounds), None
    return n_rounds, None


def _learning(stage: FitStage, particles: Directions, seed: int) -> _Learning:
    settings, data, X = stage.settings, stage.data, stage.data.X
    target, weight = data.target(stage.units), data.tree_weight(settings.leaf)
    learner = _learner(stage, target)
    movement = RoundTargets(
        target,
        settings.make_direction(),
        settings.leaf,
        settings.n_threads,
        _mean_step(target, weight, learner),
    )
    first_targets, n_levels = None, stage.schema.n_levels
    if isinstance(learner, HistTree) and (n_levels > 0).any():
        # Of the start, also where earlier rounds are continued: the model is that of one run.
        rng = np.random.default_rng([seed, 2**31 + 5])
        first_targets = movement(particles, settings.learning_rate, rng)
    groups = None
    if first_targets is not None and (n_levels > MAX_BINS).any():
        rng = np.random.default_rng([seed, 2**31 + 6])
        groups, coded = group_levels(X, n_levels, *first_targets, weight, rng)
        known = getattr(stage.previous and stage.previous.ensemble, "level_groups", None)
        if known is not None and not known.same_as(groups):
            groups, coded = known, known.apply(X)  # of other rows than these
        X, n_levels = coded, groups.n_levels(n_levels)
    features = Features.from_raw(
        X,
        bins=settings.max_bins if learner.uses_codes else None,
        n_levels=n_levels,
        weight=weight,
        rng=np.random.default_rng([seed, 2**31]),
        n_threads=settings.n_threads,
    )
    if isinstance(learner, HistTree) and first_targets is not None:
        learner = learner.with_signal(features, *first_targets, weight)
    return _Learning(movement, learner, features, X, groups, weight)


def model_of_rounds(
    stage: FitStage, rounds: Sequence[Any], n_kept: int, history: History,
    groups: LevelGroups | None = None, ends: BinEnds | None = None,
) -> FittedModel:  # fmt: skip
    """Return the model of the first n_kept of the earlier rounds and those that were added."""
    rounds = rounds[: max(0, n_kept - stage.first_round)]
    ensemble = join_rounds(rounds, stage.data.X.shape[1], stage.start.shape)
    if isinstance(ensemble, FlatTrees):
        ensemble = ensemble.with_ends(ends if stage.settings.support else None)
    if stage.previous is not None:
        ensemble = _joined_rounds(stage.previous.ensemble, ensemble, rounds, n_kept)
        history = _joined_history(stage.previous.history, history)
    if groups is not None and isinstance(ensemble, FlatTrees):
        ensemble = replace(ensemble, level_groups=groups)
    return FittedModel(ensemble, stage.start, stage.units, history, evidence=stage.settings.level)


def _learner(stage: FitStage, target: RowTarget) -> Learner:
    learner = stage.settings.make_learner()
    if not isinstance(learner, HistTree):
        return learner
    longest = getattr(target, "longest_step", np.inf)
    if longest < np.inf:
        learner = replace(learner, longest_step=longest)
    if stage.constraints is not None:
        learner = replace(learner, constraints=stage.constraints)
    return learner


def _continued_from(
    stage: FitStage, X: Any, particles: Directions, groups: LevelGroups | None
) -> Directions:
    """Return particles of rows after the rounds that there are already."""
    if stage.previous is None:
        return particles
    ensemble, n_threads = stage.previous.ensemble, stage.settings.n_threads
    if groups is not None and isinstance(ensemble, FlatTrees):
        ensemble = replace(ensemble, level_groups=None)  # rows have the codes of groups already
    if isinstance(X, StoredMatrix):
        return X.predict(ensemble, particles, n_threads)
    added: Directions = ensemble.predict(X, start=particles, n_threads=n_threads)
    return added


def _validation(
    stage: FitStage, name: str, given: TrainingData, learning: _Learning, scorer: Scorer | None
) -> Validation:
    """Return a validation set with its particles and metrics."""
    data, units, groups = given.relative_to(stage.start), stage.units, learning.groups
    metrics = {
        one.name: data.scorer(one, units) if scorer is None else scorer(data, one, units)
        for one in data.metrics(stage.settings.eval_metric)
    }
    X: Any = given.X if groups is None else groups.apply(given.X)
    cuts, codes = learning.features.cuts, None
    if cuts is not None:
        stored = isinstance(X, StoredMatrix)
        codes = X.binned if stored else cuts.apply(X, n_threads=stage.settings.n_threads)
    particles = _continued_from(stage, X, stage.start.at(given.X), groups)
    earlier = {} if stage.previous is None else stage.previous.padded_history(name, metrics)
    return Validation(name, given.X, codes, particles, metrics, earlier)


def _watch(stage: FitStage, validations: Sequence[Validation]) -> StoppingRule | None:
    """Return what finds the best number of rounds, if early stopping does."""
    if not (stage.early_stopping and validations):
        return None
    first = validations[0]
    return StoppingRule(
        first, next(iter(first.metrics)), stage.settings.n_iter_no_change, goal=stage.goal,
        **dict(stage.watch or {}), begun=stage.watch is not None,
    )  # fmt: skip


def _history(validations: Sequence[Validation]) -> History:
    return {validation.name: validation.history for validation in validations}


def _measure(stage: FitStage) -> Callable[[Directions], Any] | None:
    """Return what `verbose` shows of the training rows: the metric of some of them."""
    data = stage.data
    try:
        metric = data.metric(stage.settings.eval_metric)
    except ValueError:  # targets without a metric
        return None
    some = data.counted[:: -(-len(data) // _SHOWN)]
    score = data.take(some).scorer(metric, stage.units)
    return lambda particles: {"train": {metric.name: score(particles[some])}}


def _mean_step(target: RowTarget, weight: Array | None, learner: Learner) -> MeanStep | None:
    """Return the step that truncated rows have in common; None for other rows."""
    if not isinstance(target, PosteriorTarget):
        return None
    y = target.y
    if not isinstance(y, Observations) or not y.truncated:
        return None
    step = MeanStep(target.response, y, target.evidence, weight)
    spread_over_workers = isinstance(learner, HistTree) and learner.grower is not None
    return replace(step, total=collective.allreduce) if spread_over_workers else step


def _joined_rounds(
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


def _joined_history(before: History, after: History) -> History:
    """Return the history of all sets, also of those that are no longer measured."""
    joined = {name: dict(metrics) for name, metrics in before.items()}
    for name, metrics in after.items():
        joined.setdefault(name, {}).update(metrics)
    return joined
