"""Fits on the workers of Ray Train."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from wgboost.distributed.fitting import DistributedFit, check_cluster_parameters
from wgboost.distributed.partitions import Partitions
from wgboost.distributed.ray.cluster import RayCluster
from wgboost.distributed.ray.library import as_scaling_config, connected_ray, is_dataset
from wgboost.distributed.ray.partitions import RayPartitions
from wgboost.estimators.base import BaseModel
from wgboost.training.flat_parameters import cluster_parameters
from wgboost.typing import Array

__all__ = ["RayFit", "fit", "matrix_in_memory"]

_Estimator = TypeVar("_Estimator", bound=BaseModel)


class RayFit(DistributedFit):
    """One fit to a Ray Dataset."""

    cluster: RayCluster
    module: ClassVar[str] = "wgboost.ray"

    def load(self, X: Any, values: dict[str, Any], name: str) -> tuple[Partitions, dict[str, Any]]:
        """Keep the blocks of a Dataset; see `DistributedFit.load`."""
        parts = RayPartitions(X, name, self.cluster.scaling.num_workers)
        return parts, parts.take_columns(values)


def fit(
    self: _Estimator, X: Any, y: Any = None, sample_weight: Any = None, *,
    scaling_config: Any = None, max_retries: int = 3, checkpoint_every: int = 10,
    **fit_params: Any,
) -> _Estimator:  # fmt: skip
    """Fit the model on the workers of Ray Train.

    Parameters
    ----------
    X : ray.data.Dataset
        Columns of numbers. Its blocks are kept in Ray's object store while fitting.
    y : str or array (n,)
        The name of a column of X, which is then no feature, or targets or labels in memory in the
        order of the rows. They are gathered on the client: 8 bytes per row.
    sample_weight : str or array (n,), optional
        Weights of the rows, given as y is.
    scaling_config : int or ray.train.ScalingConfig, optional
        The number of workers to train on, or a configuration of them. By default one worker.
    max_retries : int, default=3
        How often to continue after workers were lost or could not start. Waiting for free CPUs
        does not count.
    checkpoint_every : int, default=10
        The number of rounds after which workers send the model so far to the client. After a loss
        the fit continues from there. With callbacks, they send it every round.
    **fit_params
        Other arguments of `fit` of the ordinary estimator. Those with a value per row are given as
        y is, and X_val as X is. Callbacks run on the client; they get no "particles".

    Returns
    -------
    self : estimator
        The fitted estimator.

    Raises
    ------
    ValueError
        If Ray is not running, or a parameter is not supported on a cluster.
    RuntimeError
        If workers were lost, or could not start, more than `max_retries` times.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from wgboost.ray import WGBRegressor
    >>> dataset = ray.data.from_pandas(frame)  # doctest: +SKIP
    >>> WGBRegressor(evidence=1.0).fit(dataset, "price", scaling_config=4)  # doctest: +SKIP
    """
    params = cluster_parameters(self.get_params(deep=False))
    check_cluster_parameters(
        RayFit.module, params, fit_params.get("callbacks", ()), max_retries=max_retries,
        checkpoint_every=checkpoint_every,
    )  # fmt: skip
    connected_ray()
    cluster = RayCluster(as_scaling_config(scaling_config), max_retries, checkpoint_every)
    given = {"y": y, "sample_weight": sample_weight, **fit_params}
    RayFit(cluster, type(self).__name__, params, given).fit(self, X)
    return self


def matrix_in_memory(self: BaseModel, X: Any) -> Array:
    """Return rows in memory as a matrix; raise TypeError for a Ray Dataset."""
    if is_dataset(X):
        raise TypeError(
            "X is a Ray Dataset, and this takes rows in memory: X.to_pandas(), or batch by "
            'batch, X.map_batches(function, batch_format="pandas")'
        )
    return BaseModel._matrix(self, X)
