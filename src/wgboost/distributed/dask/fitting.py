"""Fits on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from wgboost.distributed.dask.cluster import DaskCluster
from wgboost.distributed.dask.library import connected_client, is_collection
from wgboost.distributed.dask.partitions import DaskPartitions, gather_rows
from wgboost.distributed.fitting import DistributedFit, check_cluster_parameters
from wgboost.distributed.partitions import Partitions
from wgboost.validation import check_number

__all__ = ["DaskFit", "check_in_memory", "dask_fit"]

_LOG = logging.getLogger("wgboost.dask")


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


def dask_fit(
    name: str, params: dict[str, Any], fit_params: dict[str, Any], *, client: Any,
    max_retries: int, checkpoint_every: int, worker_timeout: float, tracker_host: str | None,
) -> DaskFit:  # fmt: skip
    """Check the parameters of a fit on a Dask cluster.

    Parameters
    ----------
    name : str
        The class of the estimator.
    params : dict
        Its parameters.
    fit_params : dict
        The arguments of `fit` other than X.
    client, max_retries, checkpoint_every, worker_timeout, tracker_host
        As in `fit` of the estimators.

    Returns
    -------
    fit : DaskFit
        The fit, ready to run.
    """
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
    return DaskFit(cluster, name, params, fit_params)


def check_in_memory(X: Any) -> None:
    """Check that rows are in memory.

    Parameters
    ----------
    X : table
        What a method was given.

    Raises
    ------
    TypeError
        If X is a Dask collection.
    """
    if is_collection(X):
        raise TypeError(
            f"X is a Dask {type(X).__name__}, and this takes rows in memory: X.compute(), or "
            "partition by partition with X.map_partitions or X.map_blocks; predict, "
            "predict_dist and ood_score do so themselves"
        )


def _column(X: Any, table: str, argument: str, name: str) -> Any:
    """Return a column of a frame; `table` and `argument` are arguments of `fit`."""
    columns = [str(one) for one in getattr(X, "columns", ())]
    if name not in columns:
        known = f"columns: {columns[:20]}" if columns else "an array has no names of columns"
        raise ValueError(f"{argument}={name!r} is no column of {table}; {known}")
    return X[name]
