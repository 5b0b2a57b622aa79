"""Find the model inside of scikit-learn's wrappers, and its distributions in units of y."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
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


def unwrap(estimator: BaseEstimator, X: Any = None) -> tuple[Any, Any, list[Any]]:
    """Find the model inside of pipelines, searches and transformed targets.

    Parameters
    ----------
    estimator : BaseEstimator
        A model, or one inside of `Pipeline`, `GridSearchCV` and other searches, and
        `TransformedTargetRegressor`, in any order.
    X : array-like or data frame of shape (n, p), optional
        Rows as the estimator takes them.

    Returns
    -------
    model : BaseEstimator
        The model.
    X : array or data frame
        The rows as the model takes them; None if there were none.
    transformers : list
        The transformers of y, the outermost first.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wgboost import WGBRegressor
    >>> model, _, _ = unwrap(make_pipeline(StandardScaler(), WGBRegressor()))
    >>> type(model).__name__
    'WGBRegressor'
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

    Parameters
    ----------
    estimator : BaseEstimator
        A model, a pipeline or a search.
    method : str, default="predict_dist"
        A method that the model has to have.

    Returns
    -------
    BaseEstimator

    Raises
    ------
    TypeError
        If the model lacks the method, is a class, or is inside of a TransformedTargetRegressor.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from wgboost import WGBRegressor
    >>> final_estimator(make_pipeline(WGBRegressor(n_estimators=5))).n_estimators
    5
    """
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


def transform_features(estimator: BaseEstimator, X: Any) -> Any:
    """Return X as the model of a pipeline or a search takes it.

    Parameters
    ----------
    estimator : BaseEstimator
        A model, a pipeline or a search.
    X : array-like or data frame of shape (n, p)
        Rows as the estimator takes them.

    Returns
    -------
    array or data frame

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> transform_features(WGBRegressor(), [[1.0]])
    [[1.0]]
    """
    return unwrap(estimator, X)[1]


def predict_dist(estimator: BaseEstimator, X: Any, **given: Any) -> Mixture:
    """Return the predictive distributions of rows through scikit-learn's wrappers.

    Parameters
    ----------
    estimator
        A fitted model of this package, or one inside of `Pipeline`, `GridSearchCV` and other
        searches, and `TransformedTargetRegressor`, in any order.
    X : array-like or data frame of shape (n, p)
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
    """Return distributions of a transformed y as distributions of y.

    Parameters
    ----------
    dist : Mixture
        The distributions of the transformed y.
    transformers : list
        The transformers of y, the outermost first, as `unwrap` returns them.

    Returns
    -------
    Mixture

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wgboost import Mixture, Normal
    >>> scaler = StandardScaler().fit([[0.0], [4.0]])
    >>> inverse_transform_dist(Mixture(Normal(), [[[0.0, 0.0]]]), [scaler]).mean()
    array([2.])
    """
    for transformer in reversed(transformers):
        dist = inverse_transformed(dist, transformer)
    return dist


def encode_y(estimator: BaseEstimator, y: Any) -> Any:
    """Return the labels of a classifier as codes, and other y as it is.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted model, pipeline or search.
    y : array-like of shape (n,)
        The labels or numbers.

    Returns
    -------
    array-like of shape (n,)

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> encode_y(WGBRegressor(), [1.5])
    [1.5]
    """
    classes = getattr(final_estimator(estimator), "classes_", None)
    if classes is None:
        return y
    return encode_labels(classes, y)
