"""The parameters of an estimator without the objects that group some of them, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from wgboost.directions import Kernel, as_direction
from wgboost.learners import TreeLearner
from wgboost.responses import as_response
from wgboost.responses.registry import prior_settings

__all__ = ["GROUPED", "cluster_parameters", "flat_parameters", "grouped_parameters", "place_of"]

_TREE_RULES = tuple(field.name for field in fields(TreeLearner))
_NUMBERS = {
    "split_on": "particle_mean", "leaf": "newton", "growth": "best_first", "engine": "native",
}  # fmt: skip
_CLASSES = {**_NUMBERS, "split_on": "all"}
_TARGETS = {**_NUMBERS, "split_on": "all", "leaf": "mean", "growth": "depth_wise"}
GROUPED: dict[str, str] = {
    **{name: f"learner=TreeLearner({name}=...)" for name in _TREE_RULES},
    "kernel": "direction=DiagonalNewton(Kernel(...))",
    "bandwidth": "direction=DiagonalNewton(Kernel(bandwidth=...))",
    "prior": "response=Normal(prior_scale=...), for example",
}
"""Where parameters are that the estimators do not have themselves."""


def place_of(name: str, valid: Collection[str]) -> str | None:
    """Return where a parameter is that an estimator with these parameters does not have."""
    place = GROUPED.get(name)
    if place is None:
        return None
    parameter = place.partition("=")[0]
    if "class_weight" in valid:
        place = place.replace("Normal", "Categorical")
    if parameter in valid:
        return f"write {place}"
    return f"write {place} in a recipe" if "recipes" in valid else None


def flat_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator, and those of its trees under their own names.

    `learner` is None if it describes trees.
    """
    learner = params["learner"]
    trees = learner if isinstance(learner, TreeLearner) else TreeLearner()
    rules = asdict(trees)
    rules |= {name: value for name, value in _usual(params).items() if rules[name] is None}
    return {**params, **rules, "learner": None if isinstance(learner, TreeLearner) else learner}


def _usual(params: Mapping[str, Any]) -> dict[str, str]:
    """Return the rules of trees that None stands for, by the kind of the estimator."""
    if "target" in params:
        return _TARGETS
    return _CLASSES if "class_weight" in params else _NUMBERS


def cluster_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator on a cluster, where XGBoost finds the splits."""
    learner = TreeLearner() if params["learner"] is None else params["learner"]
    if isinstance(learner, TreeLearner) and learner.engine is None:
        learner = replace(learner, engine="xgboost")
    return {**params, "learner": learner}


def grouped_parameters(given: Mapping[str, Any], response: str = "normal") -> dict[str, Any]:
    """Return flat parameters with the rarer ones in the objects that have them.

    It is for parameters that come as text, or from files of earlier versions. `response` is the
    default of the estimator.
    """
    params = {name: value for name, value in given.items() if name not in GROUPED}
    trees = {name: given[name] for name in _TREE_RULES if name in given}
    learner = given.get("learner")
    if trees and (learner is None or isinstance(learner, TreeLearner)):
        params["learner"] = replace(learner or TreeLearner(), **trees)
    kernel, bandwidth = given.get("kernel"), given.get("bandwidth")
    direction = given.get("direction", "diagonal_newton")
    if (kernel is not None or bandwidth is not None) and isinstance(direction, str):
        params["direction"] = as_direction(direction, Kernel(kernel or "gaussian", bandwidth))
    if given.get("prior") is not None:
        name = given.get("response", response)
        if isinstance(name, str) and name == "auto":
            raise ValueError("prior with response='auto': name the response that it belongs to")
        params["response"] = as_response(name, **prior_settings(given["prior"]))
    return params
