"""Training on the rows of a Dask cluster."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from wgboost.boosting import Start
from wgboost.callbacks import Progress
from wgboost.dask.cutting import find_cuts
from wgboost.dask.library import connected, is_collection
from wgboost.dask.parts import Parts, gathered
from wgboost.dask.running import Cluster, Stage
from wgboost.data import Cuts
from wgboost.data.rows import take_rows
from wgboost.estimators.evidential import Evidential
from wgboost.estimators.fitting import Fit
from wgboost.estimators.rows import Rows
from wgboost.estimators.streaming import check_start, learn_columns
from wgboost.responses import Units
from wgboost.validation import check_integer, check_number

__all__ = ["Distributed"]

_BESIDE = ("y", "sample_weight", "offset", "exposure", "y_std")


class Distributed(Evidential):
    """An estimator that is fitted to Dask arrays and frames, each worker keeping its rows.

    The fit is that of any estimator but for `_taken_in`, where the columns of X become a matrix on
    workers, and `_run`, which has the rounds added there.
    """

    _cluster: Cluster
    _cuts: Cuts

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
            Dask arrays or series with the partitions of X, or n values in memory; y may be the name
            of a column of X. They are gathered: 8 bytes a row and each on the client.
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
        self._check_parameters(given.get("callbacks", ()))
        self._check_distributed()
        check_integer("max_retries", max_retries, low=0)
        check_integer("checkpoint_every", checkpoint_every, low=1)
        check_number("worker_timeout", worker_timeout, low=0)
        client = connected(client)
        if isinstance(y, str) and is_collection(X):
            X, y = _without(X, y)
        with self._all_or_nothing():
            self._cluster = Cluster(
                client, max_retries, checkpoint_every, worker_timeout, tracker_host
            )
            self._cluster.workers()
            parts = Parts(client, X, "X")
            beside = {"y": y, "sample_weight": sample_weight, **given}
            for name in _BESIDE:
                if beside.get(name) is not None:
                    beside[name] = gathered(client, name, beside[name], parts)
            if beside.get("X_val") is not None:
                beside |= _watched(client, beside)
            super().fit(parts, beside.pop("y"), beside.pop("sample_weight"), **beside)
        del self._cluster, self._cuts
        return self

    def _check_distributed(self) -> None:
        """Raise for parameters that only one process has something for."""
        if self.engine != "xgboost":
            raise ValueError(
                f"engine={self.engine!r} grows trees in one process; wgboost.dask has "
                'engine="xgboost", and wgboost.WGBRegressor and WGBClassifier have both'
            )
        check_start(
            self.init,
            'which no machine has all of; wgboost.dask starts at "flow" or at given particles, '
            "the estimators of wgboost at others too",
        )
        metrics = self.eval_metric if isinstance(self.eval_metric, (list, tuple)) else [
            self.eval_metric
        ]  # fmt: skip
        if any(isinstance(one, str) and one == "concordance" for one in metrics):
            raise ValueError(
                'eval_metric="concordance" compares rows with each other, which are on different '
                'workers; use "nll", "crps" or "rmse" here, concordance with wgboost.WGBRegressor'
            )

    def _taken_in(
        self, X: Any, beside: dict[str, Any], *, fitting: bool
    ) -> tuple[Any, dict[str, Any]]:
        parts: Parts = X
        if fitting:
            some = next((i for i, n in enumerate(parts.lengths) if n), None)
            if some is None:
                raise ValueError("X has no rows")
            head = parts.client.submit(take_rows, parts.futures[some], np.arange(1)).result()
            learn_columns(self, head, "partitions")
        weight = beside["sample_weight"]
        self._cuts = find_cuts(parts, self.schema_, self.max_bins, weight)
        return parts, beside

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Any:
        if isinstance(X, Parts):
            return X.encoded(self.schema_, self._cuts)
        if is_collection(X):
            raise TypeError(
                f"X is a Dask {type(X).__name__}, and this takes rows in memory: X.compute(), or "
                "partition by partition with X.map_partitions or X.map_blocks; predict, "
                "predict_dist and ood_score do so themselves"
            )
        return super()._matrix(X, reset=reset, weight=weight)

    def _run(
        self, rows: Rows, sets: Mapping[str, Rows], start: Start, units: Units, **how: Any
    ) -> Fit:
        light = copy.copy(self)
        for name in ("_cluster", "_cuts", "ensemble_", "history_", "validation_rows_"):
            light.__dict__.pop(name, None)
        callbacks, save, bar = [*how.pop("callbacks")], how.pop("save"), None
        if self.verbose:
            bar = Progress(int(self.verbose), how["stage"])
            callbacks.append(bar)
        light.verbose = 0
        stage = Stage(
            self._cluster, light, self._cuts, rows, sets, start, units, callbacks, save, how
        )  # fmt: skip
        try:
            return stage.run()
        finally:
            if bar is not None:
                bar.close()


def _without(X: Any, name: str) -> tuple[Any, Any]:
    """Return a frame without a column, and that column."""
    columns = [str(one) for one in getattr(X, "columns", ())]
    if name not in columns:
        raise ValueError(f"y={name!r} is no column of X; columns: {columns[:20]}")
    return X.drop(columns=name), X[name]


def _watched(client: Any, beside: dict[str, Any]) -> dict[str, Any]:
    """Return X_val as partitions on workers, and what belongs to their rows in memory."""
    several = isinstance(beside["X_val"], (list, tuple))
    tables = list(beside["X_val"]) if several else [beside["X_val"]]
    sets: list[Parts] = []
    values: dict[str, list[Any]] = {}
    found: dict[str, Any] = {name: beside.get(f"{name}_val") for name in _BESIDE}
    of_sets = {
        name: value if several else [value] for name, value in found.items() if value is not None
    }
    if any(not isinstance(v, (list, tuple)) or len(v) != len(tables) for v in of_sets.values()):
        return {}  # what checks the sets says so
    for i, table in enumerate(tables):
        given = {name: value[i] for name, value in of_sets.items()}
        if isinstance(given.get("y"), str) and is_collection(table):
            table, given["y"] = _without(table, given["y"])
        sets.append(Parts(client, table, "X_val"))
        for name, value in given.items():
            known = gathered(client, f"{name}_val", value, sets[-1])
            values.setdefault(f"{name}_val", []).append(known)
    if several:
        return {"X_val": sets, **values}
    return {"X_val": sets[0], **{name: known[0] for name, known in values.items()}}
