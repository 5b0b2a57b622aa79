"""How the tables of a fit become matrices: in memory, or from batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wgboost.boosting import AveragedFlow
from wgboost.data import Batches
from wgboost.data.schema import Schema
from wgboost.data.streaming import read_batches
from wgboost.learners.regressor import RegressorLearner
from wgboost.training.settings import Settings
from wgboost.training.tables import apply_schema, learn_schema
from wgboost.typing import Array

__all__ = ["MemoryReader", "TableReader", "Weigh", "check_start_elsewhere"]

Weigh = Callable[[Any, Any], Array | None]
"""The weights of rows in training, by y and sample weights."""


class TableReader(Protocol):
    """Reads the tables of a fit."""

    def training(
        self, X: Any, fit_params: dict[str, Any], schema: Schema | None, weigh: Weigh
    ) -> tuple[Schema, Any, dict[str, Any]]:
        """Return the columns, the matrix and the fit parameters of the training data.

        `schema` are the columns if they are known already.
        """

    def validation(self, X: Any, schema: Schema) -> Any:
        """Return the matrix of a validation set."""


@dataclass(frozen=True, eq=False)
class MemoryReader:
    """Reads tables in memory, and batches.

    Attributes
    ----------
    name : str
        The estimator, for messages.
    settings : Settings
    categorical_features
        As in the estimators.
    ignored : tuple of str
        Columns that an earlier fit took by name.
    """

    name: str
    settings: Settings
    categorical_features: Any
    ignored: tuple[str, ...] = ()

    def training(
        self, X: Any, fit_params: dict[str, Any], schema: Schema | None, weigh: Weigh
    ) -> tuple[Schema, Any, dict[str, Any]]:
        """See TableReader."""
        if isinstance(X, Batches):
            return self._read_batches(X, fit_params, schema, weigh)
        if schema is not None:
            matrix = apply_schema(schema, X, ignored=self.ignored, name=self.name)
            return schema, matrix, fit_params
        schema, matrix = learn_schema(
            X, categorical_features=self.categorical_features,
            weight=fit_params["sample_weight"], name=self.name,
        )  # fmt: skip
        return schema, matrix, fit_params

    def validation(self, X: Any, schema: Schema) -> Array:
        """See TableReader."""
        return apply_schema(schema, X, ignored=self.ignored, name=self.name)

    def _read_batches(
        self, batches: Batches, fit_params: dict[str, Any], schema: Schema | None, weigh: Weigh
    ) -> tuple[Schema, Any, dict[str, Any]]:
        for name in ("y", "sample_weight"):
            if fit_params.get(name) is not None:
                raise ValueError(f"{name} is in the batches: give (X, y) or (X, y, sample_weight)")
        settings = self.settings
        if settings.learner is not None:
            learner = settings.learner
            given = learner.regressor if isinstance(learner, RegressorLearner) else learner
            raise ValueError(
                f"learner={given!r} reads X itself, which is not in memory; batches are "
                "for trees (learner=None)"
            )
        where = 'which is not in memory; batches start at "flow" or at given particles'
        check_start_elsewhere(settings.init, where)
        schema, matrix, y, weight = read_batches(
            batches, schema, categorical_features=self.categorical_features,
            max_bins=settings.max_bins, n_threads=settings.n_threads, weigh=weigh,
        )  # fmt: skip
        return schema, matrix, {**fit_params, "y": y, "sample_weight": weight}


def check_start_elsewhere(init: Any, where: str) -> None:
    """Raise ValueError for a start that is fitted to an X that is elsewhere."""
    given = init is None or isinstance(init, (list, np.ndarray, AveragedFlow))
    if not given and not (isinstance(init, str) and init in ("auto", "flow")):
        raise ValueError(f"init={init!r} is fitted to X, {where}")
