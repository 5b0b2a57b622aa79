"""Training on the rows of a cluster."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from types import FunctionType
from typing import Any, ClassVar, Self

from wgboost.boosting import Start
from wgboost.callbacks import Progress
from wgboost.cluster.cutting import find_cuts
from wgboost.cluster.parts import Parts
from wgboost.cluster.running import Cluster, Stage
from wgboost.data import Cuts
from wgboost.estimators.evidential import Evidential
from wgboost.estimators.fitting import Fit
from wgboost.estimators.rows import Rows
from wgboost.estimators.streaming import check_start, learn_columns
from wgboost.responses import Units
from wgboost.validation import check_integer

__all__ = ["BESIDE", "Distributed", "defaulting"]

BESIDE = ("y", "sample_weight", "offset", "exposure", "y_std")


def defaulting(init: Any, **defaults: Any) -> Any:
    """Return an `__init__` of the same signature with other defaults."""
    made = FunctionType(init.__code__, init.__globals__, init.__name__, None, init.__closure__)
    made.__kwdefaults__ = {**init.__kwdefaults__, **defaults}
    made.__annotations__, made.__qualname__ = init.__annotations__, init.__qualname__
    return made


class Distributed(Evidential):
    """An estimator that is fitted to a table in partitions, each worker keeping its rows.

    The fit is that of any estimator but for `_taken_in`, where the columns of X become a matrix on
    workers, and `_run`, which has the rounds added there.
    """

    where: ClassVar[str]  # the module of this estimator, for messages
    _cluster: Cluster
    _cuts: Cuts

    @abstractmethod
    def _spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        """Return a table in partitions, and in memory what belongs to its rows: y, a weight, ...

        `name` and those of `values` are arguments of `fit`.
        """

    def _check_given(self, given: dict[str, Any], *, max_retries: int, every: int) -> None:
        """Raise for settings that are wrong, before anything is computed for them."""
        self._check_parameters(given.get("callbacks", ()))
        self._check_distributed()
        check_integer("max_retries", max_retries, low=0)
        check_integer("checkpoint_every", every, low=1)

    def _fit_on(self, cluster: Cluster, X: Any, given: dict[str, Any]) -> Self:
        """Fit on the workers of a cluster; `given` is what else `fit` was given, y included."""
        with self._all_or_nothing():
            self._cluster = cluster
            cluster.workers()
            own = {name: given[name] for name in BESIDE if given.get(name) is not None}
            parts, known = self._spread(X, own, "X")
            given = {"y": None, "sample_weight": None, **given, **known}
            if given.get("X_val") is not None:
                given |= self._watched(given)
            super().fit(parts, given.pop("y"), given.pop("sample_weight"), **given)
        del self._cluster, self._cuts
        return self

    def _watched(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return X_val in partitions, and what belongs to their rows in memory."""
        several = isinstance(given["X_val"], (list, tuple))
        tables = list(given["X_val"]) if several else [given["X_val"]]
        found: dict[str, Any] = {f"{name}_val": given.get(f"{name}_val") for name in BESIDE}
        of_sets = {
            name: value if several else [value]
            for name, value in found.items()
            if value is not None
        }
        if any(not isinstance(v, (list, tuple)) or len(v) != len(tables) for v in of_sets.values()):
            return {}  # what checks the sets says so
        sets: list[Parts] = []
        values: dict[str, list[Any]] = {}
        for i, table in enumerate(tables):
            own = {name: value[i] for name, value in of_sets.items() if value[i] is not None}
            parts, known = self._spread(table, own, "X_val")
            sets.append(parts)
            for name in of_sets:
                values.setdefault(name, []).append(known.get(name))
        if several:
            return {"X_val": sets, **values}
        return {"X_val": sets[0], **{name: one[0] for name, one in values.items()}}

    def _check_distributed(self) -> None:
        """Raise for parameters that only one process has something for."""
        if self.engine != "xgboost":
            raise ValueError(
                f"engine={self.engine!r} grows trees in one process; {self.where} has "
                'engine="xgboost", and wgboost.WGBRegressor and WGBClassifier have both'
            )
        check_start(
            self.init,
            f'which no machine has all of; {self.where} starts at "flow" or at given particles, '
            "the estimators of wgboost at others too",
        )
        metrics = self.eval_metric if isinstance(self.eval_metric, (list, tuple)) else [
            self.eval_metric
        ]  # fmt: skip
        for one in metrics:
            if isinstance(one, str) and one in ("concordance", "auc"):
                raise ValueError(
                    f'eval_metric="{one}" compares rows with each other, which are on different '
                    f'workers; use "nll" here, "{one}" with wgboost.WGBRegressor and WGBClassifier'
                )

    def _taken_in(
        self, X: Any, beside: dict[str, Any], *, fitting: bool
    ) -> tuple[Any, dict[str, Any]]:
        parts: Parts = X
        if fitting:
            some = next((i for i, n in enumerate(parts.lengths) if n), None)
            if some is None:
                raise ValueError("X has no rows")
            learn_columns(self, parts.head(some), "partitions")
        weight = self._row_weight(beside, int(parts.bounds[-1]), fitting=fitting)
        self._cuts = find_cuts(parts, self.schema_, self.max_bins, weight)
        return parts, beside

    def _matrix(self, X: Any, *, reset: bool, weight: Any = None) -> Any:
        if isinstance(X, Parts):
            return X.encoded(self.schema_, self._cuts)
        return super()._matrix(X, reset=reset, weight=weight)

    def _run(
        self, rows: Rows, sets: Mapping[str, Rows], start: Start, units: Units, **how: Any
    ) -> Fit:
        light = copy.copy(self)
        for name in ("_cluster", "_cuts", "ensemble_", "history_", "validation_rows_"):
            light.__dict__.pop(name, None)
        callbacks, save, bar = [*how.pop("callbacks")], how.pop("save"), None
        if self.verbose:
            bar = Progress(int(self.verbose))
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
