"""The expected costs of actions where y is a class and costs are a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["expected_costs"]


def expected_costs(dist: Mixture, costs: Any, actions: Any = None) -> tuple[Array, Array]:
    """Return the actions (a,) and the expected cost (n, a) of each of them.

    Parameters
    ----------
    dist : Mixture
        Distributions of classes.
    costs : array-like of shape (k, a), or pandas frame
        The cost of action j when the class is i. Rows are in the order of the classes, as in
        scikit-learn's confusion_matrix; a frame has the classes as its index, in any order, and
        the actions as its columns.
    actions : array-like of shape (a,), optional
        What the columns stand for; by default the columns of a frame, or the classes.
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
    shares = dist.probabilities()
    labels = np.arange(shares.shape[1]) if dist.classes is None else dist.classes
    shares = shares[:, : len(labels)]
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
                "classes: name the actions that its columns stand for, actions=[...]"
            )
        actions = labels
    actions = np.asarray(actions)
    if actions.shape != (matrix.shape[1],):
        raise ValueError(
            f"actions have shape {actions.shape}, the matrix of costs {matrix.shape[1]} columns"
        )
    expected: Array = shares @ matrix
    return actions, expected


def _by_label(costs: Any, labels: Array, actions: Any) -> tuple[Any, Any]:
    """Return a frame's costs in the order of the classes, and what its columns are called."""
    names = list(costs.index)
    missing = [one for one in labels.tolist() if one not in names]
    if missing or len(names) != len(labels):
        raise ValueError(
            f"the index of the costs is {names}; each of the classes {labels.tolist()} once is "
            "needed"
        )
    chosen = costs.iloc[[names.index(one) for one in labels.tolist()]]
    return chosen, list(costs.columns) if actions is None else actions
