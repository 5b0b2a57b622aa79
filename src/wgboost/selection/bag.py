"""A bag: the models of all folds of the best recipe, as one model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from wgboost.boosting import Interrupted
from wgboost.calibration import Calibration, OODReference
from wgboost.callbacks import Checkpoint
from wgboost.data.rows import take_rows
from wgboost.estimators.calibrating import fitted_factors
from wgboost.estimators.preparing import training_data
from wgboost.folds import Fold
from wgboost.folds.fitting import make_fold
from wgboost.model import FittedBag
from wgboost.responses import Units
from wgboost.selection.folds import bag_folds, is_time_ordered
from wgboost.selection.members import Members, in_recipe, without_label_warnings
from wgboost.selection.ood_references import SampledRows, bag_ood_references
from wgboost.selection.recipes import FEW, checked_recipes
from wgboost.selection.spec import BagSpec, Member
from wgboost.selection.successive_halving import (
    best_recipe,
    kept_results,
    results_table,
    successive_halving,
    unbiased_value,
)
from wgboost.smooth.blas import one_thread
from wgboost.training.fit_warnings import AT_THE_LIMIT, warn_copies
from wgboost.training.posterior_data import PosteriorData
from wgboost.training.progress import FitProgress
from wgboost.training.settings import resolve_settings
from wgboost.training.tables import apply_schema
from wgboost.typing import Array
from wgboost.validation import check_integer, check_number, resolve_threads

__all__ = [
    "BagData",
    "BagResult",
    "check_bag_parameters",
    "fit_bag",
    "warn_of_bag",
]

_KEPT = 0.4, 1 / 3  # share of the recipes that reach the next fold, below FEW rows and above
_MIN_FOLDS = 3, 1  # folds before a single recipe is left: one fold of few rows says little
_COMPARED_ROWS = 2000  # by which OOD scores of members and of the bag are compared


@dataclass(frozen=True, eq=False)
class BagData:
    """What `fit` of a bag is given.

    Attributes
    ----------
    X, y
        The data.
    fit_params : dict
        Sample weights, offset, exposure, y_std.
    groups : array (n,) or None
        Rows of one group are in one fold.
    callbacks : sequence of callables
        Called after every round of every model.
    """

    X: Any
    y: Any
    fit_params: dict[str, Any]
    groups: Any = None
    callbacks: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class BagResult:
    """A fitted bag.

    Attributes
    ----------
    members : list of estimators
        All models.
    best_recipe, best_params, best_value, cv_results, interrupted
        As the attributes of `WGBRegressorCV` that end with an underscore.
    seed : int
        Seed of the folds and of all members.
    calibration : Calibration or None
        Factors of the predictions.
    references : dict of OODReference
        OOD scores of ordinary rows, by the name of the score.
    """

    members: list[Member]
    best_recipe: str
    best_params: dict[str, Any]
    best_value: float
    cv_results: dict[str, Array]
    seed: int
    interrupted: bool
    calibration: Calibration | None = None
    references: dict[str, OODReference] = field(default_factory=dict)


def check_bag_parameters(name: str, params: dict[str, Any], callbacks: Any = ()) -> None:
    """Raise for a parameter of a bag that is not valid, before any work."""
    if isinstance(callbacks, Sequence) and any(isinstance(c, Checkpoint) for c in callbacks):
        raise ValueError(
            f"{name} cannot continue from a checkpoint: leave Checkpoint out; "
            "time_budget or callbacks.MaxTime limits the time of a fit, and Ctrl-C ends it "
            "with the models so far"
        )
    if params["time_budget"] is not None:
        check_number("time_budget", params["time_budget"], above=0)
    if not isinstance(params["calibrated"], (bool, np.bool_)):
        raise TypeError(f"calibrated={params['calibrated']!r} must be True or False")
    if not isinstance(params["verbose"], bool):
        check_integer("verbose", params["verbose"], low=0)
    resolve_threads(params["n_jobs"])


@one_thread()  # sums over rows have the same bits on any number of threads
def fit_bag(spec: BagSpec, given: BagData) -> BagResult:
    """Compare the recipes, keep the models of the best one, and calibrate them.

    Parameters
    ----------
    spec : BagSpec
        The members of the bag.
    given : BagData
        What `fit` was given.
    """
    params, seed = spec.params, _draw_seed(spec.params["random_state"])
    recipes = _checked_recipes(spec, given)
    data = _read_data(spec, given, recipes)
    recipes = dict(recipes or spec.usual_recipes(data))
    if not data.response.y_shape and np.asarray(given.y).ndim == 2:
        given = replace(given, y=column_or_1d(np.asarray(given.y)))
    splits = bag_folds(_member(spec, {}), params["cv"], data, given.groups, seed)
    if given.groups is None and hasattr(params["cv"], "split"):
        warn_copies(data.distinct.shared(*splits[0]), stacklevel=4)  # of the caller of `fit`
    members = Members(
        given.X, given.y, given.fit_params, _weights(data), splits,
        _units(spec, given, recipes, data),
        lambda recipe, fold: _member(spec, recipes[recipe], fold, seed), bool(params["verbose"]),
        given.callbacks, FitProgress(),
    )  # fmt: skip
    time_ordered, budget = is_time_ordered(splits), params["time_budget"]
    if budget is not None and time_ordered:
        budget /= 2  # further fits follow
    many = len(data.to_split) >= FEW
    results, interrupted = successive_halving(
        list(recipes), len(splits), members.fit, keep=_KEPT[many], min_folds=_MIN_FOLDS[many],
        budget=budget,
    )  # fmt: skip
    best = best_recipe(results)
    kept = kept_results(results, best)
    best_value = unbiased_value(results, best)
    kept, cut = members.completed(kept)
    interrupted = interrupted or cut
    models = [result.model for result in kept]
    if time_ordered and not interrupted:
        models, interrupted = members.refitted(kept)
    result = BagResult(
        models, best, recipes[best], best_value, results_table(results, kept), seed, interrupted
    )
    folds = [(splits[one.fold], one.model) for one in kept]
    result = _calibrated(result, given, data, folds, params)
    if params["verbose"]:
        print(f"best: {best!r}, a bag of {len(models)}", flush=True)
    return result


def _draw_seed(random_state: Any) -> int:
    """Return an integer seed."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _member(spec: BagSpec, recipe: dict[str, Any], fold: int = 0, seed: int = 0) -> Member:
    """Return a model of a recipe that is not fitted yet."""
    params = spec.params
    common = {name: params[name] for name in spec.shared}
    own = {
        "refit": False, "n_jobs": params["n_jobs"],
        "random_state": int(np.random.default_rng([seed, fold]).integers(2**31 - 1)),
        "verbose": max(0, int(params["verbose"]) - 1),
    }  # fmt: skip
    usual = {"early_stopping": True, "init": "flow"}
    return spec.member_type(**{**common, **usual, **recipe, **own})


