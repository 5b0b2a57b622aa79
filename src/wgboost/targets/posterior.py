"""The target of evidential learning: the posterior of a row's response parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.directions import Needs
from wgboost.responses import Response
from wgboost.responses.native import CompiledPosterior
from wgboost.responses.observations import Observations
from wgboost.responses.observed import Observed
from wgboost.typing import Array, Directions

__all__ = ["PosteriorTarget"]


@dataclass(frozen=True, eq=False)
class PosteriorTarget:
    """Hold the posteriors of the response parameters of rows, given their y.

    Parameters
    ----------
    response : Response
        Likelihood and prior.
    y : array of shape (n,) or Observations
        Standardised y.
    evidence : float or array of shape (n,), default=1.0
        Power of the likelihood: number of observations that a row stands for.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal
    >>> from wgboost.targets.posterior import PosteriorTarget
    >>> target = PosteriorTarget(Normal(), np.array([0.5]))
    >>> target.metric(np.zeros((1, 4, 2), np.float32), slice(0, 1))
    array([[1., 2.]], dtype=float32)
    """

    response: Response
    y: Observed  # (n,), standardised
    evidence: Any = 1.0  # a number, or one per row

    @cached_property
    def compiled(self) -> CompiledPosterior | None:
        """See RowTarget."""
        if isinstance(self.y, Observations):
            return None
        return self.response.compiled(self.y, self.evidence)

    @property
    def longest_step(self) -> float:
        """How far a tree's leaf may move a coordinate in one round, before the learning rate."""
        return self.response.longest_step

    def _evidence(self, rows: slice) -> Any:
        return self.evidence[rows] if np.ndim(self.evidence) else self.evidence

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows.

        Parameters
        ----------
        particles : array of shape (r, m, d)
            Particles of the rows, float32.
        rows : slice
            The rows.
        needs : {"score", "curvature", "hessian", "log_density", "samples"}
            What the direction reads.
        n_threads : int
            Number of threads.

        Returns
        -------
        first : array of shape (r, m, d) or (r, s, d)
            Scores at the particles, or samples of the targets.
        second : array or None
            Curvature (r, m, d), Hessian (r, m, d, d) or log density (r, m), whichever is needed;
            the weights (r, s) of samples.
        """
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
        """Return the Fisher information of some rows.

        Parameters
        ----------
        particles : array of shape (r, m, d)
            Particles of the rows, float32.
        rows : slice
            The rows.

        Returns
        -------
        array of shape (r, d) or None
            Fisher information at the mean particle of each row.
        """
        centre = particles.mean(axis=1) if particles.shape[2] == 1 else _centre(particles)
        response, evidence = self.response.take(rows), self._evidence(rows)
        fisher = response.fisher(centre, evidence, self.y[rows])
        return np.ascontiguousarray(fisher, dtype=np.float32)


def _centre(particles: Directions) -> Directions:
    """Return the mean particle (n, d): np.mean over a middle axis takes six times as long."""
    total: Directions = np.einsum("nmd->nd", particles)
    total /= np.float32(particles.shape[1])
    return total
