"""What the pictures are given: distributions with y, chosen rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.metrics.checks import checked
from wgboost.metrics.estimates import encoded, final_step, predict_dist
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses import is_censored
from wgboost.typing import Array

__all__ = [
    "check_numeric",
    "class_names",
    "code_of",
    "effective_rows",
    "fitted",
    "name_of",
    "one_column",
    "predicted",
    "rows_of",
]


def fitted(estimator: Any, method: str = "predict_dist") -> Any:
    """Return the estimator, the last step of a pipeline; raise unless it is fitted."""
    last = final_step(estimator, method)
    check_is_fitted(last)
    return last


def predicted(estimator: Any, X: Any, y: Any) -> tuple[Mixture, Any]:
    """Return the distributions of the rows of X, and y, classes as codes."""
    fitted(estimator)
    dist, codes = predict_dist(estimator, X).by_code(), encoded(estimator, y)
    if len(codes) != len(dist):
        raise ValueError(f"X has {len(dist)} rows, y has {len(codes)}")
    return dist, codes


def one_column(dist: Mixture, y: Any, column: int | None) -> tuple[Mixture, Any]:
    """Return the distributions and values of one column of y; y=None stays None."""
    if isinstance(dist, JointMixture):
        (q,) = dist.response.y_shape
        if column is None:
            raise ValueError(f"y has {q} columns; say which to show: column=0, for example")
        return dist.marginal(column), None if y is None else checked(dist, y)[:, column]
    if column is not None:
        raise ValueError(f"column={column!r} is for a y of several columns; this one has one")
    if y is None:
        if not isinstance(dist, Mixture):
            raise TypeError(f"dist={dist!r} must be a predictive distribution, as of predict_dist")
        return dist.by_code(), None
    codes = checked(dist, y)
    return dist.by_code(), codes


def check_numeric(dist: Mixture, y: Any, what: str, instead: str) -> None:
    """Raise ValueError if y consists of classes, or is known between bounds only."""
    if dist.response.nominal:
        raise ValueError(f"{what} needs a y with an order; for classes: {instead}")
    if is_censored(y):
        raise ValueError(
            f"{what} needs known values of y, and some are known between bounds only; "
            "CalibrationDisplay takes bounds"
        )


def class_names(estimator: Any, k: int) -> list[str]:
    """Return the labels of the classes as text; codes where nobody knows better."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != k:
        return [str(code) for code in range(k)]
    return [str(label) for label in classes]


def code_of(estimator: Any, label: Any) -> int | None:
    """Return the code of a label of a classifier; None stays None."""
    if label is None:
        return None
    classes = getattr(final_step(estimator), "classes_", None)
    if classes is None:
        raise ValueError(f"label={label!r} is for classes; this model predicts numbers")
    found = np.flatnonzero(classes == label)
    if found.size == 0:
        raise ValueError(f"label={label!r} must be one of {classes.tolist()}")
    return int(found[0])


def rows_of(rows: Any, n: int, most: int) -> Array:
    """Return indices of at most `most` chosen rows; None takes some spread over all."""
    if rows is None:
        return np.unique(np.linspace(0, n - 1, min(n, 4)).astype(int))
    chosen = np.atleast_1d(np.asarray(rows))
    if chosen.dtype.kind == "b":
        if chosen.shape != (n,):
            raise ValueError(f"rows is a mask of {chosen.size}, X has {n} rows")
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.size == 0:
        raise TypeError(f"rows={rows!r} must be a list of row numbers")
    if chosen.size > most:
        raise ValueError(f"rows has {chosen.size} entries; at most {most} can be told apart")
    outside = (chosen < -n) | (chosen >= n)
    if outside.any():
        raise ValueError(f"rows has {chosen[outside][0]}; there are {n} rows, 0 to {n - 1}")
    index: Array = np.arange(n)[chosen]
    return index


def effective_rows(weight: Array) -> float:
    """Return how many rows of equal weight these are worth."""
    return float(weight.sum() ** 2 / np.square(weight).sum())


def name_of(y: Any, default: str = "y") -> str:
    """Return the name that a series has."""
    name = getattr(y, "name", None)
    return str(name) if isinstance(name, str) and name else default
