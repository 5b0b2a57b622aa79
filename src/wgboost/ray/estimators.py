"""The estimators of the package, for Ray Datasets."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from wgboost import estimators
from wgboost.cluster import Distributed, Parts, defaulting
from wgboost.ray.crew import RayCluster
from wgboost.ray.library import connected, is_dataset, scaling
from wgboost.ray.parts import RayParts

__all__ = ["WGBClassifier", "WGBRegressor"]


class _RayDistributed(Distributed):
    """An estimator that is fitted to a Ray Dataset."""

    where: ClassVar[str] = "wgboost.ray"
    _cluster: RayCluster

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
        self._check_given(given, max_retries=max_retries, every=checkpoint_every)
        connected()
        cluster = RayCluster(scaling(scaling_config), max_retries, checkpoint_every)
        return self._fit_on(cluster, X, {"y": y, "sample_weight": sample_weight, **given})

    def _spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        parts = RayParts(X, name, self._cluster.scaling.num_workers)
        return parts, parts.taken(values)

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Any:
        if is_dataset(X):
            raise TypeError(
                "X is a Ray Dataset, and this takes rows in memory: X.to_pandas(), or batch by "
                'batch, X.map_batches(function, batch_format="pandas")'
            )
        return super()._matrix(X, reset=reset, weight=weight)


class WGBRegressor(_RayDistributed, estimators.WGBRegressor):
    """`wgboost.WGBRegressor` for Ray Datasets.

    Parameters and what a fitted model has are those of `wgboost.WGBRegressor`; engine is "xgboost".
    `fit` says more.
    """

    __init__ = defaulting(estimators.WGBRegressor.__init__, engine="xgboost")


class WGBClassifier(_RayDistributed, estimators.WGBClassifier):
    """`wgboost.WGBClassifier` for Ray Datasets.

    Parameters and what a fitted model has are those of `wgboost.WGBClassifier`; engine is
    "xgboost". `fit` says more.
    """

    __init__ = defaulting(estimators.WGBClassifier.__init__, engine="xgboost")
