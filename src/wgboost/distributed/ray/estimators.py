"""The estimators of the package, for Ray Datasets."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from wgboost import estimators
from wgboost.distributed import ClusterFit, Parts, check_cluster_parameters
from wgboost.distributed.defaults import with_defaults
from wgboost.distributed.ray.cluster import RayCluster
from wgboost.distributed.ray.library import connected, is_dataset, scaling
from wgboost.distributed.ray.partitions import RayParts
from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base_classifier import BaseClassifier
from wgboost.estimators.base_regressor import BaseRegressor
from wgboost.typing import Array

__all__ = ["WGBClassifier", "WGBRegressor"]


class _RayFit(ClusterFit):
    """One fit to a Ray Dataset."""

    cluster: RayCluster
    module: ClassVar[str] = "wgboost.ray"

    def spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        """See ClusterFit."""
        parts = RayParts(X, name, self.cluster.scaling.num_workers)
        return parts, parts.taken(values)


class WGBRegressor(BaseRegressor):
    """`wgboost.WGBRegressor` for Ray Datasets.

    Parameters and what a fitted model has are those of `wgboost.WGBRegressor`; engine is "xgboost".
    `fit` says more.
    """

    __init__ = with_defaults(estimators.WGBRegressor.__init__, engine="xgboost")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, scaling_config: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, **given: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers of Ray Train.

        Parameters
        ----------
        X : ray.data.Dataset
            Columns of numbers. Its blocks are kept in Ray's object store while fitting.
        y, sample_weight
            Names of columns of X, which are then no features, or n values in memory in the order of
            its rows. They are gathered: 8 bytes a row and each on the client.
        scaling_config : int or ray.train.ScalingConfig, optional
            How many workers to train on, or what Ray Train knows to say about them. By default one.
        max_retries : int
            How often to go on after workers were lost.
        checkpoint_every : int
            Rounds after which workers hand the model so far to the client, from where a fit goes
            on after a loss. With callbacks, every round.
        **given
            What else `fit` of the ordinary estimator takes, row by row as y. X_val is a Dataset
            too. Callbacks run on the client; what they are given has no "particles".
        """
        job = _ray_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **given}, scaling_config, max_retries,
            checkpoint_every,
        )  # fmt: skip
        request = job.prepare(X, self._fitted())
        model = job.fit(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

    def _matrix(self, X: Any) -> Array:
        _refuse_dataset(X)
        return super()._matrix(X)


class WGBClassifier(BaseClassifier):
    """`wgboost.WGBClassifier` for Ray Datasets.

    Parameters and what a fitted model has are those of `wgboost.WGBClassifier`; engine is
    "xgboost". `fit` says more.
    """

    __init__ = with_defaults(estimators.WGBClassifier.__init__, engine="xgboost")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, scaling_config: Any = None,
        max_retries: int = 3, checkpoint_every: int = 10, **given: Any,
    ) -> Self:  # fmt: skip
        """Fit the model on the workers of Ray Train.

        Parameters
        ----------
        X : ray.data.Dataset
            Columns of numbers. Its blocks are kept in Ray's object store while fitting.
        y, sample_weight
            Names of columns of X, which are then no features, or n values in memory in the order of
            its rows. They are gathered: 8 bytes a row and each on the client.
        scaling_config : int or ray.train.ScalingConfig, optional
            How many workers to train on, or what Ray Train knows to say about them. By default one.
        max_retries : int
            How often to go on after workers were lost.
        checkpoint_every : int
            Rounds after which workers hand the model so far to the client, from where a fit goes
            on after a loss. With callbacks, every round.
        **given
            What else `fit` of the ordinary estimator takes, row by row as y. X_val is a Dataset
            too. Callbacks run on the client; what they are given has no "particles".
        """
        job = _ray_fit(
            type(self).__name__, self.get_params(deep=False),
            {"y": y, "sample_weight": sample_weight, **given}, scaling_config, max_retries,
            checkpoint_every,
        )  # fmt: skip
        request = job.prepare(X, self._fitted())
        model = job.fit(request)
        set_model(self, model)
        warn_of_fit(request, model, 2)
        return self

    def _matrix(self, X: Any) -> Array:
        _refuse_dataset(X)
        return super()._matrix(X)


def _ray_fit(
    name: str, params: dict[str, Any], given: dict[str, Any], scaling_config: Any,
    max_retries: int, checkpoint_every: int,
) -> _RayFit:  # fmt: skip
    """Return a fit on the workers of Ray Train, its parameters checked."""
    check_cluster_parameters(
        _RayFit.module, params, given.get("callbacks", ()), max_retries=max_retries,
        every=checkpoint_every,
    )  # fmt: skip
    connected()
    cluster = RayCluster(scaling(scaling_config), max_retries, checkpoint_every)
    return _RayFit(cluster, name, params, given)


def _refuse_dataset(X: Any) -> None:
    """Raise TypeError for a Ray Dataset where rows have to be in memory."""
    if is_dataset(X):
        raise TypeError(
            "X is a Ray Dataset, and this takes rows in memory: X.to_pandas(), or batch by "
            'batch, X.map_batches(function, batch_format="pandas")'
        )
