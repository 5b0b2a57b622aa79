"""The default direction: a diagonal Newton step of the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass, field

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

    needs: Needs = field(default="curvature", init=False, repr=False)
