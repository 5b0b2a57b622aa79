"""What a fit is asked to do: settings and data, checked and frozen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wgboost.boosting.start import Start
from wgboost.data.schema import Schema
from wgboost.model import FittedModel
from wgboost.responses import Units
from wgboost.training.copies import Distinct
from wgboost.training.data import TrainingData
from wgboost.training.progress import FitProgress
from wgboost.training.settings import Settings
from wgboost.trees import Constraints

__all__ = ["FitRequest", "Paused", "SaveCheckpoint"]

SaveCheckpoint = Callable[[Any, FittedModel, "Paused"], None]
"""Writes (path, model so far, where the fit is) to a file."""


@dataclass(frozen=True, eq=False)
class Paused:
    """Where a fit is when a checkpoint is written.

    Attributes
    ----------
    stage : str
        The name of the stage; see `FitStage`.
    n_rounds : int
        The number of rounds that the stage ends with.
    watch : mapping or None
        What early stopping has seen.
    """

    stage: str
    n_rounds: int
    watch: Mapping[str, Any] | None


@dataclass(frozen=True, eq=False)
class FitRequest:
    """A fit before it begins.

    Attributes
    ----------
    settings : Settings
    schema : Schema
        The columns of X.
    data : TrainingData
    encoder : NumericEncoder, ClassEncoder or None
        How y was encoded.
    constraints : Constraints or None
        What trees are held to.
    validation : mapping
        Validation sets of the user by name.
    validation_rows : array or None
        Rows to hold out.
    groups : Distinct or None
        Rows that are held out together.
    early_stopping : bool
        Whether early stopping finds the number of rounds.
    cross_validates : bool
        Whether folds find it, where there are few rows.
    callbacks : sequence of callables
    previous : FittedModel or None
        The model to go on from.
    paused : Paused or None
        Where the fit was when the checkpoint was written that it goes on from.
    save : SaveCheckpoint or None
        Writes checkpoints.
    units : Units or None
        Units of y that several models have in common; None takes those of the data.
    like : Start or None
        The start of another model of some of these rows.
    goal : float
        The value of the metric that the model has to reach: its rounds end once it cannot.
    row_parameters : mapping
        The fit parameters that belong to rows.
    progress : FitProgress
    """

    settings: Settings
    schema: Schema
    data: TrainingData
    encoder: Any = None
    constraints: Constraints | None = None
    validation: Mapping[str, TrainingData] = field(default_factory=dict)
    validation_rows: Any = None
    groups: Distinct | None = None
    early_stopping: bool = False
    cross_validates: bool = False
    callbacks: Sequence[Any] = ()
    previous: FittedModel | None = None
    paused: Paused | None = None
    save: SaveCheckpoint | None = None
    units: Units | None = None
    like: Start | None = None
    goal: float = math.inf
    row_parameters: Mapping[str, Any] = field(default_factory=dict)
    progress: FitProgress = field(default_factory=FitProgress)

    @property
    def holds_out(self) -> bool:
        """Whether some of the training rows are held out."""
        asked = self.early_stopping or self.validation_rows is not None
        return not self.validation and asked
