"""The default direction: a diagonal Newton step of the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from wgboost import _core
from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.typing import Array, Directions

__all__ = ["DiagonalNewton"]


@dataclass(frozen=True)
class DiagonalNewton:
    """Smoothed gradient over smoothed curvature, particle by particle.

    g_j = mean_l [score_l k_jl + r_jl] and c_j = mean_l [curvature_l k_jl^2 + r_jl^2] with the
    repulsion r_jl = (2 A / h)(x_j - x_l) k_jl. A smoothed curvature that vanishes or is negative is
    replaced: by its absolute value, by 1e-6 of the row's largest |curvature|, or by 1 if there is
    none.
    """

    kernel: Kernel = field(default_factory=Kernel)
    needs: Needs = field(default="curvature", init=False)

    @property
    def uses_metric(self) -> bool:
        """Whether the rows' Fisher information is read."""
        return self.kernel.uses_metric

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,
        rate: float,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
        n_threads: int = 1,
    ) -> tuple[Directions, Directions | None]:
        """Return g and c; see `Direction`."""
        gradient, smoothed = np.empty_like(particles), np.empty_like(particles)
        bandwidth = self.kernel.bandwidths(particles, metric)
        _core.kernel_direction(
            particles, score, second, metric, bandwidth, gradient, smoothed, n_threads
        )
        return gradient, smoothed
