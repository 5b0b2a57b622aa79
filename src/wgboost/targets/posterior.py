"""Targets of evidential learning: the posterior of the response parameters of each row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.directions import Needs
from wgboost.responses import Response
from wgboost.responses.native import CompiledPosterior
from wgboost.responses.observations import Observations, Observed
from wgboost.typing import Array, Directions

__all__ = ["PosteriorTarget"]


@dataclass(frozen=True, eq=False)
class PosteriorTarget:
    """Posteriors of the response parameters of rows, given their y."""

    response: Response
    y: Observed  # standardised
    evidence: Any = 1.0  # power of the likelihood: a number, or one per row

    @cached_property
    def compiled(self) -> CompiledPosterior | None:
        """The posteriors in the compiled core, if it has them."""
        if isinstance(self.y, Observations):
            return None
        return self.response.compiled(self.y, self.evidence)

    @property
    def longest_step(self) -> float:
        """Largest move of a coordinate by a leaf in one round, before the learning rate."""
        return self.response.longest_step

    def _evidence(self, rows: slice) -> Any:
        return self.evidence[rows] if np.ndim(self.evidence) else self.evidence

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""
        response, y, evidence = self.response.take(rows), self.y[rows], self._evidence(rows)
        if needs == "curvature":
            return response.score_and_curvature(y, particles, evidence, n_threads)
        if needs == "samples":
            raise ValueError("a posterior has no samples; choose a direction of the score")
        score = response.score(y, particles, evidence)
        if needs == "log_density":
            return score, response.log_posterior(y, particles, evidence)
        return score, None if needs == "score" else response.hessian(y, particles, evidence)

    def metric(self, particles: Directions, rows: slice) -> Array | None:
        """Return the Fisher information (r, d) of some rows at their mean particles."""
        centre = particles.mean(axis=1) if particles.shape[2] == 1 else _centre(particles)
        response, evidence = self.response.take(rows), self._evidence(rows)
        fisher = response.fisher(centre, evidence, self.y[rows])
        return np.ascontiguousarray(fisher, dtype=np.float32)


def _centre(particles: Directions) -> Directions:
    """Return the mean particle (n, d), six times as fast as np.mean over a middle axis."""
    total: Directions = np.einsum("nmd->nd", particles)
    total /= np.float32(particles.shape[1])
    return total
