"""Fits on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from wgboost.distributed import ClusterFit, Parts, check_cluster_parameters
from wgboost.distributed.dask.cluster import DaskCluster
from wgboost.distributed.dask.library import connected, is_collection
from wgboost.distributed.dask.partitions import DaskParts, gathered
from wgboost.validation import check_number

__all__ = ["DaskFit", "dask_fit", "refuse_collection"]

_LOG = logging.getLogger("wgboost.dask")


class DaskFit(ClusterFit):
    """One fit to Dask arrays and frames."""

    cluster: DaskCluster
    module: ClassVar[str] = "wgboost.dask"

    def spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        """See ClusterFit."""
        client, table = self.cluster.client, X
        for one, value in values.items():
            if isinstance(value, str) and is_collection(X):
                values[one] = _column(table, name, one, value)
                X = X.drop(columns=value, errors="ignore")  # y may be the weight too
        parts = DaskParts(client, X, name)
        return parts, {one: gathered(client, one, value, parts) for one, value in values.items()}


def dask_fit(
    name: str, params: dict[str, Any], given: dict[str, Any], *, client: Any, max_retries: int,
    checkpoint_every: int, worker_timeout: float, tracker_host: str | None,
) -> DaskFit:  # fmt: skip
    """Return a fit on a Dask cluster, its parameters checked; see `fit` of the estimators."""
    check_cluster_parameters(
        DaskFit.module, params, given.get("callbacks", ()), max_retries=max_retries,
        every=checkpoint_every,
    )  # fmt: skip
    check_number("worker_timeout", worker_timeout, low=0)
    cluster = DaskCluster(
        connected(client), max_retries, checkpoint_every, worker_timeout, tracker_host
    )
    if not cluster.workers():
        _LOG.warning("the cluster has no workers yet; waiting for some")
    return DaskFit(cluster, name, params, given)


def refuse_collection(X: Any) -> None:
    """Raise TypeError for a Dask collection where rows have to be in memory."""
    if is_collection(X):
        raise TypeError(
            f"X is a Dask {type(X).__name__}, and this takes rows in memory: X.compute(), or "
            "partition by partition with X.map_partitions or X.map_blocks; predict, "
            "predict_dist and ood_score do so themselves"
        )


def _column(X: Any, table: str, argument: str, name: str) -> Any:
    """Return a column of a frame; `table` and `argument` are what `fit` knows both by."""
    columns = [str(one) for one in getattr(X, "columns", ())]
    if name not in columns:
        known = f"columns: {columns[:20]}" if columns else "an array has no names of columns"
        raise ValueError(f"{argument}={name!r} is no column of {table}; {known}")
    return X[name]
