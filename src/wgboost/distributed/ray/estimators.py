"""The estimators of the package for Ray Datasets."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from wgboost import estimators
from wgboost.distributed.defaults import document_parameters_of, with_defaults
from wgboost.distributed.fitting import DistributedFit, check_cluster_parameters
from wgboost.distributed.partitions import Partitions
from wgboost.distributed.ray.cluster import RayCluster
from wgboost.distributed.ray.library import as_scaling_config, connected_ray, is_dataset
from wgboost.distributed.ray.partitions import RayPartitions
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.model import FittedModel
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor"]


class _RayFit(DistributedFit):
    """One fit to a Ray Dataset."""

    cluster: RayCluster
    module: ClassVar[str] = "wgboost.ray"

    def load(self, X: Any, values: dict[str, Any], name: str) -> tuple[Partitions, dict[str, Any]]:
        """Keep the blocks of a Dataset; see `DistributedFit.load`."""
        parts = RayPartitions(X, name, self.cluster.scaling.num_workers)
        return parts, parts.take_columns(values)


@document_parameters_of(estimators.WGBRegressor)
class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Ray Datasets.

    It has the parameters and the fitted attributes of `wgboost.WGBRegressor`. The default of
    `engine` is "xgboost", the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from wgboost.ray import WGBRegressor
    >>> dataset = ray.data.read_parquet("folder")  # doctest: +SKIP
    >>> model = WGBRegressor(n_estimators=500, evidence=1.0)
    >>> model.fit(dataset, "price", scaling_config=4)  # doctest: +SKIP
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
        self, X: Any, y: Any = None, sample_weight: Any = None, *, scaling_config: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers of Ray Train.

        Parameters
        ----------
        X : ray.data.Dataset
            Columns of numbers. Its blocks are kept in Ray's object store while fitting.
        y : str or array (n,)
            The name of a column of X, which is then no feature, or targets in memory in the order
            of the rows. They are gathered on the client: 8 bytes per row.
        sample_weight : str or array (n,), optional
            Weights of the rows, given as y is.
        scaling_config : int or ray.train.ScalingConfig, optional
            The number of workers to train on, or a configuration of them. By default one worker.
        max_retries : int, default 3
            How often to continue after workers were lost.
        checkpoint_every : int, default 10
            The number of rounds after which workers send the model so far to the client. After a
            loss the fit continues from there. With callbacks, they send it every round.
        **fit_params
            Other arguments of `fit` of the ordinary estimator. Those with a value per row are given
            as y is, and X_val as X is. Callbacks run on the client; they get no "particles".

        Returns
        -------
        self : WGBRegressor
            The fitted estimator.
        """
        fit = _ray_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **fit_params}, scaling_config, max_retries,
            checkpoint_every,
        )  # fmt: skip
        fit.fit(self, X, self._fitted())
        return self

    def _matrix(self, X: Any) -> Array:
        _check_in_memory(X)
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


@document_parameters_of(estimators.WGBClassifier)
class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Ray Datasets.

    It has the parameters and the fitted attributes of `wgboost.WGBClassifier`. The default of
    `engine` is "xgboost", the only engine that runs on a cluster. `fit` has parameters of its own.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from wgboost.ray import WGBClassifier
    >>> dataset = ray.data.read_parquet("folder")  # doctest: +SKIP
    >>> model = WGBClassifier(n_estimators=500, evidence=1.0)
    >>> model.fit(dataset, "label", scaling_config=4)  # doctest: +SKIP
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
        self, X: Any, y: Any = None, sample_weight: Any = None, *, scaling_config: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers of Ray Train.

        Parameters
        ----------
        X : ray.data.Dataset
            Columns of numbers. Its blocks are kept in Ray's object store while fitting.
        y : str or array (n,)
            The name of a column of X, which is then no feature, or labels in memory in the order
            of the rows. They are gathered on the client: 8 bytes per row.
        sample_weight : str or array (n,), optional
            Weights of the rows, given as y is.
        scaling_config : int or ray.train.ScalingConfig, optional
            The number of workers to train on, or a configuration of them. By default one worker.
        max_retries : int, default 3
            How often to continue after workers were lost.
        checkpoint_every : int, default 10
            The number of rounds after which workers send the model so far to the client. After a
            loss the fit continues from there. With callbacks, they send it every round.
        **fit_params
            Other arguments of `fit` of the ordinary estimator. Those with a value per row are given
            as y is, and X_val as X is. Callbacks run on the client; they get no "particles".

        Returns
        -------
        self : WGBClassifier
            The fitted estimator.
        """
        fit = _ray_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **fit_params}, scaling_config, max_retries,
            checkpoint_every,
        )  # fmt: skip
        fit.fit(self, X, self._fitted())
        return self

    def _matrix(self, X: Any) -> Array:
        _check_in_memory(X)
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


def _ray_fit(
    name: str, params: dict[str, Any], fit_params: dict[str, Any], scaling_config: Any,
    max_retries: int, checkpoint_every: int,
) -> _RayFit:  # fmt: skip
    """Return a fit on the workers of Ray Train, with checked parameters."""
    check_cluster_parameters(
        _RayFit.module, params, fit_params.get("callbacks", ()), max_retries=max_retries,
        checkpoint_every=checkpoint_every,
    )  # fmt: skip
    connected_ray()
    cluster = RayCluster(as_scaling_config(scaling_config), max_retries, checkpoint_every)
    return _RayFit(cluster, name, params, fit_params)


def _check_in_memory(X: Any) -> None:
    """Raise TypeError for a Ray Dataset where rows have to be in memory."""
    if is_dataset(X):
        raise TypeError(
            "X is a Ray Dataset, and this takes rows in memory: X.to_pandas(), or batch by "
            'batch, X.map_batches(function, batch_format="pandas")'
        )
