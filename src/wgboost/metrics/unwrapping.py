"""The model inside of scikit-learn's wrappers, and its distributions in units of y."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, is_classifier
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
    "model_with",
    "predict_dist",
    "transform_features",
    "unwrap",
]


def unwrap(estimator: BaseEstimator, X: Any = None) -> tuple[Any, Any, list[Any]]:
    """Return the model inside of pipelines, searches and transformed targets.

    Also returned are X as the model takes it, and the transformers of y, the outermost first.
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


def final_estimator(estimator: BaseEstimator, method: str = "predict_dist") -> Any:
    """Return the model of a pipeline or a search.

    Raises TypeError if the model lacks the method, is a class, or is inside of a
    TransformedTargetRegressor.
    """
    last, _, transformers = unwrap(estimator)
    if transformers:
        raise TypeError(
            "a TransformedTargetRegressor has no particles in units of y; "
            "wgboost.predict_dist(estimator, X) has its distributions, for from_predictions"
        )
    return model_with(last, method)


def model_with(last: Any, method: str) -> Any:
    """Return a model; raise TypeError if it lacks the method, or is a class."""
    if isinstance(last, type):
        raise TypeError(f"estimator={last.__name__} is a class; give a fitted {last.__name__}()")
    if not hasattr(last, method):
        known = last._hints if isinstance(last, AttributeHints) else {}
        usual = "give a fitted WGBRegressor or WGBClassifier, or a pipeline that ends with one"
        raise TypeError(f"{type(last).__name__} has no {method}; {known.get(method, usual)}")
    return last


def transform_features(estimator: BaseEstimator, X: Any) -> Any:
    """Return X as the model of a pipeline or a search takes it."""
    return unwrap(estimator, X)[1]


def predict_dist(estimator: BaseEstimator, X: Any, **params: Any) -> Mixture:
    """Predict distributions with a model that may be inside of scikit-learn's wrappers.

    Parameters
    ----------
    estimator : estimator
        A fitted model of this package, or one inside of `Pipeline`, `GridSearchCV` and other
        searches, and `TransformedTargetRegressor`, in any order.
    X : array-like or data frame of shape (n, p)
        Features.
    **params : Any
        Further parameters of `predict_dist` of the model, such as `offset`.

    Returns
    -------
    Mixture
        Distributions in the units of y that the estimator was fitted to.

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
    last, X, transformers = unwrap(estimator, X)
    dist: Mixture = model_with(last, "predict_dist").predict_dist(X, **params)
    return inverse_transform_dist(dist, transformers)


def inverse_transform_dist(dist: Mixture, transformers: list[Any]) -> Mixture:
    """Return distributions of a transformed y as distributions of y; see `unwrap`."""
    for transformer in reversed(transformers):
        dist = inverse_transformed(dist, transformer)
    return dist


def encode_y(estimator: BaseEstimator, y: Any) -> Any:
    """Return the labels of a classifier as codes, and other y unchanged."""
    model = final_estimator(estimator)
    return encode_labels(model.classes_, y) if is_classifier(model) else y
