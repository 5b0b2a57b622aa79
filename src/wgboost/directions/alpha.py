"""Divergences beyond Kullback and Leibler's: the alpha family."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from wgboost.directions.base import Needs
from wgboost.directions.kernel import Kernel
from wgboost.typing import Array, Directions
from wgboost.validation import check_number

__all__ = ["AlphaDivergence"]


@dataclass(frozen=True)
class AlphaDivergence:
    """Move particles along the gradient of an alpha divergence.

    The movement is (rho / mu)^alpha (score - grad log rho). rho is the kernel density estimate of
    the row's particles and mu its target. alpha = 0 is the Kullback-Leibler divergence and 1 the
    chi-squared divergence, up to a factor 2. The factors are divided by the largest of the row, so
    that a constant of mu cancels and no factor exceeds 1.

    Parameters
    ----------
    alpha : float, default=1.0
        Order of the divergence.
    kernel : Kernel, default=Kernel()
        Kernel between the particles of a row.

    Examples
    --------
    >>> from wgboost.directions import AlphaDivergence
    >>> AlphaDivergence(alpha=0.5).alpha
    0.5
    """

    name: ClassVar[str] = "chi_squared"
    documentation: ClassVar[tuple[str, str]] = (
        "(rho / mu)^alpha (score - grad log rho), rho the particles' density, mu the target",
        "chi-squared divergence; `AlphaDivergence(alpha)` has 0 for Kullback-Leibler",
    )
    alpha: float = 1.0
    kernel: Kernel = field(default_factory=Kernel)
    needs: Needs = field(default="log_density", init=False, repr=False)

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha)

    @property
    def uses_metric(self) -> bool:
        """Whether the rows' Fisher information is read."""
        return self.kernel.uses_metric

    def __call__(
        self,
        particles: Directions,
        score: Directions,
        second: Array | None,
        metric: Array | None,
        rate: float,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
        n_threads: int = 1,  # noqa: ARG002
    ) -> tuple[Directions, Directions | None]:
        """Return the movement and None; `second` is the log density (n, m) of the targets."""
        if second is None:
            raise ValueError("AlphaDivergence needs the log density (n, m) of the targets")
        k, push = self.kernel.between(particles, metric)
        total = k.sum(axis=2)
        # push = -grad k: the sum over particles is -grad rho.
        movement = score + push.sum(axis=2) / total[..., None]
        log_factor = self.alpha * (np.log(total) - second)
        factor = np.exp(log_factor - log_factor.max(axis=1, keepdims=True))
        return (factor[..., None] * movement).astype(np.float32), None
