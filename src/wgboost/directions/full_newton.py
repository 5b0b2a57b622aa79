"""The full Newton direction: all particles and parameters of a row solved together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.typing import Array, Directions

__all__ = ["FullNewton"]

_ROWS = 256  # solved at a time: memory is (m d)^2 numbers a row


@dataclass(frozen=True)
class FullNewton:
    """The movement K H^-1 g of the stochastic Newton flow, an (m d) x (m d) system a row.

    H_jk = mean_l [-Hessian_l k_jl k_kl + r_jl r_kl^T], g as in `SmoothedGradient` and K the kernel
    matrix between the row's particles. `ridge` times the mean diagonal of H is added to it: H
    loses rank when particles come close.
    """

    kernel: Kernel = field(default_factory=Kernel)
    ridge: float = 1e-6
    needs: Needs = field(default="hessian", init=False)

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
        for begin in range(0, particles.shape[0], _ROWS):
            rows = slice(begin, begin + _ROWS)
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
        gradient = (np.einsum("njl,nlp->njp", k, score) + push.sum(axis=2)) / m
        system = -np.einsum("nlpq,njl,nkl->njpkq", hessian, k, k, optimize=True)
        system += np.einsum("njlp,nklq->njpkq", push, push, optimize=True)
        system = system.reshape(n, m * d, m * d) / m
        mean_diagonal = np.einsum("nii->n", system) / (m * d)
        ridge = self.ridge * np.where(mean_diagonal > 0, mean_diagonal, 1.0)
        system += ridge[:, None, None] * np.eye(m * d)
        solved = _solve_positive(system, gradient.reshape(n, m * d, 1)).reshape(n, m, d)
        moved: Array = np.einsum("njl,nlp->njp", k, solved)
        return moved


def _solve_positive(systems: Array, right: Array) -> Array:
    """Solve systems (n, k, k); those that are not positive definite by absolute eigenvalues.

    Where a log density is not concave a plain solve would climb towards saddles.
    """
    values, vectors = np.linalg.eigh(systems)
    values = np.abs(values)
    values = np.maximum(values, 1e-12 * values.max(axis=1, keepdims=True))
    values = np.where(values > 0, values, 1.0)
    solved: Array = vectors @ (np.swapaxes(vectors, 1, 2) @ right / values[..., None])
    return solved
