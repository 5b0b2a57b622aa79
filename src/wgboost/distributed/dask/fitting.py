"""Fits on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from typing import Any, ClassVar, TypeVar

from wgboost.distributed.dask.cluster import DaskCluster
from wgboost.distributed.dask.library import connected_client, is_collection
from wgboost.distributed.dask.partitions import DaskPartitions, gather_rows
from wgboost.distributed.fitting import DistributedFit, check_cluster_parameters
from wgboost.distributed.partitions import Partitions
from wgboost.estimators.base import BaseModel
from wgboost.training.flat_parameters import cluster_parameters
from wgboost.validation import check_number

__all__ = ["DaskFit", "fit"]

_LOG = logging.getLogger("wgboost.dask")
_Estimator = TypeVar("_Estimator", bound=BaseModel)


class DaskFit(DistributedFit):
    """One fit to Dask arrays and frames."""

    cluster: DaskCluster
    module: ClassVar[str] = "wgboost.dask"

    def load(self, X: Any, values: dict[str, Any], name: str) -> tuple[Partitions, dict[str, Any]]:
        """Have workers hold the partitions of a table; see `DistributedFit.load`."""
        client, table = self.cluster.client, X
        for argument, value in values.items():
            if isinstance(value, str) and is_collection(X):
                values[argument] = _column(table, name, argument, value)
                X = X.drop(columns=value, errors="ignore")  # y may be the weight too
        parts = DaskPartitions(client, X, name)
        return parts, {one: gather_rows(client, one, v, parts) for one, v in values.items()}


def fit(
    self: _Estimator, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None,
    max_retries: int = 3, checkpoint_every: int = 10, worker_timeout: float = 60.0,
    tracker_host: str | None = None, **fit_params: Any,
) -> _Estimator:  # fmt: skip
    """Fit the model on the workers that hold the partitions of X.

    Parameters
    ----------
    X : Dask array (n, p) or frame
        Columns of numbers. Its partitions are computed, and kept on the workers while fitting.
    y : Dask array or series, array (n,), or str
        The targets or labels, with the partitions of X or in memory; or the name of a column of X,
        which is then no feature. They are gathered on the client: 8 bytes per row.
    sample_weight : Dask array or series, array (n,), or str, optional
        Weights of the rows, given as y is.
    client : dask.distributed.Client, optional
        The connection to the cluster. By default the current client of Dask.
    max_retries : int, default=3
        How often to continue after workers were lost.
    checkpoint_every : int, default=10
        The number of rounds after which workers send the model so far to the client. After a loss
        the fit continues from there. With callbacks, they send it every round.
    worker_timeout : float, default=60
        Seconds to wait for new workers in place of lost ones.
    tracker_host : str, optional
        The address of the client's machine under which workers find each other. By default the one
        that the scheduler is reached by.
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
        If there is no client, or a parameter is not supported on a cluster.
    RuntimeError
        If workers were lost more than `max_retries` times, or none is left.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from wgboost.dask import WGBRegressor
    >>> X = da.random.default_rng(0).normal(size=(100, 2), chunks=(50, 2))
    >>> model = WGBRegressor(n_estimators=5, evidence=1.0, n_jobs=1, random_state=0)
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     model = model.fit(X, X[:, 0], client=client, tracker_host="127.0.0.1")
    >>> model.n_estimators_
    5
    """
    params = cluster_parameters(self.get_params(deep=False))
    check_cluster_parameters(
        DaskFit.module, params, fit_params.get("callbacks", ()), max_retries=max_retries,
        checkpoint_every=checkpoint_every,
    )  # fmt: skip
    check_number("worker_timeout", worker_timeout, low=0)
    cluster = DaskCluster(
        connected_client(client), max_retries, checkpoint_every, worker_timeout, tracker_host
    )
    if not cluster.workers():
        _LOG.warning("the cluster has no workers yet; waiting for some")
    given = {"y": y, "sample_weight": sample_weight, **fit_params}
    DaskFit(cluster, type(self).__name__, params, given).fit(self, X)
    return self


def _column(X: Any, table: str, argument: str, name: str) -> Any:
    """Return a column of a frame; `table` and `argument` are arguments of `fit`."""
    columns = [str(one) for one in getattr(X, "columns", ())]
    if name not in columns:
        known = f"columns: {columns[:20]}" if columns else "an array has no names of columns"
        raise ValueError(f"{argument}={name!r} is no column of {table}; {known}")
    return X[name]
