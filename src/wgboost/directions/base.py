"""The protocol of a direction.

A new direction is one file with a frozen dataclass that has `needs` and `__call__`, and one line
in `directions/__init__.py`.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

import numpy as np

from wgboost.typing import Array, Directions

__all__ = ["Direction", "Needs"]

Needs = Literal["score", "curvature", "hessian", "log_density", "samples"]


@runtime_checkable
class Direction(Protocol):
    """Estimate the gradient of a functional at the particles of every row.

    A protocol: an object with `needs`, `uses_metric` and `__call__` is a direction.

    Examples
    --------
    >>> from wgboost.directions import Direction, Langevin
    >>> isinstance(Langevin(), Direction)
    True
    """

    @property
    def needs(self) -> Needs:
        """What of the target is read: more than the score of its log density, or its samples."""
        ...

    @property
    def uses_metric(self) -> bool:
        """Whether the rows' Fisher information is read."""
        ...

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,
        rate: float,
        rng: np.random.Generator,
        n_threads: int = 1,
    ) -> tuple[Directions, Directions | None]:
        """Return g and c, both (n, m, d).

        The movement is g / c, or g itself when c is None. `second` is the curvature (n, m, d) or
        the Hessian (n, m, d, d) of the log densities at the particles, or their values (n, m),
        whichever is needed; a direction of samples gets those in place of the score, and their
        weights (n, s); `metric` (n, d) the rows' Fisher information; `rate` the learning rate.
        """
        ...
