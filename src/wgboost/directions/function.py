"""A user's function as a direction: any estimate of any functional's gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.directions.base import Needs
from wgboost.typing import Array, Directions

__all__ = ["CallableDirection"]


@dataclass(frozen=True)
class CallableDirection:
    """Calls function(particles, score, second, metric, rate, rng) -> g, or (g, c)."""

    function: Callable[..., Any]
    needs: Needs = "curvature"
    uses_metric: bool = False

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,
        rate: float,
        rng: np.random.Generator,
        n_threads: int = 1,  # noqa: ARG002
    ) -> tuple[Directions, Directions | None]:
        """Return what the function returns, checked to be of the particles' shape."""
        result = self.function(particles, score, second, metric, rate, rng)
        movement, curvature = result if isinstance(result, tuple) else (result, None)
        return self._checked("g", movement, particles), (
            None if curvature is None else self._checked("c", curvature, particles)
        )

    def _checked(self, name: str, values: Any, particles: Directions) -> Directions:
        values = np.asarray(values, dtype=np.float32)
        if values.shape != particles.shape:
            raise ValueError(
                f"the direction's {name} has shape {values.shape}; "
                f"that of the particles, {particles.shape}, is needed"
            )
        return np.ascontiguousarray(values)
