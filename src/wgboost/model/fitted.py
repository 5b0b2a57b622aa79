"""A fitted model: the trees of all rounds, where particles start, and how the fit went."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wgboost.boosting import Start
from wgboost.data import Schema
from wgboost.ensemble import FlatTrees, RoundList
from wgboost.model.mixtures import as_mixture
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.typing import Array, Directions

__all__ = ["FittedModel", "History", "kept_metrics"]

History = dict[str, dict[str, list[float]]]
"""Metric values by validation set, metric and round, from before the first round on."""


@dataclass(frozen=True, eq=False)
class FittedModel:
    """One fitted model, as training returns it and as a model file holds it.

    Attributes
    ----------
    ensemble : FlatTrees or RoundList
        The functions of all rounds.
    start : Start
        Start particles as a function of x.
    units : Units
        Units of y in training.
    history : History
        What validation sets were measured at.
    interrupted : bool
        Whether Ctrl-C ended the fit.
    held_out : array or None
        Indices of training rows that the model was not trained on.
    refitted : bool
        Whether the model was fitted again on all rows, with the number of rounds that early
        stopping found.
    limit : int or None
        The number of rounds at which early stopping ended with the metric still improving.
    schema : Schema
        The columns of X.
    response : Response or None
        The response distribution; None for general targets.
    classes, ranks : array (k,) or None
        Labels of a classifier, sorted and from low to high.
    n_outputs : int
        Columns of y.
    proposal : tuple or None
        The response that ``response="auto"`` chose, and why.
    seed : int
        Seed of the fit.
    evidence : float
        The mean evidence of a row.
    evidence_trials : list of dict or None
        What a search for the evidence tried.
    init, constraints : str
        The start and the constraints as text, which a warm start must not change.
    row_hashes : array or None
        Hashes of some of the training rows.
    row_parameters : dict
        The fit parameters that belong to rows: the name of a column, or True.
    """

    ensemble: FlatTrees | RoundList
    start: Start
    units: Units = field(default_factory=Units)
    history: History = field(default_factory=dict)
    interrupted: bool = False
    held_out: Array | None = None
    refitted: bool = False
    limit: int | None = None
    schema: Schema | None = None
    response: Response | None = None
    classes: Array | None = None
    ranks: Array | None = None
    n_outputs: int = 1
    proposal: tuple[str, str] | None = None
    seed: int = 0
    evidence: float = 1.0
    evidence_trials: list[dict[str, Any]] | None = None
    init: str = ""
    constraints: str = "None"
    row_hashes: Array | None = None
    row_parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return self.ensemble.n_rounds

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return 0 if self.schema is None else len(self.schema.levels)

    @property
    def models(self) -> tuple[FittedModel, ...]:
        """The models that predictions consist of: this one."""
        return (self,)

    @property
    def n_particles(self) -> int:
        """Number of particles of a prediction."""
        return self.start.shape[0]

    @property
    def metrics(self) -> dict[str, float]:
        """Metrics of the first validation set after the last round."""
        return kept_metrics(self.models)

    def relative(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None]:
        """Return the particles (n, m, d) of rows, and the location and scale they refer to."""
        particles: Directions = self.ensemble.predict(
            matrix, start=self.start.at(matrix), n_rounds=n_rounds, n_threads=n_threads
        )
        return particles, self.start.shift(matrix)

    def staged(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None]]:
        """Yield `relative` after 1, 2, ... rounds."""
        shift = self.start.shift(matrix)
        stages = self.ensemble.staged_predict(
            matrix, start=self.start.at(matrix), n_threads=n_threads
        )
        for particles in stages:
            yield particles, shift

    def mixture(
        self, particles: Directions, shift: LocationScaleShift | None, **known: Any
    ) -> Mixture:
        """Return the distributions of rows with these particles; see `as_mixture`."""
        if self.response is None:
            raise TypeError("a model of general targets has particles, not distributions of y")
        return as_mixture(
            particles, shift, self.response, self.units, classes=self.classes, ranks=self.ranks,
            **known,
        )  # fmt: skip

    def predictive(self, dist: Mixture) -> Mixture:
        """Return the part of a mixture that predictions use: all of it."""
        return dist

    def apply(self, matrix: Array, n_threads: int = 1) -> Array:
        """Return the leaf (n, trees) that each row reaches in each tree."""
        if not isinstance(self.ensemble, FlatTrees):
            raise TypeError("apply needs native trees; this model has another learner")
        leaves: Array = self.ensemble.apply(matrix, n_threads=n_threads)
        return leaves

    def importances(self) -> Array | None:
        """Return each feature's share (p,) of the total gain; None without native trees."""
        if not isinstance(self.ensemble, FlatTrees):
            return None
        gains: Array = self.ensemble.feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def measured(self, name: str, metrics: Iterable[str]) -> dict[str, list[float]]:
        """Return what was measured on a set before the last round, NaN where it was not."""
        known = self.history.get(name, {})
        values = {metric: known.get(metric, [])[: self.n_rounds] for metric in metrics}
        return {m: [*v, *[math.nan] * (self.n_rounds - len(v))] for m, v in values.items()}


def kept_metrics(models: Iterable[FittedModel]) -> dict[str, float]:
    """Return the metrics of the first validation set after the last round, means over models."""
    found: dict[str, list[float]] = {}
    for model in models:
        for name, values in next(iter(model.history.values()), {}).items():
            found.setdefault(name, []).append(values[model.n_rounds])
    return {name: float(np.mean(values)) for name, values in found.items()}
