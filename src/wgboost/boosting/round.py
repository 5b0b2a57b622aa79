"""Targets of the learner in a round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from wgboost.boosting.mean_step import MeanStep
from wgboost.boosting.truncation import curvature_factors
from wgboost.directions import Direction, InteractingDirection
from wgboost.slicing import row_slices
from wgboost.targets.base import RowTarget
from wgboost.typing import Array, Directions

__all__ = ["LEAVES", "RoundTargets"]

LEAVES = ("mean", "newton")
_ROWS = 4096  # rows at a time, so that intermediate arrays stay in the cache


@dataclass(eq=False)
class RoundTargets:
    """Compute the targets of the learner in a round. Arrays are reused in every round.

    Parameters
    ----------
    target : RowTarget
        Posterior of each row.
    direction : Direction
        How particles move.
    leaf : {"mean", "newton"}
        Leaf values of the learner.
    n_threads : int, default=1
        Number of threads.
    mean_step : MeanStep or None, default=None
        Common step of truncated rows.
    """

    target: RowTarget
    direction: Direction
    leaf: Literal["mean", "newton"]
    n_threads: int = 1
    mean_step: MeanStep | None = None
    _gradient: Directions | None = field(default=None, init=False, repr=False)
    _curvature: Directions | None = field(default=None, init=False, repr=False)

    def __call__(
        self, particles: Directions, rate: float, rng: np.random.Generator
    ) -> tuple[Directions, Directions | None]:
        """Return the targets (n, m, d) of the learner and, with leaf="newton", their curvature.

        With leaf="mean" the targets are g / c; with leaf="newton" they are g, and c is the
        curvature.
        """
        gradient, curvature = self._separate(particles, rate, rng)
        if self.mean_step is not None:
            self._follow_information(self.mean_step, gradient, curvature, particles)
            self._add_mean_step(self.mean_step, gradient, curvature, particles)
        return gradient, curvature

    def _separate(
        self, particles: Directions, rate: float, rng: np.random.Generator
    ) -> tuple[Directions, Directions | None]:
        """Return the movement with rows and coordinates treated separately."""
        if self._gradient is None:
            self._gradient = np.empty_like(particles)
        direction, posterior = self.direction, self.target.compiled
        if posterior is None or not isinstance(direction, InteractingDirection):
            return self._gradient, self._in_blocks(self._gradient, particles, rate, rng)
        keep = self.leaf == "newton" and direction.needs == "curvature"
        curvature = self._curvature_like(particles) if keep else None
        metric = self._metric(particles, slice(0, particles.shape[0]))
        direction.write_from_posterior(
            posterior, particles, metric, self._gradient, curvature, self.n_threads
        )
        return self._gradient, curvature

    @staticmethod
    def _follow_information(
        common: MeanStep, gradient: Directions, curvature: Directions | None, particles: Directions
    ) -> None:
        """Multiply curvatures by `curvature_factors`, or divide the movement by them, in place."""
        factors = curvature_factors(common.response, common.y, particles.mean(axis=1))
        factors = factors[:, None].astype(np.float32)
        if curvature is None:
            gradient /= factors
        else:
            curvature *= factors

    @staticmethod
    def _add_mean_step(
        common: MeanStep, gradient: Directions, curvature: Directions | None, particles: Directions
    ) -> None:
        """Replace the mean of the movement over rows by that of `common`, in place."""
        step, now = common(particles.mean(axis=1)), common.mean(gradient.mean(axis=1))
        if curvature is not None:
            now = now / common.mean(curvature.mean(axis=1))
        change = (step - now).astype(np.float32)
        gradient += change if curvature is None else curvature * change

    def _in_blocks(
        self, gradient: Directions, particles: Directions, rate: float, rng: np.random.Generator
    ) -> Directions | None:
        """Write the targets of the rows, block by block; return the curvature."""
        curvature = None
        for rows in row_slices(particles.shape[0], _ROWS):
            here = particles[rows]
            score, second = self.target.derivatives(
                here, rows, self.direction.needs, self.n_threads
            )
            metric = self._metric(here, rows)
            if isinstance(self.direction, InteractingDirection) and self.leaf == "mean":
                self.direction.write(
                    here, score, second, metric, gradient[rows], None, self.n_threads
                )
                continue
            g, c = self.direction(here, score, second, metric, rate, rng, self.n_threads)
            if c is None:
                gradient[rows] = g
            elif self.leaf == "mean":
                np.divide(g, c, out=gradient[rows])
            else:
                curvature = self._curvature_like(particles)
                gradient[rows], curvature[rows] = g, c
        return curvature

    def _curvature_like(self, particles: Directions) -> Directions:
        if self._curvature is None:
            self._curvature = np.empty_like(particles)
        return self._curvature

    def _metric(self, particles: Directions, rows: slice) -> Array | None:
        return self.target.metric(particles, rows) if self.direction.uses_metric else None
