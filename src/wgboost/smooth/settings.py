"""Settings of a smooth start."""

from __future__ import annotations

from dataclasses import dataclass

from wgboost.smooth.kernels import KERNELS
from wgboost.validation import check_choice, check_integer

__all__ = ["SCALINGS", "SmoothStart"]

SCALINGS = {"between": 0.5, "standard": 0.0, "rank": 1.0}
"""Share of the ranks in the scale of numbers; "between" is tried first."""


@dataclass(frozen=True)
class SmoothStart:
    """Start at a Gaussian process of x, and boost its residuals.

    Particles, and with them a prior, are then relative to the location and scale of the process.

    Parameters
    ----------
    exact_rows : int, default=3000
        Largest number of training rows with an exact process. Beyond it, the process is a Nyström
        approximation.
    landmarks : int, default=2000
        Number of training rows, drawn at random, that the approximation is based on.
    tuning_rows : int, default=1000
        Number of training rows, drawn at random, that choose lengths and noise.
    kernel : {"auto", "matern52", "rbf"}, default="auto"
        Smoothness of the function: twice or infinitely often differentiable. "auto" takes what
        predicts left-out rows best.
    scaling : {"auto", "standard", "rank", "between"}, default="auto"
        Scale of the features: mean and standard deviation, normal scores of the ranks, or the mean
        of the two. "auto" takes what predicts left-out rows best.

    Examples
    --------
    >>> from wgboost.smooth import SmoothStart
    >>> SmoothStart(kernel="rbf").kernels
    ('rbf',)
    """

    exact_rows: int = 3000
    landmarks: int = 2000
    tuning_rows: int = 1000
    kernel: str = "auto"
    scaling: str = "auto"

    def __post_init__(self) -> None:
        check_integer("exact_rows", self.exact_rows, low=0)
        check_integer("landmarks", self.landmarks, low=1)
        check_integer("tuning_rows", self.tuning_rows, low=10)
        check_choice("kernel", self.kernel, ["auto", *KERNELS])
        check_choice("scaling", self.scaling, ["auto", *SCALINGS])

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels to choose from."""
        return KERNELS if self.kernel == "auto" else (self.kernel,)

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of ranks to choose from."""
        auto = self.scaling == "auto"
        return tuple(SCALINGS.values()) if auto else (SCALINGS[self.scaling],)
