"""What the particles of each row move towards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from wgboost.directions import Needs
from wgboost.responses import CompiledPosterior, Response
from wgboost.typing import Array, Directions

__all__ = ["DensityTarget", "PosteriorTarget", "RowTarget", "Target"]


class RowTarget(Protocol):
    """A distribution on R^d for every training row, by the derivatives of its log density."""

    @property
    def compiled(self) -> CompiledPosterior | None:
        """The distributions of all rows in the compiled core, if it has them."""
        ...

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """The score (n, m, d) at the particles of these rows and, as needed, the curvature
        (n, m, d) or the Hessian (n, m, d, d)."""  # noqa: D205, D209
        ...

    def metric(self, particles: Directions, rows: slice) -> Array | None:
        """The Fisher information (n, d) of these rows at their mean particle, if there is one."""
        ...


@dataclass(frozen=True, eq=False)
class PosteriorTarget:
    """The posterior of one row's response parameters given its y."""

    response: Response
    y: Array  # (n,), standardised
    evidence: Any = 1.0  # a number, or one per row

    @cached_property
    def compiled(self) -> CompiledPosterior | None:
        """See RowTarget."""
        return self.response.compiled(self.y, self.evidence)

    def _evidence(self, rows: slice) -> Any:
        return self.evidence[rows] if np.ndim(self.evidence) else self.evidence

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """See RowTarget."""
        response, y, evidence = self.response.take(rows), self.y[rows], self._evidence(rows)
        if needs == "curvature":
            return response.score_and_curvature(y, particles, evidence, n_threads)
        score = response.score(y, particles, evidence)
        return score, None if needs == "score" else response.hessian(y, particles, evidence)

    def metric(self, particles: Directions, rows: slice) -> Array | None:
        """See RowTarget."""
        centre = particles.mean(axis=1)
        fisher = self.response.take(rows).fisher(centre, self._evidence(rows))
        return np.ascontiguousarray(fisher, dtype=np.float32)


@dataclass(frozen=True)
class Target:
    """Targets given by functions of (particles (n, m, d), y (n, q)).

    Attributes
    ----------
    score : callable
        Returns the gradient (n, m, d) of each row's log density at its particles.
    curvature : callable or None
        Returns minus the diagonal (n, m, d) of its Hessian; the Newton directions need it.
    hessian : callable or None
        Returns the Hessian (n, m, d, d). With d = 1 the curvature stands in for it.
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None


@dataclass(frozen=True, eq=False)
class DensityTarget:
    """A `Target` with the rows' y."""

    target: Target
    y: Array  # (n, q)
    compiled: None = None

    def _call(self, name: str, particles: Directions, rows: slice, shape: tuple[int, ...]) -> Array:
        function = getattr(self.target, name)
        values = np.asarray(function(particles, self.y[rows]), dtype=np.float32)
        if values.shape != shape:
            raise ValueError(
                f"the target's {name} returned shape {values.shape} for particles of shape "
                f"{particles.shape}; {shape} is needed"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"the target's {name} returned a value that is not finite")
        return np.ascontiguousarray(values)

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """See RowTarget."""
        del n_threads
        shape = particles.shape
        score = self._call("score", particles, rows, shape)
        if needs == "score":
            return score, None
        if needs == "curvature":
            if self.target.curvature is None:
                raise ValueError(
                    'this direction needs Target(curvature=...); direction="smoothed" and '
                    '"langevin" do without'
                )
            return score, self._call("curvature", particles, rows, shape)
        if self.target.hessian is not None:
            return score, self._call("hessian", particles, rows, (*shape, shape[2]))
        if shape[2] == 1 and self.target.curvature is not None:
            return score, -self._call("curvature", particles, rows, shape)[..., None]
        raise ValueError("the full Newton direction needs Target(hessian=...)")

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """See RowTarget."""
        raise ValueError('kernel="scaled" needs a Fisher information, which a Target does not have')
