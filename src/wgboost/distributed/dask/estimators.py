"""The estimators of the package, for Dask arrays and frames."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from wgboost import estimators
from wgboost.distributed.dask.distributions import Distributions, lazily
from wgboost.distributed.dask.fitting import dask_fit, refuse_collection
from wgboost.distributed.dask.library import is_collection
from wgboost.distributed.defaults import with_defaults
from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base import BaseModel
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor", "by_partition", "refuse_rows"]


class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBRegressor`; engine is "xgboost".
    `fit` says more.
    """

    __init__ = with_defaults(estimators.WGBRegressor.__init__, engine="xgboost")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, worker_timeout: float = 60.0,
        tracker_host: str | None = None, **given: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers that hold the partitions of X.

        Parameters
        ----------
        X : Dask array (n, p) or frame
            Of numbers. Its partitions are computed and kept on the workers while fitting.
        y, sample_weight
            Dask arrays or series with the partitions of X, or n values in memory, or names of
            columns of X, which are then no features. They are gathered: 8 bytes a row and each on
            the client.
        client : dask.distributed.Client, optional
            By default the one there is.
        max_retries : int
            How often to go on after workers were lost.
        checkpoint_every : int
            Rounds after which workers hand the model so far to the client, from where a fit goes
            on after a loss. With callbacks, every round.
        worker_timeout : float
            Seconds to wait for new workers in place of lost ones.
        tracker_host : str, optional
            The address of the client's machine under which workers find each other.
        **given
            What else `fit` of the ordinary estimator takes, row by row as y. X_val is a Dask
            collection too. Callbacks run on the client; what they are given has no "particles".
        """
        job = dask_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **given}, client=client,
            max_retries=max_retries, checkpoint_every=checkpoint_every,
            worker_timeout=worker_timeout, tracker_host=tracker_host,
        )  # fmt: skip
        request = job.prepare(X, self._fitted())
        model = job.fit(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

    def _matrix(self, X: Any) -> Array:
        refuse_collection(X)
        return super()._matrix(X)

    def predict_dist(self, X: Any, **given: Any) -> Any:
        """Return the predictive distributions: of a Dask collection as `Distributions`."""
        if not is_collection(X):
            return super().predict_dist(X, **given)
        refuse_rows(given)
        return Distributions(lambda model, part: model.predict_dist(part, **given), self, X)

    def predict(self, X: Any, **given: Any) -> Any:
        """Return predictions as the ordinary estimator has them, of a collection lazily."""
        if not is_collection(X):
            return super().predict(X, **given)
        columns = (self.n_outputs_,) if self.n_outputs_ > 1 else ()
        return by_partition(self, "predict", X, columns, **given)

    def ood_score(self, X: Any, method: str | None = None) -> Any:
        """Return how far rows are from the training data (n,), of a collection lazily."""
        if not is_collection(X):
            return super().ood_score(X, method)
        return by_partition(self, "ood_score", X, method=method)

    def predict_quantiles(self, X: Any, alpha: Any = (0.05, 0.5, 0.95), **given: Any) -> Any:
        """Return quantiles (n, len(alpha)), of a collection lazily."""
        if not is_collection(X):
            return super().predict_quantiles(X, alpha, **given)
        columns = (np.atleast_1d(alpha).size,)
        return by_partition(self, "predict_quantiles", X, columns, alpha=alpha, **given)

    def predict_interval(self, X: Any, confidence: float = 0.9, **given: Any) -> Any:
        """Return central intervals (n, 2), of a collection lazily."""
        if not is_collection(X):
            return super().predict_interval(X, confidence, **given)
        return by_partition(self, "predict_interval", X, (2,), confidence=confidence, **given)


class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Dask arrays and frames.

    Parameters and what a fitted model has are those of `wgboost.WGBClassifier`; engine is
    "xgboost". `fit` says more.
    """

    __init__ = with_defaults(estimators.WGBClassifier.__init__, engine="xgboost")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, worker_timeout: float = 60.0,
        tracker_host: str | None = None, **given: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers that hold the partitions of X.

        Parameters
        ----------
        X : Dask array (n, p) or frame
            Of numbers. Its partitions are computed and kept on the workers while fitting.
        y, sample_weight
            Dask arrays or series with the partitions of X, or n values in memory, or names of
            columns of X, which are then no features. They are gathered: 8 bytes a row and each on
            the client.
        client : dask.distributed.Client, optional
            By default the one there is.
        max_retries : int
            How often to go on after workers were lost.
        checkpoint_every : int
            Rounds after which workers hand the model so far to the client, from where a fit goes
            on after a loss. With callbacks, every round.
        worker_timeout : float
            Seconds to wait for new workers in place of lost ones.
        tracker_host : str, optional
            The address of the client's machine under which workers find each other.
        **given
            What else `fit` of the ordinary estimator takes, row by row as y. X_val is a Dask
            collection too. Callbacks run on the client; what they are given has no "particles".
        """
        job = dask_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **given}, client=client,
            max_retries=max_retries, checkpoint_every=checkpoint_every,
            worker_timeout=worker_timeout, tracker_host=tracker_host,
        )  # fmt: skip
        request = job.prepare(X, self._fitted())
        model = job.fit(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

    def _matrix(self, X: Any) -> Array:
        refuse_collection(X)
        return super()._matrix(X)

    def predict_dist(self, X: Any, **given: Any) -> Any:
        """Return the predictive distributions: of a Dask collection as `Distributions`."""
        if not is_collection(X):
            return super().predict_dist(X, **given)
        refuse_rows(given)
        return Distributions(lambda model, part: model.predict_dist(part, **given), self, X)

    def predict(self, X: Any, **given: Any) -> Any:
        """Return predictions as the ordinary estimator has them, of a collection lazily."""
        if not is_collection(X):
            return super().predict(X, **given)
        labels: Array = self.classes_
        return by_partition(self, "predict", X, (), labels.dtype, **given)

    def ood_score(self, X: Any, method: str | None = None) -> Any:
        """Return how far rows are from the training data (n,), of a collection lazily."""
        if not is_collection(X):
            return super().ood_score(X, method)
        return by_partition(self, "ood_score", X, method=method)

    def predict_proba(self, X: Any, **given: Any) -> Any:
        """Return class probabilities (n, classes), of a collection lazily."""
        if not is_collection(X):
            return super().predict_proba(X, **given)
        return by_partition(self, "predict_proba", X, (len(self.classes_),), **given)


def by_partition(
    estimator: BaseModel, name: str, X: Any, columns: tuple[int, ...] = (),
    dtype: Any = np.float64, **given: Any,
) -> Any:  # fmt: skip
    """Return what a method of an estimator returns for every partition, lazily.

    Parameters
    ----------
    estimator : BaseModel
    name : str
        The method.
    X : Dask array or frame
    columns : tuple of int
        The shape of a row of the result.
    dtype
        Of the result.
    **given
        Arguments of the method; none may belong to rows, `alpha` aside.
    """
    refuse_rows({key: value for key, value in given.items() if key != "alpha"})
    return lazily(
        lambda model, part: getattr(model, name)(part, **given), estimator, X, columns,
        np.dtype(dtype),
    )  # fmt: skip


def refuse_rows(given: dict[str, Any]) -> None:
    """Raise for values that belong to rows which are in partitions."""
    for name, value in given.items():
        if np.ndim(value) or is_collection(value):
            raise TypeError(
                f"{name} has a value for each row, and X is in partitions: predict partition by "
                f"partition, X.map_partitions or X.map_blocks, or give a number for {name}"
            )
