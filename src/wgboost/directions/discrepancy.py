"""Maximum mean discrepancy, straight from samples of the targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from wgboost.directions.base import Needs
from wgboost.slicing import row_slices
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_number

__all__ = ["MMD", "EnergyDistance"]

_NUMBERS = 2**22  # in a temporary array


@dataclass(frozen=True)
class MMD:
    """Follow the maximum mean discrepancy to samples of the target.

    The movement is mean_s grad k(x, t_s) - mean_l grad k(x, x_l), with gradients in the first
    argument. It needs samples, not a density.

    Parameters
    ----------
    kernel : {"gaussian", "energy"}, default="gaussian"
        ``exp(-|a - b|^2 / h)``, or ``-|a - b|``, whose discrepancy is the energy distance.
    bandwidth : float or "median", default="median"
        h of the Gaussian kernel. "median" takes the median of squared distances between samples and
        particles, row by row, or their mean where that is a hundred times as large.

    Examples
    --------
    >>> from wgboost.directions import MMD
    >>> MMD(bandwidth=0.5).needs
    'samples'
    """

    name: ClassVar[str] = "mmd"
    documentation: ClassVar[tuple[str, str]] = (
        "mean over samples of grad k minus that over particles, k Gaussian",
        "maximum mean discrepancy, Gaussian kernel",
    )
    kernel: Literal["gaussian", "energy"] = "gaussian"
    bandwidth: Any = "median"
    needs: Needs = field(default="samples", init=False, repr=False)
    uses_metric: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice("kernel", self.kernel, ["gaussian", "energy"])
        if isinstance(self.bandwidth, str):
            check_choice("bandwidth", self.bandwidth, ["median"])
        else:
            check_number("bandwidth", self.bandwidth, above=0)

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,  # noqa: ARG002
        rate: float,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
        n_threads: int = 1,  # noqa: ARG002
    ) -> tuple[Directions, Directions | None]:
        """Return the movement and None; `score` are samples (n, s, d), `second` their weights."""
        samples = np.asarray(score, dtype=np.float32)
        n, m, d = particles.shape
        weights = np.full(samples.shape[:2], 1 / samples.shape[1], np.float32)
        weights = weights if second is None else np.asarray(second, dtype=np.float32)
        others = np.full((n, m), 1 / m, np.float32)
        movement = np.empty_like(particles)
        block = max(1, _NUMBERS // (m * (samples.shape[1] + m) * d))
        for rows in row_slices(n, block):
            x, t, w = particles[rows], samples[rows], weights[rows]
            width = self._width(x, t, w)
            movement[rows] = self._pull(x, t, w, width) - self._pull(x, x, others[rows], width)
        return movement, None

    def _width(self, x: Array, t: Array, w: Array) -> Array:
        """H of each row (n, 1, 1)."""
        if self.kernel == "energy":
            return np.ones((len(x), 1, 1), np.float32)
        if not isinstance(self.bandwidth, str):
            return np.full((len(x), 1, 1), self.bandwidth, np.float32)
        square = np.square(x[:, :, None] - t[:, None]).sum(axis=3)
        square = np.where(w[:, None] > 0, square, np.nan).reshape(len(x), -1)
        median, mean = np.nanmedian(square, axis=1), np.nanmean(square, axis=1)
        # Where most are at one point, as of a rare event, the median says nothing of the others.
        width = np.where(median > 0.01 * mean, median, mean).astype(np.float32)
        return np.where(width > 0, width, np.float32(1))[:, None, None]

    def _pull(self, x: Array, t: Array, w: Array, width: Array) -> Array:
        """The weighted mean over t of the kernel's gradient at x."""
        difference = x[:, :, None] - t[:, None]  # (n, m, s, d)
        square = np.square(difference).sum(axis=3)
        if self.kernel == "energy":
            slope = -1 / np.sqrt(np.maximum(square, np.float32(1e-20)))
        else:
            slope = -2 / width * np.exp(-square / width)
        pull: Array = np.einsum("nms,nmsd->nmd", slope * w[:, None], difference)
        return pull


@dataclass(frozen=True)
class EnergyDistance(MMD):
    """Follow the energy distance to samples of the target.

    The same as `MMD` with the kernel ``-|a - b|``.

    Parameters
    ----------
    kernel : {"gaussian", "energy"}, default="energy"
        Leave it at "energy".
    bandwidth : float or "median", default="median"
        Not used by this kernel.

    Examples
    --------
    >>> from wgboost.directions import EnergyDistance
    >>> EnergyDistance().kernel
    'energy'
    """

    name: ClassVar[str] = "energy"
    documentation: ClassVar[tuple[str, str]] = (
        "mean over samples of grad k minus that over particles, k = -distance",
        "energy distance",
    )
    kernel: Literal["gaussian", "energy"] = "energy"
