"""The estimators of the package, for Dask arrays and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost import estimators
from wgboost.cluster import defaulting
from wgboost.dask.distributions import Distributions, lazily
from wgboost.dask.fitting import DaskDistributed
from wgboost.dask.library import is_collection
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor"]


class _Lazy(DaskDistributed):
    """Predictions of Dask collections are made when they are computed, of others at once."""

    def predict_dist(self, X: Any, **given: Any) -> Any:
        """Return the predictive distributions: of a Dask collection as `Distributions`."""
        if not is_collection(X):
            return super().predict_dist(X, **given)
        _refuse_rows(given)
        return Distributions(lambda model, part: model.predict_dist(part, **given), self, X)

    def predict(self, X: Any, **given: Any) -> Any:
        """Return predictions as the ordinary estimator has them, of a collection lazily."""
        if not is_collection(X):
            predict: Any = super().predict
            return predict(X, **given)
        return self._each("predict", X, *self._predicted(), given)

    def ood_score(self, X: Any, method: str | None = None) -> Any:
        """Return how far rows are from the training data (n,), of a collection lazily."""
        if not is_collection(X):
            return super().ood_score(X, method)
        return self._each("ood_score", X, np.dtype(np.float64), (), method=method)

    def _predicted(self) -> tuple[Any, tuple[int, ...]]:
        """The dtype of predictions, and their columns."""
        columns = getattr(self, "n_outputs_", 1)
        return np.dtype(np.float64), (columns,) if columns > 1 else ()

    def _each(
        self, name: str, X: Any, kind: Any, columns: tuple[int, ...], given: Any = None, /,
        **settings: Any,
    ) -> Any:  # fmt: skip
        """Return what a method answers for every partition; `given` may belong to rows."""
        _refuse_rows(given or {})
        settings |= given or {}
        return lazily(
            lambda model, part: getattr(model, name)(part, **settings), self, X, columns, kind
        )


class WGBRegressor(_Lazy, estimators.WGBRegressor):
    """`wgboost.WGBRegressor` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBRegressor`; engine is "xgboost".
    `fit` says more.
    """

    __init__ = defaulting(estimators.WGBRegressor.__init__, engine="xgboost")

    def predict_quantiles(self, X: Any, alpha: Any = (0.05, 0.5, 0.95), **given: Any) -> Any:
        """Return quantiles (n, len(alpha)), of a collection lazily."""
        if not is_collection(X):
            return super().predict_quantiles(X, alpha, **given)
        columns = (np.atleast_1d(alpha).size,)
        return self._each("predict_quantiles", X, np.dtype(np.float64), columns, given, alpha=alpha)

    def predict_interval(self, X: Any, confidence: float = 0.9, **given: Any) -> Any:
        """Return central intervals (n, 2), of a collection lazily."""
        if not is_collection(X):
            return super().predict_interval(X, confidence, **given)
        return self._each(
            "predict_interval", X, np.dtype(np.float64), (2,), given, confidence=confidence
        )


class WGBClassifier(_Lazy, estimators.WGBClassifier):
    """`wgboost.WGBClassifier` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBClassifier`; engine is
    "xgboost". `fit` says more.
    """

    __init__ = defaulting(estimators.WGBClassifier.__init__, engine="xgboost")

    def predict_proba(self, X: Any, **given: Any) -> Any:
        """Return class probabilities (n, classes), of a collection lazily."""
        if not is_collection(X):
            return super().predict_proba(X, **given)
        columns = (len(self.classes_),)
        return self._each("predict_proba", X, np.dtype(np.float64), columns, given)

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
