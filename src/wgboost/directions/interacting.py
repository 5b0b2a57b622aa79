"""What the compiled directions share: particles that interact through a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.typing import Array, Directions

__all__ = ["InteractingDirection"]


def _floats(values: Any) -> Directions:
    """Return the values as the core reads them; arrays that are so already are not copied."""
    return np.ascontiguousarray(values, dtype=np.float32)


@dataclass(frozen=True)
class InteractingDirection:
    """Smooth scores with a kernel and add repulsion; the base of compiled directions.

    Parameters
    ----------
    kernel : Kernel, default=Kernel()
        Kernel between the particles of a row.

    Examples
    --------
    >>> from wgboost.directions import DiagonalNewton, InteractingDirection
    >>> issubclass(DiagonalNewton, InteractingDirection)
    True
    """

    kernel: Kernel = field(default_factory=Kernel)
    needs: Needs = field(default="score", init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f'kernel={self.kernel!r} must be a Kernel, such as Kernel("scaled")')

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
        particles = _floats(particles)
        gradient = np.empty_like(particles)
        smoothed = np.empty_like(particles) if self.needs == "curvature" else None
        self.write(particles, score, second, metric, gradient, smoothed, n_threads)
        return gradient, smoothed

    def write(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,
        gradient: Directions,
        smoothed: Directions | None,
        n_threads: int = 1,
    ) -> None:
        """Write g and c into given arrays.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles of each row, float32.
        score : array of shape (n, m, d)
            Scores of the targets at the particles.
        second : array of shape (n, m, d) or None
            Curvatures, if `needs` is "curvature".
        metric : array of shape (n, d) or None
            Fisher information of the rows.
        gradient : array of shape (n, m, d)
            Receives g.
        smoothed : array of shape (n, m, d) or None
            Receives c. If None, g is divided by c where there is a c.
        n_threads : int, default=1
            Number of threads.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.directions import SmoothedGradient
        >>> x, g = np.zeros((1, 1, 1), np.float32), np.empty((1, 1, 1), np.float32)
        >>> SmoothedGradient().write(x, x + 1, None, None, g, None)
        >>> g.ravel()
        array([1.], dtype=float32)
        """
        second = _floats(second) if self.needs == "curvature" else None
        metric = None if metric is None else _floats(metric)
        _core.kernel_direction(
            particles=_floats(particles), score=_floats(score), curvature=second, metric=metric,
            bandwidth=self.kernel.bandwidths(particles, metric), gradient=gradient,
            smoothed=smoothed, n_threads=n_threads,
        )  # fmt: skip

    def write_from_posterior(
        self,
        posterior: Any,
        particles: Directions,
        metric: Array | None,
        gradient: Directions,
        smoothed: Directions | None,
        n_threads: int = 1,
    ) -> None:
        """Write g and c for posteriors that the compiled core evaluates.

        Parameters
        ----------
        posterior : CompiledPosterior
            Posteriors of the rows.
        particles : array of shape (n, m, d)
            Particles of each row, float32.
        metric : array of shape (n, d) or None
            Fisher information of the rows.
        gradient : array of shape (n, m, d)
            Receives g.
        smoothed : array of shape (n, m, d) or None
            Receives c. If None, g is divided by c where there is a c.
        n_threads : int, default=1
            Number of threads.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import Normal, SmoothedGradient
        >>> x, g = np.zeros((1, 1, 2), np.float32), np.empty((1, 1, 2), np.float32)
        >>> posterior = Normal().compiled(np.array([1.0]))
        >>> SmoothedGradient().write_from_posterior(posterior, x, None, g, None)
        >>> bool(g[0, 0, 0] > 0)
        True
        """
        posterior.direction(
            particles=particles, curved=self.needs == "curvature", metric=metric,
            bandwidth=self.kernel.bandwidths(particles, metric), gradient=gradient,
            smoothed=smoothed, n_threads=n_threads,
        )  # fmt: skip