def _checked_recipes(spec: BagSpec, given: BagData) -> dict[str, dict[str, Any]]:
    """Return the recipes of the user, checked, or an empty dict."""
    params = spec.params
    recipes = {} if params["recipes"] is None else checked_recipes(
        params["recipes"], spec.member_type
    )  # fmt: skip
    for name, recipe in recipes.items():
        settings = _member(spec, recipe).get_params(deep=False)
        in_recipe(partial(resolve_settings, settings), name)
    first = _member(spec, recipes.get(next(iter(recipes), ""), {}))
    resolve_settings(first.get_params(deep=False), given.callbacks)
    return recipes


def _read(spec: BagSpec, recipe: dict[str, Any], given: BagData, *, check: bool) -> PosteriorData:
    """Return the data as a model of a recipe reads it."""
    member = _member(spec, recipe)
    fit_params = {"y": given.y, **given.fit_params}
    name, params = type(member).__name__, member.get_params(deep=False)
    return training_data(name, params, given.X, fit_params, check=check)[1]


def _read_data(spec: BagSpec, given: BagData, recipes: dict[str, dict[str, Any]]) -> PosteriorData:
    """Return the data as all members read it: columns, classes, y.

    The first recipe may have the response that y needs, such as one for several columns.
    """
    first = next(iter(recipes), "")
    read = partial(_read, spec, recipes.get(first, {}), given, check=False)
    data: PosteriorData = in_recipe(read, first) if recipes else read()
    return data


