"""The Gaussian kernel between the particles of a row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_number

__all__ = ["KERNELS", "Kernel", "default_bandwidth"]

KERNELS = ("gaussian", "scaled")
_NUMBERS = 2**20  # in a temporary array


def default_bandwidth(kind: str, n_params: int, n_particles: int = 10) -> float:
    """The bandwidth used when none is given.

    The paper's 0.1 for "gaussian" and ten particles; more of them stand closer together, and
    (10 / m)^1.5 as much keeps them about as wide together (`benchmarks/bandwidth.py`). In a
    posterior's own units 1 + 0.7 d^2, which keeps the spread of ten to thirty particles near the
    posterior's as parameters grow in number: narrow kernels do not feel each other in many
    dimensions, wide ones take as many more rounds to settle.
    """
    if kind == "gaussian":
        return 0.1 * math.sqrt(10 / n_particles) ** 3
    return 1.0 + 0.7 * n_params**2


@dataclass(frozen=True)
class Kernel:
    """k(a, b) = exp(-sum_p A_p (a_p - b_p)^2 / h).

    Attributes
    ----------
    kind : "gaussian" or "scaled"
        A = 1, or A = the row's Fisher information at its mean particle: distances are then counted
        in the posterior's own units.
    bandwidth : float, "median" or None
        h; "median" takes, row by row, the median of the squared distances between particles over
        log(m + 1). None is 0.1 (10 / m)^1.5 for "gaussian" and 1 + 0.7 d^2 for "scaled".
    """

    kind: Literal["gaussian", "scaled"] = "gaussian"
    bandwidth: Any = None

    def __post_init__(self) -> None:
        check_choice("kernel", self.kind, KERNELS)
        if isinstance(self.bandwidth, str):
            check_choice("bandwidth", self.bandwidth, ["median"])
        elif self.bandwidth is not None:
            check_number("bandwidth", self.bandwidth, above=0)

    @property
    def uses_metric(self) -> bool:
        """Whether A is the Fisher information."""
        return self.kind == "scaled"

    def bandwidths(self, particles: Directions, metric: Array | None) -> Array:
        """The bandwidth of every row (n,), or one for all (1,)."""
        if self.bandwidth is None:
            h = default_bandwidth(self.kind, particles.shape[2], particles.shape[1])
            return np.array([h], dtype=np.float32)
        if not isinstance(self.bandwidth, str):
            return np.array([self.bandwidth], dtype=np.float32)
        m = particles.shape[1]
        if m == 1:
            return np.ones(1, dtype=np.float32)
        first, second = np.triu_indices(m, k=1)
        median = np.empty(len(particles))
        block = max(1, _NUMBERS // (first.size * particles.shape[2]))
        for begin in range(0, len(particles), block):
            rows = slice(begin, begin + block)
            difference = np.square(particles[rows, first] - particles[rows, second])
            if metric is not None:
                difference *= metric[rows, None, :].astype(difference.dtype)
            median[rows] = np.median(difference.sum(axis=2), axis=1) / np.log(m + 1)
        # Particles that all coincide have no scale of their own; any positive h parts them.
        return np.where(median > 0, median, 1.0).astype(np.float32)

    def between(self, particles: Array, metric: Array | None) -> tuple[Array, Array]:
        """The kernel (n, m, m) and r_jl = (2 A / h)(x_j - x_l) k_jl (n, m, m, d)."""
        h = self.bandwidths(particles, metric)[:, None, None]
        difference = particles[:, :, None, :] - particles[:, None, :, :]
        scale = 1.0 if metric is None else metric[:, None, None, :]
        k = np.exp(-np.sum(scale * difference**2, axis=3) / h)
        return k, 2.0 * scale / h[..., None] * difference * k[..., None]
