"""The first-order direction: Stein variational gradient descent."""

from __future__ import annotations

from dataclasses import dataclass

from wgboost.directions.interacting import InteractingDirection

__all__ = ["SmoothedGradient"]


@dataclass(frozen=True)
class SmoothedGradient(InteractingDirection):
    """The movement g_j = mean_l [score_l k_jl + r_jl], without a curvature to divide by."""
