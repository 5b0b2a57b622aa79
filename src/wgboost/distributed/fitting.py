"""Fits to tables that are spread over the workers of a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from wgboost.callbacks import Progress
from wgboost.data import Cuts, Schema
from wgboost.data.streaming import learn_numeric_columns
from wgboost.distributed.cuts import find_cuts
from wgboost.distributed.partitions import Parts
from wgboost.distributed.stage import Cluster, ClusterStage
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.metrics.registry import find_metric
from wgboost.model import FittedModel
from wgboost.training import FitRequest, Settings, Stage, fit_model, resolve_settings
from wgboost.training.readers import Weigh, check_start_elsewhere
from wgboost.validation import check_integer

__all__ = ["FIT_PARAMS", "ClusterFit", "ClusterReader", "check_cluster_parameters"]

FIT_PARAMS = ("y", "sample_weight", "offset", "exposure", "y_std")


@dataclass(eq=False)
class ClusterReader:
    """Has workers keep the codes of a table in place of its values.

    Attributes
    ----------
    settings : Settings
    categorical_features
        As in the estimators.
    cuts : Cuts or None
        Where features are cut, once the training data was read.
    """

    settings: Settings
    categorical_features: Any
    cuts: Cuts | None = None

    def training(
        self, X: Any, fit_params: dict[str, Any], schema: Schema | None, weigh: Weigh
    ) -> tuple[Schema, Any, dict[str, Any]]:
        """See TableReader."""
        parts: Parts = X
        if schema is None:
            some = next((i for i, n in enumerate(parts.lengths) if n), None)
            if some is None:
                raise ValueError("X has no rows")
            first = parts.head(some)
            schema, _ = learn_numeric_columns(first, self.categorical_features, "partitions")
        weight = weigh(fit_params["y"], fit_params["sample_weight"])
        self.cuts = find_cuts(parts, schema, self.settings.max_bins, weight)
        return schema, self.validation(parts, schema), fit_params

    def validation(self, X: Any, schema: Schema) -> Any:
        """See TableReader."""
        if self.cuts is None:
            raise RuntimeError("the training data is read first")
        return X.encoded(schema, self.cuts)


@dataclass(eq=False)
class ClusterFit(ABC):
    """One fit on the workers of a cluster, each of which keeps its rows.

    Attributes
    ----------
    cluster : Cluster
    name : str
        The class of the estimator.
    params : dict
        Its parameters.
    given : dict
        What `fit` was given beside X, y included.
    """

    cluster: Cluster
    name: str
    params: dict[str, Any]
    given: dict[str, Any]
    module: ClassVar[str]
    """The module of the estimator, for messages."""
    _reader: ClusterReader = field(init=False, repr=False)

    @abstractmethod
    def spread(self, X: Any, values: dict[str, Any], name: str) -> tuple[Parts, dict[str, Any]]:
        """Return a table in partitions, and in memory what belongs to its rows: y, a weight, ...

        `name` and those of `values` are arguments of `fit`.
        """

    def prepare(self, X: Any, fitted: FittedModel | None) -> FitRequest:
        """Return the request for a fit to a table; `fitted` is the model of an earlier fit."""
        self.cluster.workers()
        given = self.given
        own = {name: given[name] for name in FIT_PARAMS if given.get(name) is not None}
        parts, known = self.spread(X, own, "X")
        given = {**given, **known}
        if given.get("X_val") is not None:
            given |= self._validation(given)
        settings = resolve_settings(self.params, given.get("callbacks", ()))
        self._reader = ClusterReader(settings, self.params["categorical_features"])
        arguments = FitArguments(
            parts,
            {name: given.get(name) for name in (*FIT_PARAMS, "groups")},
            given.get("X_val"),
            {f"{name}_val": given.get(f"{name}_val") for name in FIT_PARAMS},
            given.get("validation_rows"),
            given.get("callbacks", ()),
            given.get("resume_from"),
        )
        return prepare_fit(
            self.name, self.params, arguments, fitted=fitted, reader=self._reader, stacklevel=3
        )

    def run(self, stage: Stage) -> FittedModel:
        """Add the rounds of a stage on the workers."""
        settings, callbacks, bar = stage.settings, list(stage.callbacks), None
        if settings.verbose:
            bar = Progress(settings.verbose)
            callbacks.append(bar)
        stage = replace(stage, settings=replace(settings, verbose=0), callbacks=callbacks)
        if self._reader.cuts is None:
            raise RuntimeError("the training data is read first")
        try:
            return ClusterStage(
                self.cluster, stage, self._reader.cuts, self.params["n_jobs"] is None
            ).run()
        finally:
            if bar is not None:
                bar.close()

    def fit(self, request: FitRequest) -> FittedModel:
        """Return the fitted model."""
        return fit_model(request, self.run)

    def _validation(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return X_val in partitions, and what belongs to their rows in memory."""
        several = isinstance(given["X_val"], (list, tuple))
        tables = list(given["X_val"]) if several else [given["X_val"]]
        found: dict[str, Any] = {f"{name}_val": given.get(f"{name}_val") for name in FIT_PARAMS}
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
            parts, known = self.spread(table, own, "X_val")
            sets.append(parts)
            for name in of_sets:
                values.setdefault(name, []).append(known.get(name))
        if several:
            return {"X_val": sets, **values}
        return {"X_val": sets[0], **{name: one[0] for name, one in values.items()}}


def check_cluster_parameters(
    module: str, params: dict[str, Any], callbacks: Sequence[Any], *, max_retries: int, every: int
) -> None:
    """Raise for settings that are wrong, before anything is computed for them.

    Parameters
    ----------
    module : str
        The module of the estimator.
    params : dict
        Its parameters.
    callbacks : sequence of callables
    max_retries, every : int
        How often to go on after a loss, and the rounds between two reports.
    """
    resolve_settings(params, callbacks)
    if params["engine"] != "xgboost":
        raise ValueError(
            f"engine={params['engine']!r} grows trees in one process; {module} has "
            'engine="xgboost", and wgboost.WGBRegressor and WGBClassifier have both'
        )
    check_start_elsewhere(
        params["init"],
        f'which no machine has all of; {module} starts at "flow" or at given particles, '
        "the estimators of wgboost at others too",
    )
    given = params["eval_metric"]
    for one in given if isinstance(given, (list, tuple)) else [given]:
        metric = find_metric(one)
        if metric is not None and metric.reduction is None:
            raise ValueError(
                f'eval_metric="{metric.name}" compares rows with each other, which are on '
                f'different workers; use "nll" here, "{metric.name}" with wgboost.WGBRegressor and '
                "WGBClassifier"
            )
    check_integer("max_retries", max_retries, low=0)
    check_integer("checkpoint_every", every, low=1)
