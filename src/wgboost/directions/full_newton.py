"""The full Newton direction: all particles and parameters of a row solved together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.slicing import row_slices
from wgboost.typing import Array, Directions

__all__ = ["FullNewton"]

_ROWS = 256  # solved at a time: memory is (m d)^2 numbers a row
_RIDGE = 0.05  # of rows without a concave particle: less overfits the log scale, more is slow


@dataclass(frozen=True)
class FullNewton:
    """Solve for all particles and parameters of a row together, K H^-1 g.

    Parameters
    ----------
    kernel : Kernel, default=Kernel()
        Kernel between the particles of a row.
    ridge : float, default=0.01
        Share of the mean diagonal that is added to H in each parameter. Particles settle in the
        same place for every ridge; with a much smaller one they oscillate at large learning rates.

    Examples
    --------
    >>> from wgboost.directions import FullNewton
    >>> FullNewton(ridge=0.05).needs
    'hessian'
    """

    name: ClassVar[str] = "full_newton"
    documentation: ClassVar[tuple[str, str]] = (
        "K H^-1 g over all particles and parameters of a row",
        "Kullback-Leibler divergence",
    )
    kernel: Kernel = field(default_factory=Kernel)
    ridge: float = 0.01
    needs: Needs = field(default="hessian", init=False, repr=False)

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
        n_threads: int = 1,  # noqa: ARG002
    ) -> tuple[Directions, Directions | None]:
        """Return the movement and None; see `Direction`."""
        if second is None or second.ndim != 4:
            raise ValueError("FullNewton needs the Hessian (n, m, d, d) of the log densities")
        movement = np.empty_like(particles)
        for rows in row_slices(particles.shape[0], _ROWS):
            movement[rows] = self._solve(
                particles[rows].astype(np.float64),
                score[rows].astype(np.float64),
                second[rows].astype(np.float64),
                None if metric is None else metric[rows].astype(np.float64),
            )
        return movement, None

    def _solve(self, particles: Array, score: Array, hessian: Array, metric: Array | None) -> Array:
        n, m, d = particles.shape
        k, push = self.kernel.between(particles, metric)  # (n, m, m), (n, m, m, d)
        gradient = (k @ score + push.sum(axis=2)) / m
        curvature, concave = _concave(-hessian)
        system: Array = np.empty((n, m, d, m, d))
        for p, q in np.ndindex(d, d):
            system[:, :, p, :, q] = (k * curvature[:, None, :, p, q]) @ k
        system = system.reshape(n, m * d, m * d)
        push = np.swapaxes(push, 2, 3).reshape(n, m * d, m)
        system += push @ np.swapaxes(push, 1, 2)
        system /= m
        mean_diagonal = np.einsum("nii->ni", system).reshape(n, m, d).mean(axis=1)
        ridge = np.maximum(self.ridge, _RIDGE * (1 - concave.mean(axis=1)))[:, None]
        ridge = np.where(mean_diagonal > 0, ridge * mean_diagonal, 1.0)
        system += np.tile(ridge, m)[:, None, :] * np.eye(m * d)
        solved = np.linalg.solve(system, gradient.reshape(n, m * d, 1))
        moved: Array = k @ solved.reshape(n, m, d)
        return moved


def _concave(curvature: Array) -> tuple[Array, Array]:
    """Return minus the Hessians, guarded (n, m, d, d), and which were semidefinite (n, m).

    The others meet a negative pivot in elimination, and their absolute diagonal comes back.
    """
    d = curvature.shape[-1]
    size = np.abs(np.einsum("nlpp->nlp", curvature))
    unit = np.sqrt(np.where(size > 0, size, 1.0))  # no parameter's scale hides another's sign
    rest = curvature / (unit[..., :, None] * unit[..., None, :]) + 1e-6 * np.eye(
        d
    )  # float32 rounding
    concave = np.ones(curvature.shape[:2], dtype=bool)
    for p in range(d):
        pivot = rest[..., p, p]
        concave &= pivot >= 0
        column = rest[..., :, p] / np.where(pivot > 0, pivot, 1.0)[..., None]
        rest = rest - column[..., :, None] * rest[..., None, p, :]
    return np.where(concave[..., None, None], curvature, size[..., None] * np.eye(d)), concave
