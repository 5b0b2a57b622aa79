"""The fitted attributes of a bag, and how it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wgboost.estimators.attributes import column_attributes, restored_model, set_model
from wgboost.estimators.base import LEARNED, BaseModel
from wgboost.model import FittedBag
from wgboost.persistence.model_checks import BAG, SHARED, check_bag, check_learned
from wgboost.persistence.models import SavedModel
from wgboost.selection.bag import BagResult, check_bag_parameters
from wgboost.selection.spec import Member

__all__ = ["restore_bag", "saved_bag", "set_bag"]


def set_bag(estimator: BaseModel, result: BagResult, row_parameters: dict[str, Any]) -> None:
    """Set the fitted attributes of a bag, and remove those of an earlier fit."""
    values: dict[str, Any] = {
        "seed_": result.seed,
        "interrupted_": result.interrupted,
        "best_recipe_": result.best_recipe,
        "best_params_": result.best_params,
        "best_value_": result.best_value,
        "cv_results_": result.cv_results,
        "row_parameters_": row_parameters,
        "ood_references_": result.references,
        "ood_reference_": next(iter(result.references.values())),
    }
    if result.calibration is not None:
        values["calibration_"] = result.calibration
    _set(estimator, values, result.members)


def _set(estimator: BaseModel, values: dict[str, Any], members: Sequence[Member]) -> None:
    """Set the members and the given attributes, and remove what was learned before."""
    for name in LEARNED:
        estimator.__dict__.pop(name, None)
    results = values["cv_results_"]
    kept = results["recipe"][results["kept"]]
    n = len(members)
    if kept.size == n:  # in files of earlier versions some members are of the recipe "ood"
        n = int((kept == values["best_recipe_"]).sum())
    _set_members(estimator, members, n, interrupted=values["interrupted_"])
    for name, value in values.items():
        setattr(estimator, name, value)


def _set_members(
    estimator: BaseModel, members: Sequence[Member], n_predictive: int, *,
    interrupted: bool = False,
) -> None:  # fmt: skip
    """Set the members of a bag, the first of which make predictions, and what they share."""
    models, first = tuple(one.model_ for one in members), members[0]
    for name in ("metadata_", *SHARED):
        estimator.__dict__.pop(name, None)
    values = {
        "members_": list(members),
        "model_": FittedBag(models, n_predictive, interrupted),
        **{name: vars(first)[name] for name in SHARED if name in vars(first)},
        **column_attributes(models[0]),
    }
    for name, value in values.items():
        setattr(estimator, name, value)


def saved_bag(estimator: BaseModel, members: Sequence[Member]) -> SavedModel:
    """Return a bag as a file holds it."""
    fitted = {name: vars(estimator)[name] for name in BAG if name in vars(estimator)}
    inner = tuple(one.to_saved() for one in members)
    params = estimator.get_params(deep=False)
    check_bag_parameters(type(estimator).__name__, params)
    return SavedModel(type(estimator).__name__, params, fitted, inner[0].schema, inner)


def restore_bag(estimator: BaseModel, saved: SavedModel, member_type: type[Member]) -> None:
    """Set the fitted attributes of a saved bag; raise ValueError if its parts do not match."""
    members = []
    for one in saved.members:
        if one.kind != member_type.__name__:
            raise ValueError("a member is of another class than its bag")
        member = member_type(**one.params)
        set_model(member, restored_model(member, one))
        members.append(member)
    check_bag_parameters(saved.kind, estimator.get_params(deep=False))
    check_bag(saved.fitted, [one.model_ for one in members])
    check_learned(saved.fitted)
    _set(estimator, {"row_parameters_": {}, **saved.fitted}, members)
