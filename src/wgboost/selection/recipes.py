"""Recipes: short lists of settings that are worth trying, by the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wgboost.directions import DiagonalNewton, Kernel
from wgboost.training.flat_parameters import place_of
from wgboost.validation import nearest_name

__all__ = [
    "FEW",
    "MANY",
    "Recipes",
    "checked_recipes",
    "classifier_recipes",
    "regressor_recipes",
]

Recipes = dict[str, dict[str, Any]]
"""Parameters by the name of the recipe."""

FEW, MANY = 5000, 20_000
"""Below FEW rows, recipes are tried on more folds. From MANY on, trees are larger."""

_KINDS = {"shared": "shared", "each": "per_particle"}

_OWN = {
    "validation_fraction": "members are validated on their own fold",
    "refit": "members stay without their own fold",
    "warm_start": "members are fitted anew",
    "eval_metric": "recipes are compared by it; give eval_metric to the estimator itself",
    "class_weight": "recipes are compared with it; give class_weight to the estimator itself",
    "n_jobs": "give n_jobs to the estimator itself",
    "random_state": "give random_state to the estimator itself",
    "verbose": "give verbose to the estimator itself",
}
_TREES = {"max_depth": None, "l2": 1.0, "colsample": 0.7}
_CLASSES = {"colsample": 0.5}
_SCALED = 3.0  # evidence from which on regression has the kernel "scaled"

# Start, kind of trees, leaves, evidence, share of the rows.
_Spec = tuple[str, str, int, float, float]


def _few_rows(some: int, many: int) -> list[_Spec]:
    """Return the recipes for few rows, with `some` or `many` leaves."""
    return [
        ("smooth", "each", some, 3, 0.6),
        ("flow", "each", some, 1, 0.9),
        ("smooth", "shared", 4, 30, 0.6),
        ("smooth", "each", many, 1, 0.6),
        ("smooth", "shared", 4, 3, 0.6),
        ("flow", "each", many, 1, 0.9),
        ("smooth", "each", many, 3, 0.6),
        ("smooth", "shared", many, 10, 0.6),
        ("flow", "shared", some, 10, 0.6),
    ]


_MORE_ROWS: list[_Spec] = [
    ("smooth", "each", 64, 10, 0.9),
    ("flow", "each", 128, 1, 0.9),
    ("smooth", "each", 128, 3, 0.9),
    ("smooth", "shared", 32, 30, 0.6),
    ("flow", "shared", 32, 30, 0.6),
]
_MANY_ROWS: list[_Spec] = [
    ("flow", "each", 256, 1, 0.9),
    ("flow", "each", 256, 3, 0.9),
    ("smooth", "each", 256, 3, 0.9),
    ("flow", "shared", 64, 10, 0.6),
    ("flow", "shared", 64, 30, 0.6),
]
_MOST_ROWS: list[_Spec] = [
    ("flow", "shared", 512, 1, 0.9),
    ("flow", "shared", 256, 3, 0.9),
    ("flow", "shared", 256, 10, 0.6),
    ("flow", "shared", 64, 30, 0.6),
    ("flow", "shared", 64, 100, 0.6),
]


def regressor_recipes(n: int, *, smooth: bool = True) -> Recipes:
    """Return the recipes of `WGBRegressorCV`, the likely ones first.

    `benchmarks/recipes.py` is the experiment behind them.

    Parameters
    ----------
    n : int
        Number of rows.
    smooth : bool, default=True
        Whether recipes may begin with a smooth start, which not every response can have.

    Returns
    -------
    dict of dict
        Parameters of `WGBRegressor` by the name of the recipe.

    Examples
    --------
    >>> from wgboost.selection import regressor_recipes
    >>> next(iter(regressor_recipes(500)))
    'smooth_each_16_evidence_3'
    """
    if n < FEW:
        specs = _few_rows(16, 32 if n < 1000 else 64)
    elif n < MANY:
        specs = _MORE_ROWS
    else:
        specs = _MANY_ROWS if n < 10 * MANY else _MOST_ROWS
    recipes: Recipes = {}
    for init, tree, leaves, evidence, rows in specs:
        start = init if smooth else "flow"
        recipes[f"{start}_{tree}_{leaves}_evidence_{evidence:g}"] = {
            **_TREES, "init": start, "tree": _KINDS[tree], "max_leaves": leaves,
            "evidence": float(evidence), "direction": _direction(evidence), "subsample": rows,
            "learning_rate": 0.05 if n < FEW and tree == "shared" else 0.1,
        }  # fmt: skip
    return recipes


def _direction(evidence: float) -> DiagonalNewton:
    return DiagonalNewton(Kernel("scaled" if evidence >= _SCALED else "gaussian"))


def classifier_recipes(n: int) -> Recipes:
    """Return the recipes of `WGBClassifierCV`, the likely ones first.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    dict of dict
        Parameters of `WGBClassifier` by the name of the recipe.

    Examples
    --------
    >>> from wgboost.selection import classifier_recipes
    >>> next(iter(classifier_recipes(500)))
    'each_16_evidence_10'
    """
    more, each = 1 if n < MANY else 4, "each" if n < 10 * MANY else "shared"
    specs: list[tuple[str, int, float, float, float]] = [
        (each, 16 * more, 10, 0.9, 0.3),
        ("shared", 24 * more, 10, 0.6, 0.1),
        ("shared", 4 * more, 10, 0.6, 0.1),
        (each, 31 * more, 1, 0.9, 0.15 if each == "each" else 0.1),
        ("shared", 16 * more, 30, 0.6, 0.1),
    ]
    return {
        f"{tree}_{leaves}_evidence_{evidence:g}": {
            **_TREES, **_CLASSES, "tree": _KINDS[tree], "max_leaves": leaves,
            "evidence": float(evidence), "subsample": rows, "learning_rate": rate,
        }
        for tree, leaves, evidence, rows, rate in specs
    }  # fmt: skip


def checked_recipes(given: Any, kind: type[Any]) -> Recipes:
    """Return recipes by name; raise unless they are parameters of this class of estimators."""
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
            if parameter not in valid:
                place = place_of(parameter, valid)
                suggestion = f"; {place}" if place else nearest_name(parameter, valid)
                raise ValueError(
                    f"recipe {name!r}: {kind.__name__} has no parameter {parameter!r}{suggestion}"
                )
            if parameter in _OWN:
                raise ValueError(f"recipe {name!r} sets {parameter!r}: {_OWN[parameter]}")
    return {name: dict(parameters) for name, parameters in given.items()}
