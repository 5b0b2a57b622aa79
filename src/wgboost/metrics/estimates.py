"""What an estimator predicts, and y, in the terms of metrics."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from wgboost.predictive import Mixture
from wgboost.predictive.labels import codes_of

__all__ = ["distribution_of", "encoded", "final_step", "transformed"]


def final_step(estimator: Any, method: str = "predict_dist") -> Any:
    """Return the estimator, the last step of a pipeline; raise if it lacks a method."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if isinstance(last, type):
        raise TypeError(f"estimator={last.__name__} is a class; give a fitted {last.__name__}()")
    if not hasattr(last, method):
        raise TypeError(
            f"estimator={last!r} has no {method}; give a fitted WGBRegressor or WGBClassifier, or "
            "a pipeline that ends with one"
        )
    return last


def transformed(estimator: Any, X: Any) -> Any:
    """Return X as the last step of a pipeline sees it; of any other estimator as it is."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X


def distribution_of(estimator: Any, X: Any, **beside: Any) -> Mixture:
    """Return the predictive distributions of the rows of X, also from a pipeline.

    `beside` are further arguments of `predict_dist`, such as an offset.
    """
    last = final_step(estimator)
    dist: Mixture = last.predict_dist(transformed(estimator, X), **beside)
    return dist


def encoded(estimator: Any, y: Any) -> Any:
    """Return y in numbers: labels of a classifier as codes, the rest as it is."""
    classes = getattr(final_step(estimator), "classes_", None)
    if classes is None:
        return y
    return codes_of(classes, y)
