"""Several fitted models of the same data as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.data.schema import Schema
from wgboost.model.base import BaseFitted, RowParticles
from wgboost.model.fitted import FittedModel, final_metrics
from wgboost.predictive import Mixture
from wgboost.responses import Response, Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.trees.support import SupportResult
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["FittedBag"]

_LEAST_SHARE = 0.1  # of the mean error of members that their mean keeps


@dataclass(frozen=True, eq=False)
class FittedBag(BaseFitted):
    """Hold several models of the same data, whose particles are predictions together.

    Parameters
    ----------
    members : tuple of FittedModel
        All models, with the same number of particles each.
    n_predictive : int
        Number of members, from the first on, that make predictions: all, except in files of earlier
        versions. Their further members take part in OOD scores only.
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
    ) -> RowParticles:
        """See `BaseFitted.predict_particles`; the particles of all members side by side."""
        rounds = self._rounds_of_members(n_rounds)
        pairs = zip(self.members, rounds, strict=True)
        return self._joined([one.predict_particles(matrix, n_threads, r) for one, r in pairs])

    def _rounds_of_members(self, n_rounds: int | None) -> list[int | None]:
        """Return how many rounds of each member are used: all of it where it has fewer."""
        if n_rounds is None:
            return [None] * len(self.members)
        check_integer("n_rounds", n_rounds, low=0, high=self.n_rounds, hint="None takes all rounds")
        return [min(n_rounds, one.n_rounds) for one in self.members]

    def _joined(self, parts: list[RowParticles]) -> RowParticles:
        """Return the particles of all members with the error and the support of the bag."""
        predictive = parts[: self.n_predictive]
        return _concatenate(parts)._replace(
            error=self._error(predictive), support=_mean_support(predictive)
        )

    def _error(self, parts: list[RowParticles]) -> Array | None:
        """Return the expected squared error of the mean of all members.

        It is the mean of theirs minus the variance of their predictions. Some of it is always left,
        since members share what they do not know.
        """
        if any(one.error is None for one in parts):
            return None
        errors = np.stack([one.error for one in parts if one.error is not None])
        expected = np.stack([self._expected(one) for one in parts])
        between = np.square(expected - expected.mean(axis=0)).mean(axis=0)
        if self.response is not None and self.response.nominal:
            between = between.sum(axis=1, keepdims=True)
        mean: Array = errors.mean(axis=0)
        error: Array = np.maximum(mean - between, _LEAST_SHARE * mean)
        return error

    def _expected(self, part: RowParticles) -> Array:
        """Return the mean locations of a member, or its class probabilities, (n, q)."""
        response = self.response
        if response is None:
            raise TypeError("a model of general targets has no response")
        theta = part.particles.astype(np.float64)
        if response.nominal:
            return np.asarray(response.probabilities(theta).mean(axis=1))
        if part.shift is not None:
            theta = part.shift.apply_to(theta, response)
        mean: Array = theta.mean(axis=1)[:, response.location]
        return mean.reshape(len(mean), -1)

    def staged_particles(self, matrix: Array, n_threads: int = 1) -> Iterator[RowParticles]:
        """See `BaseFitted.staged_particles`; a member keeps the particles of its last round."""
        stages = [one.staged_particles(matrix, n_threads) for one in self.members]
        latest = [one.predict_particles(matrix, n_threads, 0) for one in self.members]
        for _ in range(self.n_rounds):
            latest = [next(stage, last) for stage, last in zip(stages, latest, strict=True)]
            yield self._joined(latest)

    @property
    def knows_support(self) -> bool:
        """Whether all members that make predictions can tell the support of rows."""
        return all(model.knows_support for model in self.members)

    def support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> SupportResult:
        """See `BaseFitted.support`; lost values of all members, and the mean of `models`."""
        pairs = zip(self.members, self._rounds_of_members(n_rounds), strict=True)
        return self._together([one.support(matrix, n_threads, r) for one, r in pairs])

    def predict_supported(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> tuple[Directions, LocationScaleShift | None, SupportResult]:
        """See `BaseFitted.predict_supported`; see `support`."""
        pairs = zip(self.members, self._rounds_of_members(n_rounds), strict=True)
        parts = [one.predict_supported(matrix, n_threads, r) for one, r in pairs]
        return *_concatenate([RowParticles(*part[:2]) for part in parts])[:2], self._together(
            [p[2] for p in parts]
        )

    def staged_supported(
        self, matrix: Array, n_threads: int = 1
    ) -> Iterator[tuple[Directions, LocationScaleShift | None, SupportResult]]:
        """See `BaseFitted.staged_supported`; a member keeps the state of its last round."""
        stages = [one.staged_supported(matrix, n_threads) for one in self.members]
        latest = [one.predict_supported(matrix, n_threads, 0) for one in self.members]
        for _ in range(self.n_rounds):
            latest = [next(stage, last) for stage, last in zip(stages, latest, strict=True)]
            particles, shift, *_ = _concatenate([RowParticles(*part[:2]) for part in latest])
            yield particles, shift, self._together([part[2] for part in latest])

    def _together(self, results: list[SupportResult]) -> SupportResult:
        support = np.mean([one.support for one in results[: self.n_predictive]], axis=0)
        return SupportResult(support, np.concatenate([one.lost for one in results], axis=1))

    def explain_support(
        self, matrix: Array, n_threads: int = 1, n_rounds: int | None = None
    ) -> Array:
        """See `BaseFitted.explain_support`; means over `models`."""
        rounds = self._rounds_of_members(n_rounds)[: len(self.models)]
        pairs = zip(self.models, rounds, strict=True)
        each = [one.explain_support(matrix, n_threads, r) for one, r in pairs]
        found: Array = np.mean(each, axis=0)
        return found

    def distance(self, matrix: Array, n_threads: int = 1) -> Array:
        """See `BaseFitted.distance`; means over `models`."""
        found: Array = np.mean([one.distance(matrix, n_threads) for one in self.models], axis=0)
        return found

    def surroundings(
        self, matrix: Array, trained: Array, n_threads: int = 1
    ) -> tuple[Array, Array]:
        """See `BaseFitted.surroundings`; means over `models`."""
        each = [one.surroundings(matrix, trained, n_threads) for one in self.models]
        support, distance = np.mean(each, axis=0)
        return support, distance

    @property
    def left_out_rows(self) -> tuple[Array, Array]:
        """See `BaseFitted.left_out_rows`; those of all `models` together."""
        supports, distances = zip(*(one.left_out_rows for one in self.models), strict=True)
        return np.concatenate(supports), np.concatenate(distances)

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
        return self.members[0].mixture(
            particles, shift, error, support, offset=offset, exposure=exposure, prior=prior
        )

    def select_predictive(self, dist: Mixture) -> Mixture:
        """See `BaseFitted.select_predictive`; only bags of earlier versions have other members."""
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


def _mean_support(parts: list[RowParticles]) -> Array | None:
    """Return the mean support (n,) of the members; None unless all know theirs."""
    known = [one.support for one in parts if one.support is not None]
    return np.mean(known, axis=0) if len(known) == len(parts) else None


def _concatenate(
    parts: list[RowParticles],
) -> RowParticles:
    """Return the particles of all members, each relative to its own location and scale."""
    particles, shifts = [one.particles for one in parts], [one.shift for one in parts]
    together: Directions = np.concatenate(particles, axis=1)
    if all(shift is None for shift in shifts):
        return RowParticles(together)
    shapes = [theta.shape[:2] for theta in particles]
    return RowParticles(together, LocationScaleShift.concatenate(shifts, shapes))
