"""Training on the rows of a Dask cluster."""

from __future__ import annotations

import logging
from typing import Any, ClassVar, Self

from wgboost.cluster import Distributed, Parts
from wgboost.dask.crew import DaskCluster
from wgboost.dask.library import connected, is_collection
from wgboost.dask.parts import DaskParts, gathered
from wgboost.validation import check_number

__all__ = ["DaskDistributed"]

_LOG = logging.getLogger("wgboost.dask")


class DaskDistributed(Distributed):
    """An estimator that is fitted to Dask arrays and frames."""

    where: ClassVar[str] = "wgboost.dask"
    _cluster: DaskCluster

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
        self._check_given(given, max_retries=max_retries, every=checkpoint_every)
        check_number("worker_timeout", worker_timeout, low=0)
        cluster = DaskCluster(
            connected(client), max_retries, checkpoint_every, worker_timeout, tracker_host
        )
        if not cluster.workers():
            _LOG.warning("the cluster has no workers yet; waiting for some")
        return self._fit_on(cluster, X, {"y": y, "sample_weight": sample_weight, **given})

    def _spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        client, table = self._cluster.client, X
        for one, value in values.items():
            if isinstance(value, str) and is_collection(X):
                values[one] = _column(table, name, one, value)
                X = X.drop(columns=value, errors="ignore")  # y may be the weight too
        parts = DaskParts(client, X, name)
        return parts, {one: gathered(client, one, value, parts) for one, value in values.items()}

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Any:
        if is_collection(X):
            raise TypeError(
                f"X is a Dask {type(X).__name__}, and this takes rows in memory: X.compute(), or "
                "partition by partition with X.map_partitions or X.map_blocks; predict, "
                "predict_dist and ood_score do so themselves"
            )
        return super()._matrix(X, reset=reset, weight=weight)


def _column(X: Any, table: str, argument: str, name: str) -> Any:
    """Return a column of a frame; `table` and `argument` are what `fit` knows both by."""
    columns = [str(one) for one in getattr(X, "columns", ())]
    if name not in columns:
        known = f"columns: {columns[:20]}" if columns else "an array has no names of columns"
        raise ValueError(f"{argument}={name!r} is no column of {table}; {known}")
    return X[name]
