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
    """Use a function as a direction.

    Parameters
    ----------
    function : callable
        Called as function(particles, score, second, metric, rate, rng). It returns the movement g
        (n, m, d), or g and a curvature c to divide by.
    needs : {"score", "curvature", "hessian", "log_density", "samples"}, default="curvature"
        What the function gets as `second` of the target.
    uses_metric : bool, default=False
        Whether the function reads the Fisher information of the rows.

    Examples
    --------
    >>> from wgboost.directions import CallableDirection
    >>> CallableDirection(lambda x, score, *rest: score, needs="score").needs
    'score'
    """

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
