"""The first-order direction: Stein variational gradient descent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from wgboost import _core
from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.typing import Array, Directions

__all__ = ["SmoothedGradient"]


@dataclass(frozen=True)
class SmoothedGradient:
    """The movement g_j = mean_l [score_l k_jl + r_jl], without a curvature to divide by."""

    kernel: Kernel = field(default_factory=Kernel)
    needs: Needs = field(default="score", init=False)

    @property
    def uses_metric(self) -> bool:
        """Whether the rows' Fisher information is read."""
        return self.kernel.uses_metric

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,  # noqa: ARG002
        metric: Array | None,
        rate: float,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
        n_threads: int = 1,
    ) -> tuple[Directions, Directions | None]:
        """Return g and None; see `Direction`."""
        gradient = np.empty_like(particles)
        bandwidth = self.kernel.bandwidths(particles, metric)
        _core.kernel_direction(particles, score, None, metric, bandwidth, gradient, None, n_threads)
        return gradient, None
