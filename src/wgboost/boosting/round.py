"""One round: from particles to the movement that a learner is fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wgboost.boosting.targets import RowTarget
from wgboost.directions import Direction
from wgboost.typing import Directions

__all__ = ["LEAVES", "Movement"]

LEAVES = ("mean", "newton")
_ROWS = 16_384  # at a time: what lies between particles and movement stays in the cache


@dataclass(eq=False)
class Movement:
    """Computes the movement of all particles, in memory that is used again every round."""

    target: RowTarget
    direction: Direction
    leaf: Literal["mean", "newton"]
    n_threads: int = 1
    _gradient: Directions | None = None
    _curvature: Directions | None = None

    def __call__(
        self, particles: Directions, rate: float, rng: np.random.Generator
    ) -> tuple[Directions, Directions | None]:
        """Return the learner's targets (n, m, d) and, for leaf="newton", their curvature.

        leaf="mean": the targets are the movement itself, g / c. leaf="newton": they are g, with c.
        """
        if self._gradient is None:
            self._gradient = np.empty_like(particles)
        curvature = None
        for begin in range(0, particles.shape[0], _ROWS):
            rows = slice(begin, begin + _ROWS)
            here = particles[rows]
            score, second = self.target.derivatives(
                here, rows, self.direction.needs, self.n_threads
            )
            metric = self.target.metric(here, rows) if self.direction.uses_metric else None
            g, c = self.direction(here, score, second, metric, rate, rng, self.n_threads)
            if c is None:
                self._gradient[rows] = g
            elif self.leaf == "mean":
                np.divide(g, c, out=self._gradient[rows])
            else:
                if self._curvature is None:
                    self._curvature = np.empty_like(particles)
                self._gradient[rows], self._curvature[rows] = g, c
                curvature = self._curvature
        return self._gradient, curvature
