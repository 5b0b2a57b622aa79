"""Several fitted models of the same data as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data import Schema
from wgboost.model.fitted import FittedModel, kept_metrics
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.typing import Array, Directions

__all__ = ["FittedBag"]


@dataclass(frozen=True, eq=False)
class FittedBag:
    """Models whose particles are predictions together.

    Attributes
    ----------
    members : tuple of FittedModel
        All models, with the same number of particles each.
    n_predictive : int
        The first so many members make predictions; the others take part in OOD scores only.
    interrupted : bool
        Whether Ctrl-C ended the fit.
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
        return kept_metrics(self.models)

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

    def relative(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None]:
        """Return the particles of all members, and the location and scale they refer to."""
        return _side_by_side([one.relative(matrix, n_threads, n_rounds) for one in self.members])

    def staged(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None]]:
        """Yield `relative` after 1, 2, ... rounds; a member keeps its last particles."""
        stages = [one.staged(matrix, n_threads) for one in self.members]
        latest = [(one.start.at(matrix), one.start.shift(matrix)) for one in self.members]
        for _ in range(self.n_rounds):
            latest = [next(stage, last) for stage, last in zip(stages, latest, strict=True)]
            yield _side_by_side(latest)

    def mixture(
        self, particles: Directions, shift: LocationScaleShift | None, **known: Any
    ) -> Mixture:
        """Return the distributions of rows with these particles; see `as_mixture`."""
        return self.members[0].mixture(particles, shift, **known)

    def predictive(self, dist: Mixture) -> Mixture:
        """Return the part of a mixture that predictions use: the members they consist of."""
        n_members = len(self.members)
        if self.n_predictive == n_members:
            return dist
        return dist.select_particles(
            slice(0, dist.particles.shape[1] // n_members * self.n_predictive)
        )

    def importances(self) -> Array | None:
        """Return the mean over members of each feature's share (p,) of the gain, or None."""
        each = [one.importances() for one in self.members]
        known = [one for one in each if one is not None]
        return np.mean(known, axis=0) if len(known) == len(each) else None


def _side_by_side(
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
