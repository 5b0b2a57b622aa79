"""The parameters of an estimator, checked once and resolved to the objects they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.boosting.round import LEAVES
from wgboost.data.binning import MAX_BINS
from wgboost.directions import Direction, Kernel, as_direction
from wgboost.learners import Learner, as_learner
from wgboost.learners.hist_tree import HistTree
from wgboost.smooth import SmoothStart
from wgboost.training.engine import check_engine
from wgboost.training.flat_parameters import flat_parameters
from wgboost.trees import TreeSettings
from wgboost.trees.xgboost import as_grower
from wgboost.validation import check_choice, check_integer, check_number, resolve_threads

__all__ = ["Settings", "resolve_settings", "usual_leaves"]

_MAX_ROUNDS = 4000  # with early stopping, where n_estimators is None
_USUAL_ROUNDS = 100  # without early stopping, where n_estimators is None
_MIN_ROWS = 50  # rows from which on some are held out by default
_LEAVES = 4, 16, 128  # of trees with max_leaves="auto": the fewest, those of 512 rows, the most
_ROWS = 512
_SCALED = 3.0  # evidence, if it is searched for, from which on the kernel is "scaled"
_MAX_THREADS = 1024
_TRIED_START = SmoothStart(exact_rows=1000, landmarks=1000, tuning_rows=500)
_TRIAL_OUTPUTS = 4  # random projections that trees of trials are split by
_REACH = 0.3  # of support, in standard deviations of a feature


@dataclass(frozen=True, eq=False)
class Settings:
    """The parameters of a fit.

    Most fields are the parameters of the estimators under their own names. Two belong to a stage of
    a fit and are set by `at`: the number of rows that are trained on, and the evidence of a row.
    What depends on them are methods.

    Attributes
    ----------
    tree : TreeSettings
        How trees are grown, for an evidence of 1.
    auto_leaves : bool
        Whether the number of leaves follows the number of rows.
    learner : Learner or None
        A learner in place of trees.
    flow, smooth : AveragedFlow or SmoothStart, or None
        The start that `init` stands for, if it is one of them.
    search_evidence : bool
        Whether the evidence is searched for.
    starts : tuple of str
        Starts that are compared: "smooth" and "flow", or none.
    leaf_share : float
        Leaves of a tree over the usual number, with `auto_leaves`.
    seed : int
        Seed of the fit.
    n_rows : int
        Rows to train on, where a row of weight 2 is two rows.
    level : float
        The mean evidence of a row.
    support : float
        The reach of support; 0 without.
    """

    n_particles: int
    n_estimators: int | None
    learning_rate: float
    tree: TreeSettings
    auto_leaves: bool
    leaf: Any
    max_bins: int
    learner: Learner | None
    engine: str
    device: str
    direction: Any
    init: Any
    flow: AveragedFlow | None
    smooth: SmoothStart | None
    evidence: Any
    monotone_constraints: Any
    monotone_parameter: Any
    interaction_constraints: Any
    early_stopping: bool | None
    validation_fraction: float
    n_iter_no_change: int | None
    eval_metric: Any
    refit: bool
    warm_start: bool
    verbose: int
    n_threads: int
    n_params: int | None = None
    search_evidence: bool = False
    starts: tuple[str, ...] = ()
    leaf_share: float = 1.0
    seed: int = 0
    n_rows: int = 0
    level: float = 1.0
    support: float = 0.0

    def at(self, *, n_rows: int | None = None, level: float | None = None) -> Settings:
        """Return the settings of a stage: of so many rows, with this evidence."""
        return replace(
            self,
            n_rows=self.n_rows if n_rows is None else n_rows,
            level=self.level if level is None else level,
        )

    @property
    def searches(self) -> bool:
        """Whether several settings are tried on rows that are held out."""
        return self.search_evidence or bool(self.starts)

    def of_trial(self, trial: Mapping[str, Any]) -> Settings:
        """Return the settings of a trial of a search, for rows that are set already."""
        settings = self.at(level=float(trial["evidence"]))
        settings = replace(settings, leaf_share=float(trial.get("leaf_share", 1.0)))
        init = trial.get("init")
        if init is None:
            return settings
        if init == "smooth":
            return replace(settings, flow=None, smooth=_TRIED_START)
        return replace(settings, flow=AveragedFlow(), smooth=None)

    @property
    def n_trees(self) -> int:
        """The number of trees of a round; 1 for another learner."""
        return 1 if self.learner is not None else self.tree.n_trees(self.n_particles)

    def for_trials(self) -> Settings:
        """Return the settings of stages whose trees are not kept: few trees a round.

        They find about the same evidence and number of rounds as all trees do. A model with them
        alone would be less accurate.
        """
        groups = [k for k in range(2, self.n_particles) if self.n_particles % k == 0]
        few = groups[0] if groups else 1
        if self.learner is not None or self.n_trees <= few:
            return self
        split_on = self.tree.split_on
        constrained = self.monotone_constraints is not None
        if split_on == "all" and not constrained:
            split_on = _TRIAL_OUTPUTS
        return replace(self, tree=replace(self.tree, tree=few, split_on=split_on))

    def max_rounds(self, *, early_stopping: bool = True) -> int:
        """Return the largest number of rounds."""
        if self.n_estimators is not None:
            return self.n_estimators
        if early_stopping:
            return _MAX_ROUNDS
        return _USUAL_ROUNDS if self.n_rows >= _MIN_ROWS else max(1, self.n_rows)

    def stops_early(self, n_rows: int) -> bool:
        """Return whether early stopping finds the number of rounds."""
        if self.early_stopping is None:
            return self.n_estimators is None and n_rows >= _MIN_ROWS
        return self.early_stopping

    def make_kernel(self) -> Kernel:
        """Return the kernel of a direction that is given by name."""
        return Kernel("scaled" if self.search_evidence and self.level >= _SCALED else "gaussian")

    def make_direction(self) -> Direction:
        """Return the direction that particles move in."""
        return as_direction(self.direction, self.make_kernel())

    def tree_settings(self) -> TreeSettings:
        """Return how trees are grown in this stage; l2 is in the unit of the curvature."""
        leaves = self.tree.max_leaves
        if self.auto_leaves:
            leaves = max(_LEAVES[0], round(self.leaf_share * usual_leaves(self.n_rows)))
        return replace(self.tree, max_leaves=leaves, l2=self.tree.l2 * self.level)

    def make_learner(self) -> Learner:
        """Return what is fitted to the movement of a round."""
        if self.learner is not None:
            return self.learner
        grower = as_grower(self.engine, self.device)
        return HistTree(self.tree_settings(), self.n_threads, grower=grower)


def usual_leaves(n: int) -> int:
    """Return how many leaves suit n rows: one for 32 of them, and with their root beyond 512.

    `benchmarks/recipes.py` is the experiment behind it.
    """
    fewest, middle, most = _LEAVES
    growth = n / _ROWS if n < _ROWS else float(np.sqrt(n / _ROWS))
    return int(min(max(fewest, middle * growth), most))


def resolve_settings(params: Mapping[str, Any], callbacks: Any = ()) -> Settings:
    """Return the settings that the parameters of an estimator stand for.

    Parameters
    ----------
    params : mapping
        ``get_params(deep=False)`` of an estimator.
    callbacks : sequence of callables
        Checked as well.

    Raises
    ------
    TypeError or ValueError
        For the first parameter that makes no sense.
    """
    params = flat_parameters(params)
    _check_evidence(params.get("evidence"))
    _check_rounds(params)
    _check_flags(params, callbacks)
    check_engine(params)
    tree, auto_leaves = _tree_settings(params)
    learner = None if params["learner"] is None else as_learner(params["learner"])
    if learner is None or learner.uses_codes:
        check_integer("max_bins", params["max_bins"], low=2, high=MAX_BINS)
    flow, smooth = _starts(params)
    trees = learner is None or isinstance(learner, HistTree)
    _check_constrained(params, trees=trees, smooth=smooth)
    n_params = params.get("n_params")
    settings = Settings(
        n_particles=int(params["n_particles"]),
        n_estimators=None if params["n_estimators"] is None else int(params["n_estimators"]),
        learning_rate=float(params["learning_rate"]),
        tree=tree,
        auto_leaves=auto_leaves,
        leaf=params["leaf"],
        max_bins=params["max_bins"],
        learner=learner,
        engine=params["engine"],
        device=params["device"],
        direction=params["direction"],
        init=params["init"],
        flow=flow,
        smooth=smooth,
        evidence=params.get("evidence", 1.0),
        monotone_constraints=params["monotone_constraints"],
        monotone_parameter=params.get("monotone_parameter"),
        interaction_constraints=params["interaction_constraints"],
        early_stopping=None if params["early_stopping"] is None else bool(params["early_stopping"]),
        validation_fraction=params["validation_fraction"],
        n_iter_no_change=params["n_iter_no_change"],
        eval_metric=params["eval_metric"],
        refit=bool(params["refit"]),
        warm_start=bool(params["warm_start"]),
        verbose=int(params["verbose"]),
        n_threads=min(resolve_threads(params["n_jobs"]), _MAX_THREADS),
        n_params=n_params,
        support=_reach(params["support"]),
    )
    settings.make_direction()
    _ = settings.n_trees  # raises unless particles can be divided so
    if "target" in params and n_params is not None:
        hint = "None is what the target or init says, else 1"
        check_integer("n_params", n_params, low=1, hint=hint)
    return settings


def _reach(support: Any) -> float:
    """Return the reach of support, 0 for none."""
    if isinstance(support, (bool, np.bool_)):
        return _REACH if support else 0.0
    try:
        return check_number("support", support, above=0)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error}; True is {_REACH}, and False switches it off") from None


def _check_evidence(evidence: Any) -> None:
    if isinstance(evidence, str):
        check_choice("evidence", evidence, ["auto"])
    elif evidence is not None and np.ndim(evidence) == 0:
        check_number("evidence", evidence, above=0)


def _check_rounds(params: Mapping[str, Any]) -> None:
    check_integer("n_particles", params["n_particles"], low=1)
    if params["n_estimators"] is not None:
        check_integer("n_estimators", params["n_estimators"], low=0)
    check_number("learning_rate", params["learning_rate"], above=0)
    check_choice("leaf", params["leaf"], LEAVES)
    check_number("validation_fraction", params["validation_fraction"], above=0, high=0.99)
    if params["n_iter_no_change"] is not None:
        hint = "None takes the best of all rounds"
        check_integer("n_iter_no_change", params["n_iter_no_change"], low=1, hint=hint)


def _check_flags(params: Mapping[str, Any], callbacks: Any) -> None:
    for name in ("early_stopping", "refit", "warm_start"):
        value = params[name]
        undecided = value is None and name == "early_stopping"
        if not (undecided or isinstance(value, (bool, np.bool_))):
            raise TypeError(f"{name}={value!r} must be True or False")
    if not isinstance(params["verbose"], bool):
        check_integer("verbose", params["verbose"], low=0)
    if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise TypeError(f"callbacks={callbacks!r} must be a list of functions")
    if isinstance(params["init"], type):
        kind = params["init"].__name__
        raise TypeError(f"init={kind} is a class; give an object: {kind}()")


def _tree_settings(params: Mapping[str, Any]) -> tuple[TreeSettings, bool]:
    """Return how trees are grown, and whether the number of leaves follows that of rows."""
    leaves, auto = params["max_leaves"], False
    if isinstance(leaves, str):
        check_choice("max_leaves", leaves, ["auto"])
        auto = params["max_depth"] is None
        leaves = usual_leaves(0) if auto else None
    check_number("l2", params["l2"], low=0)
    tree = TreeSettings(
        tree=params["tree"],
        split_on=params["split_on"],
        growth=params["growth"],
        max_depth=params["max_depth"],
        max_leaves=leaves,
        min_samples_leaf=params["min_samples_leaf"],
        l2=params["l2"],
        min_gain=params["min_gain"],
        cat_smooth=params["cat_smooth"],
        cat_penalty=params["cat_penalty"],
        subsample=params["subsample"],
        colsample=params["colsample"],
    )
    return tree, auto


def _starts(params: Mapping[str, Any]) -> tuple[AveragedFlow | None, SmoothStart | None]:
    init = params["init"]
    if "target" in params:
        if isinstance(init, str):
            raise ValueError(
                f"init={init!r} must be start particles or None; other starts are for "
                "WGBRegressor and WGBClassifier"
            )
        return None, None
    if isinstance(init, str):
        check_choice("init", init, ["auto", "flow", "smooth"])
        return (None, SmoothStart()) if init == "smooth" else (AveragedFlow(), None)
    flow = init if isinstance(init, AveragedFlow) else None
    return flow, init if isinstance(init, SmoothStart) else None


def _check_constrained(params: Mapping[str, Any], *, trees: bool, smooth: Any) -> None:
    """Raise if there are constraints that the learner, or the start, is not held to."""
    for name in ("monotone_constraints", "interaction_constraints"):
        if params[name] is None:
            continue
        if not trees:
            raise ValueError(
                f"{name} hold native trees, not learner={params['learner']!r}; leave one of the "
                "two out"
            )
        if hasattr(params["init"], "fit") or smooth is not None:
            raise ValueError(
                f"{name} hold the trees, not the predictions of init={params['init']!r} that they "
                "start at; start at constants"
            )
