"""Recipes: short lists of settings that are worth trying, by the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wgboost.validation import nearest_name

__all__ = [
    "Recipes",
    "checked_recipes",
    "classifier_recipes",
    "regressor_recipes",
]

Recipes = dict[str, dict[str, Any]]

_OWN = {
    "early_stopping": "members always stop early, on their own fold",
    "validation_fraction": "members are watched on their own fold",
    "refit": "members stay without their own fold",
    "warm_start": "members are fitted anew",
    "n_jobs": "give n_jobs to the estimator itself",
    "random_state": "give random_state to the estimator itself",
    "verbose": "give verbose to the estimator itself",
}
_TREES = {
    "growth": "best_first", "max_depth": None, "leaf": "newton", "l2": 1.0, "subsample": 0.6,
    "colsample": 0.7, "split_on": "particle_mean",
}  # fmt: skip
_PAPER = {
    "max_depth": 3, "split_on": "sum", "leaf": "mean", "tree": "shared", "evidence": 1.0,
    "kernel": "gaussian", "bandwidth": 0.1,
}  # fmt: skip


def _leaves(n: int) -> tuple[int, int, int]:
    """Few, some and many leaves for n rows."""
    if n < 1000:
        return 4, 8, 16
    if n < 5000:
        return 8, 16, 32
    return (16, 32, 64) if n < 20_000 else (32, 64, 128)


def regressor_recipes(n: int) -> Recipes:
    """Return the recipes of `WGBRegressorCV` for n rows, the likely ones first."""
    few, some, many = _leaves(n)
    trees = {**_TREES, "learning_rate": 0.05, "evidence": "auto"}
    recipes: Recipes = {
        f"leaves_{some}": {**trees, "max_leaves": some},
        f"leaves_{few}": {**trees, "max_leaves": few},
        f"leaves_{many}": {**trees, "max_leaves": many},
        f"per_particle_{some}": {**trees, "max_leaves": some, "tree": "per_particle"},
        f"evidence_1_{some}": {
            **trees, "max_leaves": some, "evidence": 1.0, "kernel": "gaussian", "bandwidth": 0.1,
        },
        "paper": {**_PAPER, "learning_rate": 0.1},
    }  # fmt: skip
    smooth = {**trees, "init": "smooth"}
    return {
        f"smooth_{few}": {**smooth, "max_leaves": few},
        f"smooth_{some}": {**smooth, "max_leaves": some},
        **recipes,
    }


def classifier_recipes(n: int) -> Recipes:
    """Return the recipes of `WGBClassifierCV` for n rows, the likely ones first."""
    few, some, many = _leaves(n)
    shared = {**_TREES, "split_on": "all", "learning_rate": 0.1}
    apart = {**shared, "tree": "per_particle", "subsample": 0.9, "colsample": 0.5}
    return {
        f"leaves_{some}": {**shared, "max_leaves": some},
        f"leaves_{few}": {**shared, "max_leaves": few},
        f"leaves_{many}": {**shared, "max_leaves": many, "learning_rate": 0.05},
        f"evidence_{some}": {**shared, "max_leaves": some, "evidence": "auto"},
        f"per_particle_{some}": {**apart, "max_leaves": some, "learning_rate": 0.2},
        f"per_particle_{many}": {**apart, "max_leaves": many, "learning_rate": 0.3},
        "paper": {**_PAPER, "learning_rate": 0.4},
    }


def checked_recipes(given: Any, kind: type[Any]) -> Recipes:
    """Return the user's recipes by name, checked against the parameters of a kind of model.

    Raises TypeError for what is no recipe, and ValueError for a parameter that there is not or
    that is not a recipe's to set.
    """
    if not isinstance(given, (Mapping, list, tuple)):
        raise TypeError(
            f"recipes={given!r} must be a dict of parameters by the recipe's name, a list of such "
            "parameters, or None for the usual ones"
        )
    if not isinstance(given, Mapping):
        given = {f"recipe_{i}": one for i, one in enumerate(given, start=1)}
    if not given:
        raise ValueError("recipes are empty; give at least one, such as {'plain': {}}")
    valid = kind._get_param_names()
    for name, parameters in given.items():
        if not isinstance(name, str) or not isinstance(parameters, Mapping):
            raise TypeError(
                f"the recipe {name!r} is {parameters!r}; a name and a dict of parameters are needed"
            )
        for parameter in parameters:
            if parameter in _OWN:
                raise ValueError(f"recipe {name!r} sets {parameter!r}: {_OWN[parameter]}")
            if parameter not in valid:
                raise ValueError(
                    f"recipe {name!r}: {kind.__name__} has no parameter {parameter!r}"
                    f"{nearest_name(parameter, valid)}"
                )
    return {name: dict(parameters) for name, parameters in given.items()}
