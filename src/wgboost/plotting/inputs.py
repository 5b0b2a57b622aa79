"""What the pictures are given: distributions with y, chosen rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.data import named_columns
from wgboost.metrics.checks import checked
from wgboost.metrics.estimates import encoded, final_step, predict_dist
from wgboost.metrics.row_parameters import scored_rows, target_name, without_row_columns
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses import is_censored
from wgboost.typing import Array

__all__ = [
    "beside_rows",
    "check_numeric",
    "class_names",
    "code_of",
    "distributions",
    "effective_rows",
    "fitted",
    "given_rows",
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


def distributions(estimator: Any, X: Any, *, n_rounds: int | None = None, **beside: Any) -> Mixture:
    """Return the predictive distributions of rows in memory, classes as codes.

    `beside` is what belongs to rows, such as an offset or exposure; None is left out.
    """
    fitted(estimator)
    known = {name: value for name, value in beside.items() if value is not None}
    if n_rounds is not None:
        known["n_rounds"] = n_rounds
    dist: Any = predict_dist(estimator, X, **known)
    if not isinstance(dist, Mixture):
        kind = type(X)
        raise TypeError(
            f"X is a {kind.__module__.split('.')[0]} {kind.__name__}, whose predictions are made "
            "later; give rows in memory: X.compute()"
        )
    return dist.by_code()


def given_rows(estimator: Any, X: Any, y: Any, **beside: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Return X, y and what belongs to the rows; all but X may be names of columns of X.

    Raises ValueError if y is given and an offset or exposure is not that the model was fitted
    with: they could not be compared.
    """
    last = fitted(estimator)
    if y is not None:
        return scored_rows(last, X, y, **beside)
    X, known, _ = named_columns(X, beside)
    return without_row_columns(last, X), None, known


def predicted(estimator: Any, X: Any, y: Any, **beside: Any) -> tuple[Mixture, Any]:
    """Return the distributions of the rows of X, and y as metrics take it."""
    X, y, beside = given_rows(estimator, X, y, **beside)
    dist, codes = distributions(estimator, X, **beside), encoded(estimator, y)
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


def beside_rows(beside: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Return what belongs to some of the rows, by index; numbers belong to all rows."""
    return {
        name: value if value is None or np.ndim(value) == 0 else np.asarray(value)[rows]
        for name, value in beside.items()
    }


def effective_rows(weight: Array) -> float:
    """Return how many rows of equal weight these are worth."""
    return float(weight.sum() ** 2 / np.square(weight).sum())


def name_of(y: Any, given: str | None = None, estimator: Any = None) -> str:
    """Return what y is called: the name given, that of a series, or of the column of `fit`."""
    known = () if estimator is None else (target_name(estimator),)
    for name in (given, y, getattr(y, "name", None), *known):
        if isinstance(name, str) and name:
            return str(name)
    return "y"
