"""The first-order direction: Stein variational gradient descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wgboost.directions.interacting import InteractingDirection

__all__ = ["SmoothedGradient"]


@dataclass(frozen=True)
class SmoothedGradient(InteractingDirection):
    """Move particles by Stein variational gradient descent.

    The movement is g_j = mean_l [score_l k_jl + r_jl] with the kernel k and the repulsion r. It
    needs the score of the target only.

    Parameters
    ----------
    kernel : Kernel, default=Kernel()
        Kernel between the particles of a row.

    Examples
    --------
    >>> from wgboost.directions import SmoothedGradient
    >>> SmoothedGradient().needs
    'score'
    """

    name: ClassVar[str] = "smoothed"
    documentation: ClassVar[tuple[str, str]] = (
        "g: Stein variational gradient descent",
        "Kullback-Leibler divergence",
    )
