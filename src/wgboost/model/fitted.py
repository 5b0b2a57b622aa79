"""A fitted model: the trees of all rounds, where particles start, and how the fit went."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wgboost.boosting.start import GPStart, Start
from wgboost.data.schema import Schema
from wgboost.ensemble import RoundList
from wgboost.model.base import BaseFitted, RowParticles
from wgboost.model.error_model import ErrorModel
from wgboost.model.mixtures import as_mixture, certain_particles, with_classes
from wgboost.model.unsupported import largest_error, predicted_variance, with_lost
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.exposure import known_offset
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.trees.flat import FlatTrees
from wgboost.trees.support import Support, SupportResult
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
    search_trials : list of dict or None, default=None
        What a search for the start and the evidence tried.
    init : str, default=""
        Description of the start. A warm start must not change it.
    constraints : str, default="None"
        Description of the constraints. A warm start must not change it.
    row_hashes : ndarray or None, default=None
        Hashes of some of the training rows.
    row_parameters : dict
        Fit parameters that belong to rows: the name of a column, or True. Empty by default.
    errors : ErrorModel or None, default=None
        The expected squared error of predictions as a function of x; with a smooth start, relative
        to the variance of the Gaussian process.
    known_support : Support or None, default=None
        What the model knows of its training rows; None if it was not to keep it.
    held_out_lack : float or None, default=None
        Root mean square of what rows that early stopping held out lacked of support.

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
    search_trials: list[dict[str, Any]] | None = None
    init: str = ""
    constraints: str = "None"
    row_hashes: Array | None = None
    row_parameters: Mapping[str, Any] = field(default_factory=dict)
    errors: ErrorModel | None = None
    known_support: Support | None = None
    held_out_lack: float | None = None

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
    ) -> RowParticles:
        """See `BaseFitted.predict_particles`."""
        if self.known_support is not None:
            particles, shift, result = self.predict_supported(matrix, n_threads, n_rounds)
        else:
            particles = self.ensemble.predict(
                matrix, start=self.start.at(matrix), n_rounds=n_rounds, n_threads=n_threads
            )
            shift, result = self.start.shift(matrix), None
        error = self._error(matrix, particles, shift, n_rounds, n_threads)
        known = RowParticles(particles, shift, error)
        return with_lost(known, result, self.response, self.constraints)

    def _error(
        self, matrix: Array, particles: Directions, shift: LocationScaleShift | None,
        n_rounds: int | None, n_threads: int,
    ) -> Array | None:  # fmt: skip
        """Return the expected squared error (n, q) of rows after so many rounds, or None."""
        if isinstance(self.start, GPStart) and shift is not None:
            gp, variance = self.start.gp, self._variance(particles, shift)[:, None]
            if self.errors is None or n_rounds not in (None, self.n_rounds):
                share: Array = gp.epistemic_share(shift)
                return share[:, None] * variance
            process = gp.function_variance(shift)[:, None]
            return self.errors.of_process(variance, process, self.errors.at(matrix, n_threads))
        if self.errors is None or n_rounds not in (None, self.n_rounds):
            return None
        error = self.errors.at(matrix, n_threads)
        if self.response is not None and self.response.nominal:
            return np.minimum(error, largest_error(self.response, particles))
        if self.response is not None and self.errors.noise.any():
            variance = predicted_variance(self.response, particles)
            return self.errors.share_of(variance, error)
        return error

    def _variance(self, particles: Directions, shift: LocationScaleShift) -> Array:
        """Return the variance (n,) of y that particles predict, up to a factor of the response."""
        response = self.response
        if response is None or response.log_scale is None:
            raise TypeError("a shift needs a response with a scale")
        location = particles[:, :, response.location].var(axis=1, dtype=np.float64)
        scale = np.exp(2.0 * particles[:, :, response.log_scale]).mean(axis=1, dtype=np.float64)
        variance: Array = np.exp(2 * shift.log_scale) * (location + scale)
        return variance

    def staged_particles(self, matrix: Array, n_threads: int = 1) -> Iterator[RowParticles]:
        """See `BaseFitted.staged_particles`."""
        stages: Iterable[tuple[Directions, LocationScaleShift | None, SupportResult | None]]
        if self.known_support is not None:
            stages = self.staged_supported(matrix, n_threads)
        else:
            shift = self.start.shift(matrix)
            after_rounds = self.ensemble.staged_predict(
                matrix, start=self.start.at(matrix), n_threads=n_threads
            )
            stages = ((particles, shift, None) for particles in after_rounds)
        for n_rounds, (particles, shift, result) in enumerate(stages, start=1):
            error = self._error(matrix, particles, shift, n_rounds, n_threads)
            known = RowParticles(particles, shift, error)
            yield with_lost(known, result, self.response, self.constraints)

    def support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> SupportResult:
        """See `BaseFitted.support`."""
        known, trees = self._known()
        return known.judge(trees, matrix, n_rounds=n_rounds, n_threads=n_threads)

    def predict_supported(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None, SupportResult]:
        """See `BaseFitted.predict_supported`."""
        known, trees = self._known()
        particles, result = known.predict(
            trees, matrix, self.start.at(matrix), n_rounds=n_rounds, n_threads=n_threads
        )
        return particles, self.start.shift(matrix), result

    def staged_supported(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None, SupportResult]]:
        """See `BaseFitted.staged_supported`."""
        (known, trees), shift = self._known(), self.start.shift(matrix)
        stages = known.staged(trees, matrix, self.start.at(matrix), n_threads=n_threads)
        for particles, result in stages:
            yield particles, shift, result

    def explain_support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> Array:
        """See `BaseFitted.explain_support`."""
        known, trees = self._known()
        return known.explain(trees, matrix, n_rounds=n_rounds, n_threads=n_threads)

    @property
    def knows_support(self) -> bool:
        """Whether the model can tell the support of rows."""
        return self.known_support is not None

    def distance(self, matrix: Array, n_threads: int = 1) -> Array:
        """See `BaseFitted.distance`."""
        return self._known()[0].distance(matrix, n_threads=n_threads)

    def surroundings(
        self, matrix: Array, trained: Array, n_threads: int = 1
    ) -> tuple[Array, Array]:
        """See `BaseFitted.surroundings`."""
        known, trees = self._known()
        support, distance = np.empty(len(matrix)), np.empty(len(matrix))
        if not trained.all():
            new = matrix[~trained]
            support[~trained] = known.judge(trees, new, n_threads=n_threads).support
            distance[~trained] = known.distance(new, n_threads=n_threads)
        if trained.any():
            old = matrix[trained]
            support[trained] = known.left_out(trees, old, n_threads=n_threads)
            distance[trained] = known.left_out_distance(old, n_threads=n_threads)
        return support, distance

    @property
    def left_out_rows(self) -> tuple[Array, Array]:
        """See `BaseFitted.left_out_rows`."""
        return self._known()[0].left_out_rows

    def _known(self) -> tuple[Support, FlatTrees]:
        """Return what is known of training rows, and the trees."""
        if not isinstance(self.ensemble, FlatTrees):
            raise TypeError(
                "support is where training rows are in the nodes of trees; this model has another "
                "learner"
            )
        if self.known_support is None:
            raise ValueError(
                "the model does not know where its training rows are: it was fitted with "
                "TreeLearner(support=False), by an earlier version of wgboost, or it is the "
                "checkpoint of a fit that has not ended; fit it again"
            )
        return self.known_support, self.ensemble

    def mixture(
        self,
        particles: Directions,
        shift: LocationScaleShift | None = None,
        error: Array | None = None,
        support: Array | None = None,
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
        dist = as_mixture(
            particles, shift, response, self.units, offset=known, prior=prior, error=error
        )
        dist = dist if classes is None else with_classes(dist, classes, self.ranks)
        dist.row_support = support
        return dist

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
