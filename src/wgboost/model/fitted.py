"""A fitted model: the trees of all rounds, where particles start, and how the fit went."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wgboost.boosting.start import Start
from wgboost.data.schema import Schema
from wgboost.ensemble import RoundList
from wgboost.model.base import BaseFitted
from wgboost.model.mixtures import as_mixture, certain_particles, with_classes
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.exposure import known_offset
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.trees.flat import FlatTrees
from wgboost.typing import Array, Directions

__all__ = ["FittedModel", "History", "final_metrics"]

History = dict[str, dict[str, list[float]]]
"""Metric values by validation set, metric and round, from before the first round on."""


@dataclass(frozen=True, eq=False)
class FittedModel(BaseFitted):
    """Hold one fitted model, as training returns it and a model file stores it.

    Parameters
    ----------
    ensemble : FlatTrees or RoundList
        The functions of all rounds.
    start : Start
        Start particles as a function of x.
    units : Units
        Shift and scale that standardise y in training; none by default.
    history : History
        Metrics of validation sets; empty by default.
    interrupted : bool, default=False
        Whether Ctrl-C ended the fit.
    held_out : ndarray or None, default=None
        Indices of training rows that the model was not trained on.
    refitted : bool, default=False
        Whether the model was fitted again on all rows, with the number of rounds that early
        stopping found.
    limit : int or None, default=None
        The number of rounds at which the fit ended while the metric was still improving.
    schema : Schema or None, default=None
        The columns of X.
    response : Response or None, default=None
        The response distribution; None for general targets.
    classes : ndarray of shape (k,) or None, default=None
        Sorted labels of a classifier.
    ranks : ndarray of shape (k,) or None, default=None
        Labels of an ordinal classifier from low to high.
    n_outputs : int, default=1
        Number of columns of y.
    proposal : tuple of str or None, default=None
        The response that ``response="auto"`` chose, and why.
    seed : int, default=0
        Seed of the fit.
    evidence : float, default=1.0
        The mean evidence of a row.
    evidence_trials : list of dict or None, default=None
        What a search for the evidence tried.
    init : str, default=""
        Description of the start. A warm start must not change it.
    constraints : str, default="None"
        Description of the constraints. A warm start must not change it.
    row_hashes : ndarray or None, default=None
        Hashes of some of the training rows.
    row_parameters : dict
        Fit parameters that belong to rows: the name of a column, or True. Empty by default.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
    >>> type(model).__name__, model.n_rounds, model.n_particles
    ('FittedModel', 2, 10)
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
        return final_metrics(self.models)

    def predict_particles(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None]:
        """See `BaseFitted.predict_particles`."""
        particles: Directions = self.ensemble.predict(
            matrix, start=self.start.at(matrix), n_rounds=n_rounds, n_threads=n_threads
        )
        return particles, self.start.shift(matrix)

    def staged_particles(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None]]:
        """See `BaseFitted.staged_particles`."""
        shift = self.start.shift(matrix)
        stages = self.ensemble.staged_predict(
            matrix, start=self.start.at(matrix), n_threads=n_threads
        )
        for particles in stages:
            yield particles, shift

    def mixture(
        self,
        particles: Directions,
        shift: LocationScaleShift | None = None,
        *,
        offset: Any = None,
        exposure: Any = None,
        prior: dict[str, Any] | None = None,
    ) -> Mixture:
        """See `BaseFitted.mixture`."""
        response, classes = self.response, self.classes
        if response is None:
            raise TypeError("a model of general targets has particles, not distributions of y")
        if classes is not None and len(classes) == 1:
            particles = certain_particles(particles, response)
        known = known_offset(response, offset, exposure, len(particles))
        dist = as_mixture(particles, shift, response, self.units, offset=known, prior=prior)
        return dist if classes is None else with_classes(dist, classes, self.ranks)

    def select_predictive(self, dist: Mixture) -> Mixture:
        """See `BaseFitted.select_predictive`; a single model uses all particles."""
        return dist

    def feature_importances(self) -> Array | None:
        """See `BaseFitted.feature_importances`."""
        if not isinstance(self.ensemble, FlatTrees):
            return None
        gains: Array = self.ensemble.feature_gains()
        total = gains.sum()
        return gains / total if total > 0 else gains

    def apply(self, matrix: Array, n_threads: int = 1) -> Array:
        """Find the leaf that each row reaches in each tree.

        Parameters
        ----------
        matrix : ndarray of shape (n, p)
            Features, encoded by the schema of the model.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n, n_trees)
            Indices of leaves.

        Raises
        ------
        TypeError
            If the learner is not `HistTree`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> model.apply(X).shape[0]
        20
        """
        if not isinstance(self.ensemble, FlatTrees):
            raise TypeError("apply needs native trees; this model has another learner")
        leaves: Array = self.ensemble.apply(matrix, n_threads=n_threads)
        return leaves

    def padded_history(self, name: str, metrics: Iterable[str]) -> dict[str, list[float]]:
        """Return the history of a validation set before the last round, padded with NaN.

        Parameters
        ----------
        name : str
            Name of the validation set.
        metrics : iterable of str
            Names of metrics.

        Returns
        -------
        dict of str to list of float
            One value for each round and metric; NaN where the metric was not computed.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(20.0)[:, None]
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
        >>> model.padded_history("validation", ["nll"])
        {'nll': [nan, nan]}
        """
        known = self.history.get(name, {})
        values = {metric: known.get(metric, [])[: self.n_rounds] for metric in metrics}
        return {m: [*v, *[math.nan] * (self.n_rounds - len(v))] for m, v in values.items()}


def final_metrics(models: Iterable[FittedModel]) -> dict[str, float]:
    """Return the metrics of the first validation set after the last round, means over models."""
    found: dict[str, list[float]] = {}
    for model in models:
        for name, values in next(iter(model.history.values()), {}).items():
            found.setdefault(name, []).append(values[model.n_rounds])
    return {name: float(np.mean(values)) for name, values in found.items()}
