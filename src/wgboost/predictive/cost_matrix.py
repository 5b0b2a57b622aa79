"""Expected costs of actions for classes, from a cost matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["expected_costs"]


def expected_costs(dist: Mixture, costs: Any, actions: Any = None) -> tuple[Array, Array]:
    """Return the actions (a,) and the expected cost (n, a) of each of them.

    ``costs[i, j]`` is the cost of action j when the class is i, in the order of the classes. A data
    frame has the classes as its index, in any order, and the actions as its columns. Otherwise
    `actions` are by default the classes.
    """
    if isinstance(costs, (str, dict)):
        raise TypeError(
            f"{costs!r} must be a function of (action, theta), a function of (action, y) with "
            'over="y", or a matrix of costs (classes, actions)'
        )
    if not dist.response.nominal:
        raise TypeError(
            "a matrix of costs is for classes; for numbers give a function of (action, y) and "
            'over="y", or of (action, theta)'
        )
    probabilities = dist.probabilities()
    labels = np.arange(probabilities.shape[1]) if dist.classes is None else dist.classes
    probabilities = probabilities[:, : len(labels)]
    if hasattr(costs, "columns") and hasattr(costs, "index"):
        costs, actions = _by_label(costs, labels, actions)
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the matrix of costs is not numeric: {error}") from error
    if matrix.ndim != 2 or len(matrix) != len(labels) or matrix.shape[1] == 0:
        raise ValueError(
            f"the matrix of costs has shape {matrix.shape}; a row for each of the {len(labels)} "
            "classes and a column for each action is needed"
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"the cost in row {row}, column {column} is {matrix[row, column]}")
    if actions is None:
        if matrix.shape[1] != len(labels):
            raise ValueError(
                f"the matrix of costs has {matrix.shape[1]} columns and there are {len(labels)} "
                "classes: name the actions of its columns, actions=[...]"
            )
        actions = labels
    actions = np.asarray(actions)
    if actions.shape != (matrix.shape[1],):
        raise ValueError(
            f"actions have shape {actions.shape}, the matrix of costs {matrix.shape[1]} columns"
        )
    expected: Array = probabilities @ matrix
    return actions, expected


def _by_label(costs: Any, labels: Array, actions: Any) -> tuple[Any, Any]:
    """Return the costs of a frame in the order of the classes, and the actions."""
    names = list(costs.index)
    missing = [one for one in labels.tolist() if one not in names]
    if missing or len(names) != len(labels):
        raise ValueError(
            f"the index of the costs is {names}; it must have each of the classes "
            f"{labels.tolist()} once"
        )
    chosen = costs.iloc[[names.index(one) for one in labels.tolist()]]
    return chosen, list(costs.columns) if actions is None else actions
