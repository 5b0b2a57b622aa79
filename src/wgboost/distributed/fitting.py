"""Fits to tables that are spread over the workers of a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from wgboost.callbacks import Progress
from wgboost.data.binning import Cuts
from wgboost.data.schema import Schema
from wgboost.data.streaming import learn_numeric_columns
from wgboost.distributed.cluster import Cluster
from wgboost.distributed.cuts import find_cuts, find_ends
from wgboost.distributed.partitions import Partitions
from wgboost.distributed.stage import DistributedStage
from wgboost.estimators.attributes import set_model, warn_of_fit
from wgboost.estimators.base import BaseModel
from wgboost.estimators.preparing import FitArguments, prepare_fit
from wgboost.learners import TreeLearner
from wgboost.metrics.registry import find_metric
from wgboost.model import FittedModel
from wgboost.training.fit import fit_model
from wgboost.training.flat_parameters import flat_parameters
from wgboost.training.readers import Weigh, check_start_elsewhere
from wgboost.training.request import FitRequest
from wgboost.training.rounds import FitStage
from wgboost.training.settings import Settings, resolve_settings
from wgboost.validation import check_integer

__all__ = ["FIT_PARAMS", "DistributedFit", "PartitionReader", "check_cluster_parameters"]

FIT_PARAMS = ("y", "sample_weight", "offset", "exposure", "y_std")
"""Arguments of `fit` with a value for each row."""


@dataclass(eq=False)
class PartitionReader:
    """Reads tables in partitions: workers keep the codes of a table in place of its values.

    Attributes
    ----------
    settings : Settings
        The settings of the fit.
    categorical_features
        As in the estimators.
    cuts : Cuts or None
        The bin edges of all features, once the training data was read.
    """

    settings: Settings
    categorical_features: Any
    cuts: Cuts | None = None

    def training(
        self, X: Any, fit_params: dict[str, Any], schema: Schema | None, weigh: Weigh
    ) -> tuple[Schema, Any, dict[str, Any]]:
        """Read the training data; see `TableReader.training`."""
        parts: Partitions = X
        if schema is None:
            nonempty = next((i for i, n in enumerate(parts.lengths) if n), None)
            if nonempty is None:
                raise ValueError("X has no rows")
            first = parts.first_row(nonempty)
            schema, _ = learn_numeric_columns(first, self.categorical_features, "partitions")
        weight = weigh(fit_params["y"], fit_params["sample_weight"])
        self.cuts = find_cuts(parts, schema, self.settings.max_bins, weight)
        ends = find_ends(parts, schema, self.cuts, weight)
        return schema, replace(self.validation(parts, schema), ends=ends), fit_params

    def validation(self, X: Any, schema: Schema) -> Any:
        """Read validation data; see `TableReader.validation`."""
        if self.cuts is None:
            raise RuntimeError("the training data has to be read first")
        return X.encode(schema, self.cuts)


@dataclass(eq=False)
class DistributedFit(ABC):
    """One fit on the workers of a cluster, each of which keeps its rows.

    Attributes
    ----------
    cluster : Cluster
        The workers.
    name : str
        The class of the estimator.
    params : dict
        The parameters of the estimator.
    fit_params : dict
        The arguments of `fit` other than X.
    """

    cluster: Cluster
    name: str
    params: dict[str, Any]
    fit_params: dict[str, Any]
    module: ClassVar[str]
    """The module of the estimator, for error messages."""
    _reader: PartitionReader = field(init=False, repr=False)

    @abstractmethod
    def load(self, X: Any, values: dict[str, Any], name: str) -> tuple[Partitions, dict[str, Any]]:
        """Have workers hold the partitions of a table.

        Parameters
        ----------
        X : object
            The table, as `fit` was given it.
        values : dict
            Values of its rows (y, a weight, ...) by argument of `fit`.
        name : str
            The argument of `fit` that X was given as.

        Returns
        -------
        partitions : Partitions
            The table.
        values : dict
            The values, in memory.
        """

    def fit(self, estimator: BaseModel, X: Any) -> None:
        """Fit an estimator, and set its fitted attributes.

        Parameters
        ----------
        estimator : BaseModel
            The estimator to fit. A warm start continues its model.
        X : object
            The training table, as `fit` was given it.
        """
        request = self._prepare(X, estimator._fitted())
        model = fit_model(request, self._add_rounds)
        set_model(estimator, model)
        warn_of_fit(request, model, 3)

    def _prepare(self, X: Any, previous: FittedModel | None) -> FitRequest:
        """Return the request for a fit."""
        self.cluster.workers()
        given = self.fit_params
        own = {name: given[name] for name in FIT_PARAMS if given.get(name) is not None}
        parts, known = self.load(X, own, "X")
        given = {**given, **known}
        if given.get("X_val") is not None:
            given |= self._load_validation(given)
        settings = resolve_settings(self.params, given.get("callbacks", ()))
        self._reader = PartitionReader(settings, self.params["categorical_features"])
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
            self.name, self.params, arguments, fitted=previous, reader=self._reader, stacklevel=4
        )

    def _add_rounds(self, stage: FitStage) -> FittedModel:
        """Add the rounds of a stage on the workers."""
        settings, callbacks, bar = stage.settings, list(stage.callbacks), None
        if settings.verbose:
            bar = Progress(settings.verbose)
            callbacks.append(bar)
        stage = replace(stage, settings=replace(settings, verbose=0), callbacks=callbacks)
        if self._reader.cuts is None:
            raise RuntimeError("the training data has to be read first")
        try:
            return DistributedStage(
                self.cluster, stage, self._reader.cuts, self.params["n_jobs"] is None
            ).run()
        finally:
            if bar is not None:
                bar.close()

    def _load_validation(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return X_val in partitions, and the values of their rows in memory."""
        several = isinstance(given["X_val"], (list, tuple))
        tables = list(given["X_val"]) if several else [given["X_val"]]
        found: dict[str, Any] = {f"{name}_val": given.get(f"{name}_val") for name in FIT_PARAMS}
        of_sets = {
            name: value if several else [value]
            for name, value in found.items()
            if value is not None
        }
        if any(not isinstance(v, (list, tuple)) or len(v) != len(tables) for v in of_sets.values()):
            return {}  # the check of validation sets raises for it
        sets: list[Partitions] = []
        values: dict[str, list[Any]] = {}
        for i, table in enumerate(tables):
            own = {name: value[i] for name, value in of_sets.items() if value[i] is not None}
            parts, known = self.load(table, own, "X_val")
            sets.append(parts)
            for name in of_sets:
                values.setdefault(name, []).append(known.get(name))
        if several:
            return {"X_val": sets, **values}
        return {"X_val": sets[0], **{name: one[0] for name, one in values.items()}}


def check_cluster_parameters(
    module: str,
    params: dict[str, Any],
    callbacks: Sequence[Any],
    *,
    max_retries: int,
    checkpoint_every: int,
) -> None:
    """Check the parameters of an estimator before any work.

    Parameters
    ----------
    module : str
        The module of the estimator.
    params : dict
        Its parameters.
    callbacks : sequence of callables
        The callbacks of the fit.
    max_retries : int
        How often to continue after workers were lost.
    checkpoint_every : int
        The number of rounds between two reports.

    Raises
    ------
    ValueError
        If a parameter is wrong, or is not supported on a cluster.
    """
    resolve_settings(params, callbacks)
    if not isinstance(params["learner"], TreeLearner):
        raise ValueError(
            f"learner={params['learner']!r} is fitted in one process; {module} grows trees, and "
            "wgboost.WGBRegressor and WGBClassifier take any learner"
        )
    engine = flat_parameters(params)["engine"]
    if engine != "xgboost":
        raise ValueError(
            f"engine={engine!r} grows trees in one process; {module} has TreeLearner("
            'engine="xgboost"), and wgboost.WGBRegressor and WGBClassifier have both'
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
    check_integer("checkpoint_every", checkpoint_every, low=1)
