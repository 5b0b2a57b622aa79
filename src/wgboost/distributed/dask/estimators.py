"""The estimators of the package for Dask arrays and frames."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from wgboost import estimators
from wgboost.distributed.dask.distributions import Distributions, map_lazily
from wgboost.distributed.dask.fitting import check_in_memory, dask_fit
from wgboost.distributed.dask.library import is_collection
from wgboost.distributed.defaults import document_parameters_of, with_defaults
from wgboost.estimators.base import BaseModel
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.model import FittedModel
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor", "check_no_row_values", "predict_by_partition"]


@document_parameters_of(estimators.WGBRegressor)
class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Dask arrays and frames.

    It has the parameters and the fitted attributes of `wgboost.WGBRegressor`. The default of
    `engine` is "xgboost", the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from wgboost.dask import WGBRegressor
    >>> X = da.random.default_rng(0).normal(size=(100, 2), chunks=(50, 2))
    >>> client = Client(processes=False, n_workers=1, dashboard_address=None)
    >>> model = WGBRegressor(n_estimators=5, evidence=1.0, n_jobs=1, random_state=0)
    >>> model = model.fit(X, X[:, 0], tracker_host="127.0.0.1")
    >>> model.predict(X).compute().shape
    (100,)
    >>> client.close()
    """

    model_: FittedModel
    __init__ = with_defaults(estimators.WGBRegressor.__init__, engine="xgboost")

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """Return an estimator with the settings of the paper.

        Parameters
        ----------
        **changes
            Parameters that differ from the paper.

        Returns
        -------
        estimator : estimator of this class
            An estimator to fit.
        """
        settings = estimators.WGBRegressor.paper(engine="xgboost").get_params(deep=False)
        made: Self = cls(**{**settings, **changes})
        return made

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, worker_timeout: float = 60.0,
        tracker_host: str | None = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers that hold the partitions of X.

        Parameters
        ----------
        X : Dask array (n, p) or frame
            Columns of numbers. Its partitions are computed, and kept on the workers while fitting.
        y : Dask array or series, array (n,), or str
            The targets, with the partitions of X or in memory; or the name of a column of X,
            which is then no feature. They are gathered on the client: 8 bytes per row.
        sample_weight : Dask array or series, array (n,), or str, optional
            Weights of the rows, given as y is.
        client : dask.distributed.Client, optional
            The connection to the cluster. By default the current client of Dask.
        max_retries : int, default 3
            How often to continue after workers were lost.
        checkpoint_every : int, default 10
            The number of rounds after which workers send the model so far to the client. After a
            loss the fit continues from there. With callbacks, they send it every round.
        worker_timeout : float, default 60
            Seconds to wait for new workers in place of lost ones.
        tracker_host : str, optional
            The address of the client's machine under which workers find each other. By default
            the one that the scheduler is reached by.
        **fit_params
            Other arguments of `fit` of the ordinary estimator. Those with a value per row are given
            as y is, and X_val as X is. Callbacks run on the client; they get no "particles".

        Returns
        -------
        self : WGBRegressor
            The fitted estimator.
        """
        fit = dask_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **fit_params}, client=client,
            max_retries=max_retries, checkpoint_every=checkpoint_every,
            worker_timeout=worker_timeout, tracker_host=tracker_host,
        )  # fmt: skip
        fit.fit(self, X, self._fitted())
        return self

    def _matrix(self, X: Any) -> Array:
        check_in_memory(X)
        return super()._matrix(X)

    def apply(self, X: Any) -> Array:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : array or frame
            Rows in memory.

        Returns
        -------
        leaves : array (n, trees) of int
        """
        return self.model_.apply(self._matrix(X), self._n_threads())

    def predict_dist(self, X: Any, **kwargs: Any) -> Any:
        """Predict distributions: `Distributions` of a Dask collection, a `Mixture` of other X."""
        if not is_collection(X):
            return super().predict_dist(X, **kwargs)
        check_no_row_values(kwargs)
        return Distributions(lambda model, part: model.predict_dist(part, **kwargs), self, X)

    def ood_score(self, X: Any, method: str | None = None) -> Any:
        """Return out-of-distribution scores (n,); they are lazy for a Dask collection."""
        if not is_collection(X):
            return super().ood_score(X, method)
        return predict_by_partition(self, "ood_score", X, method=method)

    def predict(self, X: Any, **kwargs: Any) -> Any:
        """Predict y as the ordinary estimator does; lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict(X, **kwargs)
        columns = (self.n_outputs_,) if self.n_outputs_ > 1 else ()
        return predict_by_partition(self, "predict", X, columns, **kwargs)

    def predict_quantiles(self, X: Any, alpha: Any = (0.05, 0.5, 0.95), **kwargs: Any) -> Any:
        """Predict quantiles (n, len(alpha)); lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict_quantiles(X, alpha, **kwargs)
        columns = (np.atleast_1d(alpha).size,)
        return predict_by_partition(self, "predict_quantiles", X, columns, alpha=alpha, **kwargs)

    def predict_interval(self, X: Any, confidence: float = 0.9, **kwargs: Any) -> Any:
        """Predict central intervals (n, 2); lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict_interval(X, confidence, **kwargs)
        kwargs["confidence"] = confidence
        return predict_by_partition(self, "predict_interval", X, (2,), **kwargs)


@document_parameters_of(estimators.WGBClassifier)
class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Dask arrays and frames.

    It has the parameters and the fitted attributes of `wgboost.WGBClassifier`. The default of
    `engine` is "xgboost", the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from wgboost.dask import WGBClassifier
    >>> X = da.random.default_rng(0).normal(size=(100, 2), chunks=(50, 2))
    >>> client = Client(processes=False, n_workers=1, dashboard_address=None)
    >>> model = WGBClassifier(n_estimators=5, evidence=1.0, n_jobs=1, random_state=0)
    >>> model = model.fit(X, X[:, 0] > 0, tracker_host="127.0.0.1")
    >>> model.predict(X).compute().shape
    (100,)
    >>> client.close()
    """

    model_: FittedModel
    __init__ = with_defaults(estimators.WGBClassifier.__init__, engine="xgboost")

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """Return an estimator with the settings of the paper.

        Parameters
        ----------
        **changes
            Parameters that differ from the paper.

        Returns
        -------
        estimator : estimator of this class
            An estimator to fit.
        """
        settings = estimators.WGBClassifier.paper(engine="xgboost").get_params(deep=False)
        made: Self = cls(**{**settings, **changes})
        return made

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, worker_timeout: float = 60.0,
        tracker_host: str | None = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers that hold the partitions of X.

        Parameters
        ----------
        X : Dask array (n, p) or frame
            Columns of numbers. Its partitions are computed, and kept on the workers while fitting.
        y : Dask array or series, array (n,), or str
            The labels, with the partitions of X or in memory; or the name of a column of X,
            which is then no feature. They are gathered on the client: 8 bytes per row.
        sample_weight : Dask array or series, array (n,), or str, optional
            Weights of the rows, given as y is.
        client : dask.distributed.Client, optional
            The connection to the cluster. By default the current client of Dask.
        max_retries : int, default 3
            How often to continue after workers were lost.
        checkpoint_every : int, default 10
            The number of rounds after which workers send the model so far to the client. After a
            loss the fit continues from there. With callbacks, they send it every round.
        worker_timeout : float, default 60
            Seconds to wait for new workers in place of lost ones.
        tracker_host : str, optional
            The address of the client's machine under which workers find each other. By default
            the one that the scheduler is reached by.
        **fit_params
            Other arguments of `fit` of the ordinary estimator. Those with a value per row are given
            as y is, and X_val as X is. Callbacks run on the client; they get no "particles".

        Returns
        -------
        self : WGBClassifier
            The fitted estimator.
        """
        fit = dask_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **fit_params}, client=client,
            max_retries=max_retries, checkpoint_every=checkpoint_every,
            worker_timeout=worker_timeout, tracker_host=tracker_host,
        )  # fmt: skip
        fit.fit(self, X, self._fitted())
        return self

    def _matrix(self, X: Any) -> Array:
        check_in_memory(X)
        return super()._matrix(X)

    def apply(self, X: Any) -> Array:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : array or frame
            Rows in memory.

        Returns
        -------
        leaves : array (n, trees) of int
        """
        return self.model_.apply(self._matrix(X), self._n_threads())

    def predict_dist(self, X: Any, **kwargs: Any) -> Any:
        """Predict distributions: `Distributions` of a Dask collection, a `Mixture` of other X."""
        if not is_collection(X):
            return super().predict_dist(X, **kwargs)
        check_no_row_values(kwargs)
        return Distributions(lambda model, part: model.predict_dist(part, **kwargs), self, X)

    def ood_score(self, X: Any, method: str | None = None) -> Any:
        """Return out-of-distribution scores (n,); they are lazy for a Dask collection."""
        if not is_collection(X):
            return super().ood_score(X, method)
        return predict_by_partition(self, "ood_score", X, method=method)

    def predict(self, X: Any, **kwargs: Any) -> Any:
        """Predict labels as the ordinary estimator does; lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict(X, **kwargs)
        labels: Array = self.classes_
        return predict_by_partition(self, "predict", X, (), labels.dtype, **kwargs)

    def predict_proba(self, X: Any, **kwargs: Any) -> Any:
        """Predict class probabilities (n, classes); lazily for a Dask collection."""
        if not is_collection(X):
            return super().predict_proba(X, **kwargs)
        return predict_by_partition(self, "predict_proba", X, (len(self.classes_),), **kwargs)


def predict_by_partition(
    estimator: BaseModel, name: str, X: Any, columns: tuple[int, ...] = (),
    dtype: Any = np.float64, **kwargs: Any,
) -> Any:  # fmt: skip
    """Call a method of an estimator for each partition, when the result is computed.

    Parameters
    ----------
    estimator : BaseModel
        A fitted estimator.
    name : str
        The method.
    X : Dask array or frame
        The rows to predict.
    columns : tuple of int, default ()
        The shape of the result for one row.
    dtype : dtype, default float64
        The type of the result.
    **kwargs
        Arguments of the method. None of them but `alpha` may be an array.

    Returns
    -------
    result : Dask array, series or frame
        The results for all rows.
    """
    check_no_row_values({key: value for key, value in kwargs.items() if key != "alpha"})
    return map_lazily(
        lambda model, part: getattr(model, name)(part, **kwargs), estimator, X, columns,
        np.dtype(dtype),
    )  # fmt: skip


def check_no_row_values(kwargs: dict[str, Any]) -> None:
    """Check that no argument has a value for each row, since rows are in partitions.

    Parameters
    ----------
    kwargs : dict
        Arguments by name.

    Raises
    ------
    TypeError
        If an argument is an array or a Dask collection.

    Examples
    --------
    >>> check_no_row_values({"offset": 1.0})
    """
    for name, value in kwargs.items():
        if np.ndim(value) or is_collection(value):
            raise TypeError(
                f"{name} has a value for each row, and X is in partitions: predict partition by "
                f"partition, X.map_partitions or X.map_blocks, or give a number for {name}"
            )
