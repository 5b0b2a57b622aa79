"""What an estimator predicts, and y, in the terms of metrics."""

from __future__ import annotations

from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wgboost.predictive import Mixture
from wgboost.predictive.labels import encode_labels
from wgboost.predictive.transformed import inverse_transformed
from wgboost.validation import AttributeHints

__all__ = [
    "encode_y",
    "final_estimator",
    "inverse_transform_dist",
    "predict_dist",
    "transform_features",
    "unwrap",
]


def unwrap(estimator: Any, X: Any = None) -> tuple[Any, Any, list[Any]]:
    """Return the model inside of pipelines, searches and transformed targets.

    With it X as the model sees it, and the transformers of y from the outermost to the innermost.
    X=None stays None.
    """
    transformers: list[Any] = []
    while True:
        if isinstance(estimator, Pipeline):
            if X is not None and len(estimator.steps) > 1:
                X = estimator[:-1].transform(X)
            estimator = estimator.steps[-1][1]
        elif isinstance(estimator, BaseSearchCV):
            check_is_fitted(estimator, "best_estimator_")
            estimator = estimator.best_estimator_
        elif isinstance(estimator, TransformedTargetRegressor):
            check_is_fitted(estimator)
            transformers.append(estimator.transformer_)
            estimator = estimator.regressor_
        else:
            return estimator, X, transformers


def final_estimator(estimator: Any, method: str = "predict_dist") -> Any:
    """Return the model of a pipeline or a search; raise if it lacks a method."""
    last, _, transformers = unwrap(estimator)
    if isinstance(last, type):
        raise TypeError(f"estimator={last.__name__} is a class; give a fitted {last.__name__}()")
    if transformers:
        raise TypeError(
            "a TransformedTargetRegressor has no particles in units of y; "
            "wgboost.predict_dist(estimator, X) has its distributions, for from_predictions"
        )
    return _with(last, method)


def _with(last: Any, method: str) -> Any:
    if not hasattr(last, method):
        known = last._hints if isinstance(last, AttributeHints) else {}
        usual = "give a fitted WGBRegressor or WGBClassifier, or a pipeline that ends with one"
        raise TypeError(f"{type(last).__name__} has no {method}; {known.get(method, usual)}")
    return last


def transform_features(estimator: Any, X: Any) -> Any:
    """Return X as the model of a pipeline or a search sees it."""
    return unwrap(estimator, X)[1]


def predict_dist(estimator: Any, X: Any, **given: Any) -> Mixture:
    """Return the predictive distributions of rows through scikit-learn's wrappers.

    Parameters
    ----------
    estimator
        A fitted model of this package, or one inside of `Pipeline`, `GridSearchCV` and other
        searches, and `TransformedTargetRegressor`, in any order.
    X : array or frame (n, p)
        Rows as the estimator takes them.
    **given
        Further arguments of the model's `predict_dist`, such as `offset`.

    Returns
    -------
    Mixture
        In the units of y that the estimator was fitted to: a transformed target is transformed
        back.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.compose import TransformedTargetRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wgboost import WGBRegressor, predict_dist
    >>> X = np.linspace(0, 1, 40)[:, None]
    >>> model = TransformedTargetRegressor(
    ...     make_pipeline(StandardScaler(), WGBRegressor(n_estimators=20, evidence=10)),
    ...     func=np.log, inverse_func=np.exp,
    ... ).fit(X, np.exp(X[:, 0]))
    >>> low, high = predict_dist(model, X).interval(0.9)
    >>> bool((low > 0).all())
    True
    """
    last, seen, transformers = unwrap(estimator, X)
    if isinstance(last, type):
        final_estimator(last)
    dist: Mixture = _with(last, "predict_dist").predict_dist(seen, **given)
    return inverse_transform_dist(dist, transformers)


def inverse_transform_dist(dist: Mixture, transformers: list[Any]) -> Mixture:
    """Return distributions of a transformed y, as those of y; see `unwrap`."""
    for transformer in reversed(transformers):
        dist = inverse_transformed(dist, transformer)
    return dist


def encode_y(estimator: Any, y: Any) -> Any:
    """Return y in numbers: labels of a classifier as codes, the rest as it is."""
    classes = getattr(final_estimator(estimator), "classes_", None)
    if classes is None:
        return y
    return encode_labels(classes, y)
