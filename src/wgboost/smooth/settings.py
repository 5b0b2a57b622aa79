"""What a user may say about a smooth start."""

from __future__ import annotations

from dataclasses import dataclass

from wgboost.smooth.kernels import KERNELS
from wgboost.validation import check_choice, check_integer

__all__ = ["SCALINGS", "SmoothStart"]

SCALINGS = {"between": 0.5, "standard": 0.0, "rank": 1.0}
"""The share of ranks in what numbers are measured by; what lies between is tried first."""


@dataclass(frozen=True)
class SmoothStart:
    """Start at a Gaussian process of x, and boost what it leaves.

    Particles, and with them a prior, are then relative to its location and scale at x.

    Attributes
    ----------
    exact_rows : int
        Up to so many training rows the process is exact; beyond, it goes by landmarks.
    landmarks : int
        So many training rows, drawn at random, stand for the places of all.
    tuning_rows : int
        Training rows, drawn at random, that lengths and noise are chosen by.
    kernel : "auto", "matern52" or "rbf"
        How smooth the function is: twice differentiable or infinitely often.
    scaling : "auto", "standard", "rank" or "between"
        What features are measured by: mean and standard deviation, the normal scores of their
        ranks, or the mean of the two. "auto", here and for the kernel, takes what predicts rows
        best that were left out.
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
