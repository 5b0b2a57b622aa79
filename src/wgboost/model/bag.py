"""Several fitted models of the same data as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.schema import Schema
from wgboost.model.base import BaseFitted
from wgboost.model.fitted import FittedModel, final_metrics
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.typing import Array, Directions

__all__ = ["FittedBag"]


@dataclass(frozen=True, eq=False)
class FittedBag(BaseFitted):
    """Hold several models of the same data, whose particles are predictions together.

    Parameters
    ----------
    members : tuple of FittedModel
        All models, with the same number of particles each.
    n_predictive : int
        Number of members, from the first on, that make predictions. The others take part in OOD
        scores only.
    interrupted : bool, default=False
        Whether Ctrl-C ended the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.model import FittedBag
    >>> X = np.arange(20.0)[:, None]
    >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, X[:, 0]).model_
    >>> FittedBag((model, model), n_predictive=2).n_particles
    20
    """

    members: tuple[FittedModel, ...]
    n_predictive: int
    interrupted: bool = False

    @property
    def models(self) -> tuple[FittedModel, ...]:
        """The models that predictions consist of."""
        return self.members[: self.n_predictive]

    @property
    def n_particles(self) -> int:
        """Number of particles of a prediction."""
        return sum(model.n_particles for model in self.models)

    @property
    def n_rounds(self) -> int:
        """The largest number of rounds of a member."""
        return max(model.n_rounds for model in self.members)

    @property
    def metrics(self) -> dict[str, float]:
        """Metrics of the first validation set after the last round, means over models."""
        return final_metrics(self.models)

    @property
    def schema(self) -> Schema | None:
        """The columns of X."""
        return self.members[0].schema

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return self.members[0].n_features

    @property
    def response(self) -> Response | None:
        """The response distribution."""
        return self.members[0].response

    @property
    def units(self) -> Units:
        """Units of y in training."""
        return self.members[0].units

    def predict_particles(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None]:
        """See `BaseFitted.predict_particles`; the particles of all members side by side."""
        return _concatenate(
            [one.predict_particles(matrix, n_threads, n_rounds) for one in self.members]
        )

    def staged_particles(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None]]:
        """See `BaseFitted.staged_particles`; a member keeps the particles of its last round."""
        stages = [one.staged_particles(matrix, n_threads) for one in self.members]
        latest = [(one.start.at(matrix), one.start.shift(matrix)) for one in self.members]
        for _ in range(self.n_rounds):
            latest = [next(stage, last) for stage, last in zip(stages, latest, strict=True)]
            yield _concatenate(latest)

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
        return self.members[0].mixture(
            particles, shift, offset=offset, exposure=exposure, prior=prior
        )

    def select_predictive(self, dist: Mixture) -> Mixture:
        """See `BaseFitted.select_predictive`."""
        n_members = len(self.members)
        if self.n_predictive == n_members:
            return dist
        n_particles = dist.particles.shape[1] // n_members * self.n_predictive
        return dist.select_particles(slice(0, n_particles))

    def feature_importances(self) -> Array | None:
        """See `BaseFitted.feature_importances`."""
        each = [one.feature_importances() for one in self.members]
        known = [one for one in each if one is not None]
        return np.mean(known, axis=0) if len(known) == len(each) else None


def _concatenate(
    parts: list[tuple[Directions, LocationScaleShift | None]],
) -> tuple[Directions, LocationScaleShift | None]:
    """Return the particles of all members, each relative to its own location and scale."""
    particles = [theta for theta, _ in parts]
    shifts = [shift for _, shift in parts]
    together: Directions = np.concatenate(particles, axis=1)
    if all(shift is None for shift in shifts):
        return together, None
    return together, LocationScaleShift.concatenate(
        shifts, [theta.shape[:2] for theta in particles]
    )
