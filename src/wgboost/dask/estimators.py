"""The estimators of the package, for Dask arrays and frames."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from wgboost import estimators
from wgboost.dask.distributions import Distributions, lazily
from wgboost.dask.fitting import Distributed
from wgboost.dask.library import is_collection
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor"]


def _defaulting(init: Any, **defaults: Any) -> Any:
    """Return an `__init__` of the same signature with other defaults."""
    made = FunctionType(init.__code__, init.__globals__, init.__name__, None, init.__closure__)
    made.__kwdefaults__ = {**init.__kwdefaults__, **defaults}
    made.__annotations__, made.__qualname__ = init.__annotations__, init.__qualname__
    return made


class _Lazy(Distributed):
    """Predictions of Dask collections are made when they are computed, of others at once."""

    def predict_dist(self, X: Any, **given: Any) -> Any:
        """Return the predictive distributions: of a Dask collection as `Distributions`."""
        dist = super().predict_dist
        if not is_collection(X):
            return dist(X, **given)
        _refuse_rows(given)
        return Distributions(lambda part: dist(part, **given), X)

    def predict(self, X: Any, **given: Any) -> Any:
        """Return predictions as the ordinary estimator has them, of a collection lazily."""
        predict: Any = super().predict
        if not is_collection(X):
            return predict(X, **given)
        _refuse_rows(given)
        kind, columns = self._predicted()
        return lazily(lambda part: predict(part, **given), X, columns, kind)

    def _predicted(self) -> tuple[Any, tuple[int, ...]]:
        """The dtype of predictions, and their columns."""
        columns = getattr(self, "n_outputs_", 1)
        return np.dtype(np.float64), (columns,) if columns > 1 else ()


class WGBRegressor(_Lazy, estimators.WGBRegressor):
    """`wgboost.WGBRegressor` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBRegressor`; engine is "xgboost".
    `fit` says more.
    """

    __init__ = _defaulting(estimators.WGBRegressor.__init__, engine="xgboost")


class WGBClassifier(_Lazy, estimators.WGBClassifier):
    """`wgboost.WGBClassifier` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBClassifier`; engine is
    "xgboost". `fit` says more.
    """

    __init__ = _defaulting(estimators.WGBClassifier.__init__, engine="xgboost")

    def predict_proba(self, X: Any, **given: Any) -> Any:
        """Return class probabilities (n, classes), of a collection lazily."""
        proba = super().predict_proba
        if not is_collection(X):
            return proba(X, **given)
        _refuse_rows(given)
        columns = (len(self.classes_),)
        return lazily(lambda part: proba(part, **given), X, columns, np.dtype(np.float64))

    def _predicted(self) -> tuple[Any, tuple[int, ...]]:
        labels: Array = self.classes_
        return labels.dtype, ()


def _refuse_rows(given: dict[str, Any]) -> None:
    """Raise for values that belong to rows which are in partitions."""
    for name, value in given.items():
        if np.ndim(value) or is_collection(value):
            raise TypeError(
                f"{name} has a value for each row, and X is in partitions: predict partition by "
                f"partition, X.map_partitions or X.map_blocks, or give a number for {name}"
            )
