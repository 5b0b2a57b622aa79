"""The default direction: a diagonal Newton step of the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass, field

from wgboost.directions.base import Needs
from wgboost.directions.interacting import InteractingDirection

__all__ = ["DiagonalNewton"]


@dataclass(frozen=True)
class DiagonalNewton(InteractingDirection):
    """Smoothed gradient over smoothed curvature, particle by particle.

    g_j = mean_l [score_l k_jl + r_jl] and c_j = mean_l [curvature_l k_jl^2 + r_jl^2] with the
    repulsion r_jl = (2 A / h)(x_j - x_l) k_jl. A smoothed curvature that is negative or
    has vanished (below 1e-12: parameters are meant to be of moderate size) is replaced: by its
    absolute value or 1e-6 of the row's largest curvature in size, or by 1 where these vanish too.
    """

    needs: Needs = field(default="curvature", init=False, repr=False)
