"""Inputs of the displays: estimators, predictive distributions with y, selected rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wgboost.data.naming import named_columns
from wgboost.estimators import WGBoost
from wgboost.estimators.base import BaseModel
from wgboost.metrics.checks import check_y_for
from wgboost.metrics.metadata import drop_metadata_columns, score_metadata, target_column
from wgboost.metrics.unwrapping import encode_y, final_estimator, predict_dist
from wgboost.plotting.feature_table import FeatureTable
from wgboost.predictive import JointMixture, Mixture
from wgboost.responses.censoring import is_censored
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = [
    "FittedEstimator",
    "check_distributions",
    "check_lengths",
    "check_numeric",
    "class_code",
    "class_labels",
    "class_names",
    "display_name",
    "feature_table",
    "fitted_estimator",
    "observations",
    "predict_with_y",
    "predictive_distributions",
    "resolve_rows",
    "select_column",
    "select_rows",
    "take_row_parameters",
]

FittedEstimator: TypeAlias = BaseModel | WGBoost
"""A fitted estimator of this package; `model_` is its fitted model."""


def fitted_estimator(
    estimator: BaseEstimator, method: str = "predict_dist", attribute: str | None = None
) -> FittedEstimator:
    """Return the fitted estimator of this package that a pipeline or a search ends with.

    It raises TypeError if the estimator lacks the method or is not of this package, and
    NotFittedError before `fit`. The message for another estimator names the fitted `attribute` that
    it lacks.
    """
    last = final_estimator(estimator, method)
    check_is_fitted(last)
    if not isinstance(last, (BaseModel, WGBoost)):
        if attribute is not None:
            final_estimator(last, attribute)
        raise TypeError(
            f"{type(last).__name__} is not an estimator of wgboost; use from_predictions with "
            "predictive distributions"
        )
    return last


def class_labels(estimator: FittedEstimator) -> Array | None:
    """Return the labels of a classifier, None for other estimators."""
    return estimator.model_.models[0].classes


def feature_table(estimator: BaseEstimator, X: Any, feature_names: Any = None) -> FeatureTable:
    """Return X with the names given, those of `fit`, or numbers."""
    known = getattr(estimator, "feature_names_in_", None)  # of a pipeline, too
    return FeatureTable(X, known if feature_names is None else feature_names)


def predictive_distributions(
    estimator: BaseEstimator, X: Any, *, n_rounds: int | None = None, **row_params: Any
) -> Mixture:
    """Return the predictive distributions of rows in memory, classes as codes.

    `row_params` are parameters of rows, such as an offset or exposure; None is left out.
    """
    fitted_estimator(estimator)
    known = {name: value for name, value in row_params.items() if value is not None}
    if n_rounds is not None:
        known["n_rounds"] = n_rounds
    dist: Any = predict_dist(estimator, X, **known)
    if not isinstance(dist, Mixture):
        kind = type(X)
        raise TypeError(
            f"X is a {kind.__module__.split('.')[0]} {kind.__name__}, whose predictions are lazy; "
            "give rows in memory: X.compute()"
        )
    return dist.without_labels()


def resolve_rows(
    estimator: BaseEstimator, X: Any, y: Any, **row_params: Any
) -> tuple[Any, Any, dict[str, Any]]:
    """Return X, y and the parameters of the rows; all but X may be names of columns of X.

    It raises ValueError if y is given without the offset or exposure that the model was fitted
    with: predictions and y would be on different scales.
    """
    last = fitted_estimator(estimator)
    if y is not None:
        return score_metadata(last, X, y, **row_params)
    X, known, _ = named_columns(X, row_params)
    return drop_metadata_columns(last, X), None, known


def check_lengths(n_rows: int, n_values: int) -> None:
    """Raise ValueError if X and y have different numbers of rows."""
    if n_values != n_rows:
        raise ValueError(f"X has {n_rows} rows, y has {n_values}")


def predict_with_y(
    estimator: BaseEstimator, X: Any, y: Any, **row_params: Any
) -> tuple[Mixture, Any]:
    """Return the distributions of the rows of X, and y as metrics take it."""
    X, y, row_params = resolve_rows(estimator, X, y, **row_params)
    dist, codes = predictive_distributions(estimator, X, **row_params), encode_y(estimator, y)
    check_lengths(len(dist), len(codes))
    return dist, codes


def select_column(dist: Mixture, y: Any, column: int | None) -> tuple[Mixture, Any]:
    """Return the distributions and values of one column of y; y=None stays None."""
    if isinstance(dist, JointMixture):
        (q,) = dist.response.y_shape
        if column is None:
            raise ValueError(f"y has {q} columns; choose one of them, such as column=0")
        return dist.marginal(column), None if y is None else check_y_for(dist, y)[:, column]
    if column is not None:
        raise ValueError(f"column={column!r} is for a y of several columns; this one has one")
    check_distributions(dist)
    return dist.without_labels(), None if y is None else check_y_for(dist, y)


def check_distributions(dist: Any) -> None:
    """Raise TypeError unless `dist` is a predictive distribution."""
    if not isinstance(dist, Mixture):
        raise TypeError(
            f"dist={dist!r} must be a predictive distribution, as predict_dist returns it"
        )


def check_numeric(dist: Mixture, y: Any, what: str, instead: str) -> None:
    """Raise ValueError if y consists of classes, or is known only between bounds."""
    if dist.response.nominal:
        raise ValueError(f"{what} needs a y with an order; for classes: {instead}")
    if is_censored(y):
        raise ValueError(
            f"{what} needs known values of y, but some are known only between bounds; "
            "CalibrationDisplay takes bounds"
        )


def observations(y: Any) -> Observations:
    """Return observed values, possibly censored, with their bounds."""
    return Observations.of(y if is_censored(y) else np.asarray(y, dtype=np.float64))


def class_names(classes: Any, k: int) -> list[str]:
    """Return the labels of k classes as text, or their codes where the labels are not known."""
    if classes is None or len(classes) != k:
        return [str(code) for code in range(k)]
    return [str(label) for label in classes]


def class_code(estimator: BaseEstimator, label: Any) -> int | None:
    """Return the code of a label of a classifier; None stays None."""
    if label is None:
        return None
    classes = class_labels(fitted_estimator(estimator))
    if classes is None:
        raise ValueError(f"label={label!r} is for classes; this model predicts numbers")
    found = np.flatnonzero(classes == label)
    if found.size == 0:
        raise ValueError(f"label={label!r} must be one of {classes.tolist()}")
    return int(found[0])


def select_rows(rows: Any, n: int, most: int) -> Array:
    """Return the indices of at most `most` rows; None selects four evenly spaced ones."""
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
        raise ValueError(f"rows has {chosen.size} entries; at most {most} can be distinguished")
    outside = (chosen < -n) | (chosen >= n)
    if outside.any():
        raise ValueError(f"rows has {chosen[outside][0]}; there are {n} rows, 0 to {n - 1}")
    index: Array = np.arange(n)[chosen]
    return index


def take_row_parameters(row_params: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Return the parameters of some rows, by index; a single number applies to all rows."""
    return {
        name: value if value is None or np.ndim(value) == 0 else np.asarray(value)[rows]
        for name, value in row_params.items()
    }


def display_name(y: Any, given: str | None = None, estimator: FittedEstimator | None = None) -> str:
    """Return the name of y: the one given, that of a series, or of the column of `fit`."""
    known = () if estimator is None else (target_column(estimator),)
    for name in (given, y, getattr(y, "name", None), *known):
        if isinstance(name, str) and name:
            return str(name)
    return "y"