def _units(
    spec: BagSpec, given: BagData, recipes: dict[str, dict[str, Any]], data: PosteriorData
) -> dict[str, Units]:
    """Return the units of y by recipe; a recipe with a response of its own may have others."""
    units = dict.fromkeys(recipes, data.merged().units())
    if spec.params["recipes"] is None:
        return units
    for name in checked_recipes(spec.params["recipes"], spec.member_type):
        read = partial(_read, spec, recipes[name], given, check=True)
        own: PosteriorData = in_recipe(partial(without_label_warnings, read), name)
        units[name] = own.merged().units()
    return units


def _weights(data: PosteriorData) -> Array:
    """Return the weights of rows; 1 each if there are none."""
    return np.ones(len(data)) if data.weight is None else data.weight.astype(np.float64)


def _calibrated(
    result: BagResult, given: BagData, data: PosteriorData,
    members: list[tuple[tuple[Array, Array], Member]], params: dict[str, Any],
) -> BagResult:  # fmt: skip
    """Calibrate with the rows of each fold, by the member that was fitted without them."""

    def fold(split: tuple[Array, Array], member: Member) -> Fold:
        test, weight = data.once(split[1])  # the prior of factors counts copies as one row
        weights = None if weight is None else np.zeros(len(data))
        if weights is not None:
            weights[test] = weight
        fit_params = {**given.fit_params, "sample_weight": weights}
        return make_fold(member, given.X, given.y, split[0], test, fit_params)

    folds, calibration = [fold(*one) for one in members], None
    if params["calibrated"]:
        # The distributions of a bag are wider than those of its members, and its errors are
        # smaller. Members that were stopped at their least NLL are wide enough, so factors that
        # widen them do not suit the bag.
        first = result.members[0]
        metric = next(iter(first.history_["validation"]))
        stopped = first.early_stopping is None or bool(first.early_stopping)
        allow_widening = metric != "nll" or not stopped
        dists = [one.dist() for one in folds]
        calibration = fitted_factors(dists, folds, allow_widening=allow_widening)
    counted = np.unique(np.concatenate([part for split, _ in members for part in split]))
    counted = data.once(counted)[0]
    some = counted[:: -(-counted.size // _COMPARED_ROWS)]
    schema = result.members[0].model_.schema
    if schema is None:
        raise TypeError("the members do not know their columns")
    sample = SampledRows(some, apply_schema(schema, take_rows(given.X, some)))
    bag = FittedBag(tuple(one.model_ for one in result.members), len(result.members))
    fitted = [(one, member.model_) for one, (_, member) in zip(folds, members, strict=True)]
    threads = min(resolve_threads(params["n_jobs"]), 1024)
    references = bag_ood_references(bag, fitted, sample, result.seed, threads)
    return replace(result, calibration=calibration, references=references)


def warn_of_bag(result: BagResult, stacklevel: int) -> None:
    """Warn that most members ran out of rounds, or that the fit was interrupted."""
    members = result.members
    ended = [one.model_.limit for one in members if one.model_.limit is not None]
    if len(ended) > len(members) / 2:
        warnings.warn(
            f"{AT_THE_LIMIT} of {ended[0]} rounds (n_estimators) in {len(ended)} of "
            f"{len(members)} models of the recipe {result.best_recipe!r}: more rounds or a "
            "larger learning_rate may give a better bag",
            stacklevel=stacklevel + 1,
        )
    if result.interrupted:
        warnings.warn(
            f"interrupted: the bag consists of {len(members)} models of the recipe "
            f"{result.best_recipe!r}",
            Interrupted,
            stacklevel=stacklevel + 1,
        )
