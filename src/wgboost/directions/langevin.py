"""Langevin boosting: the score and noise, no interaction between particles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from wgboost.directions.base import Needs
from wgboost.typing import Array, Directions

__all__ = ["Langevin"]


@dataclass(frozen=True)
class Langevin:
    """Add noise to the score, without interaction between particles.

    g = score + sqrt(2 / rate) noise, so that rate * g is a Langevin step. A leaf that averages many
    rows averages their noise away, and particles collapse to a mode. Use it with trees that isolate
    rows.

    Examples
    --------
    >>> from wgboost.directions import Langevin
    >>> Langevin().needs
    'score'
    """

    name: ClassVar[str] = "langevin"
    documentation: ClassVar[tuple[str, str]] = (
        "score + sqrt(2 / rate) noise, no interaction",
        "Kullback-Leibler divergence",
    )
    needs: Needs = field(default="score", init=False, repr=False)
    uses_metric: bool = field(default=False, init=False, repr=False)

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,  # noqa: ARG002
        metric: Array | None,  # noqa: ARG002
        rate: float,
        rng: np.random.Generator,
        n_threads: int = 1,  # noqa: ARG002
    ) -> tuple[Directions, Directions | None]:
        """Return g and None; see `Direction`."""
        noise = rng.standard_normal(particles.shape, dtype=np.float32)
        return score + np.float32(np.sqrt(2.0 / rate)) * noise, None
