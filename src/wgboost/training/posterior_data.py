"""Rows whose target is the posterior of response parameters given their y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.boosting.start import EstimatorStart, Start
from wgboost.metrics import Metric, as_metric, nll
from wgboost.predictive import make_mixture
from wgboost.responses import Response, Units
from wgboost.responses.censoring import check_noise, is_censored
from wgboost.responses.exposure import known_offset
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.responses.observations import Observations, Observed, standardise, subtract_offset
from wgboost.targets.posterior import PosteriorTarget
from wgboost.training.data import TrainingData
from wgboost.training.settings import Settings
from wgboost.training.smooth_starts import left_out
from wgboost.training.starts import make_start
from wgboost.typing import Array, Directions
from wgboost.validation import check_weight

__all__ = ["PosteriorData", "check_evidence", "known_parts", "without_rows"]


@dataclass(frozen=True, eq=False)
class PosteriorData(TrainingData):
    """Rows of evidential learning."""

    y: Array  # (n,) or (n, q), in the user's units; `censored` perhaps
    response: Response  # its prior may hold one value per row
    evidence: Any = 1.0  # a number, or (n,)
    offset: Array | None = None  # (n,)
    noise: Array | None = None  # (n,)
    shift: LocationScaleShift | None = None  # what their particles are relative to
    location: Array | None = None  # (n, ...): where they start, if not as new rows do
    sought: bool = False  # whether a search found the evidence, not the user

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def observed(self) -> Observed:
        """What is known of y, as it would be without its offset."""
        observed: Observed = self.y
        if is_censored(self.y) or self.noise is not None:
            bounded = Observations.of(self.y, noise=self.noise)
            observed = bounded.lower if bounded.plain else bounded
        return (
            observed
            if self.offset is None
            else subtract_offset(observed, self.response, self.offset)
        )

    def tree_weight(self, leaf: str) -> Array | None:
        """See TrainingData.

        Evidence that was searched for says how close particles lie, not whose y counts.

        Curvature grows with evidence, and rows weigh by it in leaves of "newton". What is divided
        by it here: neighbours count as they would with the same evidence, and their particles
        have the mean of the variances that each of them is due.
        """
        if leaf != "newton" or not self.sought or np.ndim(self.evidence) == 0:
            return self.weight
        share: Array = 1.0 / self.evidence
        share /= np.average(share, weights=self.weight)
        return share if self.weight is None else self.weight * share

    @property
    def classes(self) -> Array | None:
        """See TrainingData."""
        return self.y if self.response.nominal else None

    @property
    def target_columns(self) -> list[Array] | None:
        """See TrainingData."""
        names = self.y.dtype.names
        observed = [self.y[name] for name in names] if names else [self.y]
        each = self.evidence if np.ndim(self.evidence) else None
        given = [self.offset, self.noise, each, *self.response.per_row().values()]
        # Values that all rows share do not distinguish them.
        differing = [part for part in given if part is not None and (part != part[:1]).any()]
        return [column for part in observed + differing for column in part.reshape(len(self), -1).T]

    @property
    def can_start_smooth(self) -> bool:
        """Whether the response has a location and a scale, and y is known and not bounds of it."""
        if self.response.log_scale is None or self.response.offset_link is None:
            return False
        observed = self.observed
        return not isinstance(observed, Observations) or bool(
            observed.exact.all() and observed.above is None
        )

    @property
    def varied(self) -> bool:
        """See TrainingData."""
        y = self.y[self.counted]
        return not isinstance(y, np.ndarray) or bool((y != y[:1]).any())

    @property
    def param_names(self) -> tuple[str, ...]:
        """See TrainingData."""
        return self.response.param_names

    def units(self) -> Units:
        """See TrainingData."""
        value = self.observed.value if isinstance(self.observed, Observations) else self.observed
        return self.response.units(value, self.weight)

    def take(self, index: Array) -> PosteriorData:
        """See TrainingData."""
        return PosteriorData(
            self.X[index],
            None if self.weight is None else self.weight[index],
            self.y[index],
            self.response.take(index),
            self.evidence[index] if np.ndim(self.evidence) else self.evidence,
            None if self.offset is None else self.offset[index],
            None if self.noise is None else self.noise[index],
            None if self.shift is None else self.shift[index],
            None if self.location is None else self.location[index],
            self.sought,
        )

    def n_params(self, settings: Settings) -> int:  # noqa: ARG002
        """See TrainingData."""
        return self.response.n_params

    def validation(self, encoder: Any, X: Array, fit_params: dict[str, Any]) -> PosteriorData:
        """See TrainingData."""
        response = without_rows(self.response)
        y = response.check(encoder.encode(fit_params["y"]))
        weight = check_weight(fit_params["sample_weight"], len(X))
        names = ("offset", "exposure", "y_std")
        known = known_parts(response, y, *(fit_params[name] for name in names))
        return PosteriorData(X, weight, y, response, 1.0, *known)

    def start(
        self, settings: Settings, n_levels: Array, units: Units, like: Start | None = None
    ) -> tuple[Start, PosteriorData]:
        """See TrainingData."""
        start, shift, location = make_start(settings, self, n_levels, units, like)
        return start, replace(self, shift=shift, location=location)

    def resumed(
        self, settings: Settings, n_levels: Array, units: Units, start: Start
    ) -> PosteriorData:
        """See TrainingData."""
        if isinstance(start, EstimatorStart):  # training rows start at out-of-fold predictions
            return self.start(settings, n_levels, units)[1]
        return replace(self, shift=left_out(start, self, units))

    def particles(self, start: Start) -> Directions:
        """See TrainingData."""
        if self.location is not None and isinstance(start, EstimatorStart):
            return start.moved(self.location)
        return start.at(self.X)

    def relative_to(self, start: Start) -> PosteriorData:
        """See TrainingData."""
        return replace(self, shift=start.shift(self.X))

    def target(self, units: Units) -> PosteriorTarget:
        """See TrainingData."""
        observed = standardise(self.observed, units)
        if self.shift is not None:
            observed = self.shift.subtract_from(observed, self.response)
        return PosteriorTarget(self.response, observed, self.evidence)

    def metric(self, chosen: Any) -> Metric:
        """See TrainingData."""
        return as_metric(chosen, self.response)

    def scorer(self, metric: Metric, units: Units) -> Callable[[Directions], float]:
        """See TrainingData."""
        y: Any = self.y
        if self.noise is not None and metric.function is nll:
            y = Observations.of(self.y, noise=self.noise)
        response = without_rows(self.response)

        def score(particles: Directions) -> float:
            if self.shift is not None:
                particles = self.shift.apply_to(particles, response)
            if self.offset is not None:
                particles = response.with_offset(particles, self.offset, units)
            return metric(make_mixture(response, particles, units), y, self.weight)

        return score


def without_rows(response: Response) -> Response:
    """Return the response without the values that its prior has for each training row."""
    return response.take(slice(0, 0)) if response.per_row() else response


def known_parts(
    response: Response, y: Array, offset: Any, exposure: Any, y_std: Any
) -> tuple[Array | None, Array | None]:
    """Return the offset and the measurement error (n,) of rows, checked; None where not given."""
    n = len(y)
    known = known_offset(response, offset, exposure, n)
    if y_std is None:
        return known, None
    if response.y_shape:
        raise ValueError(f"the response {response.name!r} takes no measurement error y_std")
    return known, check_noise(y_std, y)


def check_evidence(evidence: Any, n: int) -> Any:
    """Return the evidence as a number, or one for each of n rows."""
    if np.ndim(evidence) == 0:
        return float(evidence)
    values = np.asarray(evidence, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(
            f"evidence has shape {values.shape}; a number, or one for each of {n} rows, is needed"
        )
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"evidence is {values[row]} at row {row}; it must be finite and > 0")
    return values
