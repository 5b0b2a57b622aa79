"""The Gaussian kernel between the particles of a row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wgboost.slicing import row_slices
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_number

__all__ = ["KERNELS", "Kernel", "default_bandwidth"]

KERNELS = ("gaussian", "scaled")
_NUMBERS = 2**20  # in a temporary array


def default_bandwidth(kind: str, n_params: int, n_particles: int = 10) -> float:
    """Return the bandwidth that is used when none is given.

    For "gaussian" it is the 0.1 of the paper with ten particles, and (10 / m)^1.5 as much with m of
    them, which keeps the spread of the particles about the same. For "scaled" it is 1 + 0.7 d^2,
    which keeps the spread of ten to thirty particles near that of the posterior as the number of
    parameters grows.

    Parameters
    ----------
    kind : {"gaussian", "scaled"}
        Kind of the kernel.
    n_params : int
        Number d of parameters.
    n_particles : int, default=10
        Number m of particles.

    Returns
    -------
    float
        The bandwidth.

    Examples
    --------
    >>> from wgboost.directions import default_bandwidth
    >>> default_bandwidth("gaussian", 2), default_bandwidth("scaled", 1)
    (0.1, 1.7)
    """
    if kind == "gaussian":
        return 0.1 * math.sqrt(10 / n_particles) ** 3
    return 1.0 + 0.7 * n_params**2


@dataclass(frozen=True)
class Kernel:
    """Describe the Gaussian kernel between the particles of a row.

    k(a, b) = exp(-sum_p A_p (a_p - b_p)^2 / h).

    Parameters
    ----------
    kind : {"gaussian", "scaled"}, default="gaussian"
        "gaussian" has A = 1. "scaled" takes the Fisher information of the row at its mean particle,
        so that distances are in units of the posterior.
    bandwidth : float, "median" or None, default=None
        h. "median" takes, row by row, the median of squared distances between particles divided by
        log(m + 1). None is 0.1 (10 / m)^1.5 for "gaussian" and 1 + 0.7 d^2 for "scaled".

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.directions import Kernel
    >>> Kernel(bandwidth=0.5).bandwidths(np.zeros((1, 2, 1)), None)
    array([0.5], dtype=float32)
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
        """Return the bandwidth of every row.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles of each row, float32.
        metric : array of shape (n, d) or None
            Fisher information of the rows, for a "scaled" kernel.

        Returns
        -------
        array of shape (n,) or (1,)
            One bandwidth per row, or one for all.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.directions import Kernel
        >>> Kernel().bandwidths(np.zeros((3, 10, 2)), None)
        array([0.1], dtype=float32)
        """
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
        for rows in row_slices(len(particles), block):
            difference = np.square(particles[rows, first] - particles[rows, second])
            if metric is not None:
                difference *= metric[rows, None, :].astype(difference.dtype)
            median[rows] = np.median(difference.sum(axis=2), axis=1) / np.log(m + 1)
        # Particles that all coincide have no scale of their own; any positive h parts them.
        return np.where(median > 0, median, 1.0).astype(np.float32)

    def between(self, particles: Array, metric: Array | None) -> tuple[Array, Array]:
        """Return the kernel and its repulsion between all particles of a row.

        Parameters
        ----------
        particles : array of shape (n, m, d)
            Particles of each row, float32.
        metric : array of shape (n, d) or None
            Fisher information of the rows, for a "scaled" kernel.

        Returns
        -------
        kernel : array of shape (n, m, m)
            k_jl.
        repulsion : array of shape (n, m, m, d)
            r_jl = (2 A / h)(x_j - x_l) k_jl.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.directions import Kernel
        >>> k, push = Kernel(bandwidth=1.0).between(np.array([[[0.0], [1.0]]]), None)
        >>> k[0].round(3)
        array([[1.   , 0.368],
               [0.368, 1.   ]])
        """
        h = self.bandwidths(particles, metric)[:, None, None]
        difference = particles[:, :, None, :] - particles[:, None, :, :]
        scale = 1.0 if metric is None else metric[:, None, None, :]
        k = np.exp(-np.sum(scale * difference**2, axis=3) / h)
        return k, 2.0 * scale / h[..., None] * difference * k[..., None]
