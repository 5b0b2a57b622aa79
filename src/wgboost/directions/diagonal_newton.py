"""The default direction: a diagonal Newton step of the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from wgboost.directions.base import Needs
from wgboost.directions.interacting import InteractingDirection

__all__ = ["DiagonalNewton"]


@dataclass(frozen=True)
class DiagonalNewton(InteractingDirection):
    """Divide the smoothed gradient by the smoothed curvature, particle by particle.

    Parameters
    ----------
    kernel : Kernel, default=Kernel()
        Kernel between the particles of a row.

    Examples
    --------
    >>> from wgboost.directions import DiagonalNewton, Kernel
    >>> DiagonalNewton(Kernel(bandwidth=0.2)).needs
    'curvature'
    """

    name: ClassVar[str] = "diagonal_newton"
    documentation: ClassVar[tuple[str, str]] = (
        "g / c, c_j = mean_l [curvature_l k_jl^2 + r_jl^2]; the default",
        "Kullback-Leibler divergence",
    )
    needs: Needs = field(default="curvature", init=False, repr=False)
