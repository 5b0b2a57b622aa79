"""What the particles of each row move towards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from wgboost.directions import Needs
from wgboost.responses import CompiledPosterior, Observations, Response, Seen
from wgboost.typing import Array, Directions

__all__ = ["Density", "DensityTarget", "PosteriorTarget", "RowTarget", "Target"]


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
    y: Seen  # (n,) or (n, q), standardised
    evidence: Any = 1.0  # a number, or one per row

    @cached_property
    def compiled(self) -> CompiledPosterior | None:
        """See RowTarget."""
        if isinstance(self.y, Observations):
            return None
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


@dataclass(frozen=True)
class Density:
    """One row's target, by functions of its particles (m, d).

    Attributes
    ----------
    score : callable
        Returns the gradient (m, d) of the log density, which may be known up to a constant.
    curvature : callable or None
        Returns minus the diagonal (m, d) of its Hessian.
    hessian : callable or None
        Returns the Hessian (m, d, d).
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None


@dataclass(frozen=True, eq=False)
class DensityTarget:
    """Targets that are given by functions: one `Target` with the rows' y, or a `Density` a row."""

    target: Target | Sequence[Density]
    y: Array  # (n, q)
    compiled: None = None

    def _function(self, name: str) -> Callable[[Directions, slice], Any] | None:
        """Return the function of (particles, rows), if there is one for every row."""
        if isinstance(self.target, Target):
            function = getattr(self.target, name)
            return None if function is None else lambda x, rows: function(x, self.y[rows])
        functions: list[Any] = [getattr(density, name, None) for density in self.target]
        if None in functions:
            return None
        return lambda x, rows: [f(one) for f, one in zip(functions[rows], x, strict=True)]

    def _call(self, name: str, particles: Directions, rows: slice, shape: tuple[int, ...]) -> Array:
        function = self._function(name)
        if function is None:
            raise ValueError(
                f"this direction needs the target's {name}, which was not given; "
                'direction="smoothed" and "langevin" need the score alone'
            )
        try:
            values = np.asarray(function(particles, rows), dtype=np.float32)
        except ValueError as error:  # rows of different shapes make no array
            raise ValueError(f"the target's {name} did not return {shape}: {error}") from error
        if values.shape != shape:
            raise ValueError(
                f"the target's {name} returned shape {values.shape} for particles of shape "
                f"{particles.shape}; {shape} is needed"
            )
        finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
        if not finite.all():
            row = rows.start + int(np.argmin(finite))
            raise ValueError(f"the target's {name} returned a value that is not finite, row {row}")
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
            return score, self._call("curvature", particles, rows, shape)
        if shape[2] == 1 and self._function("hessian") is None:
            return score, -self._call("curvature", particles, rows, shape)[..., None]
        return score, self._call("hessian", particles, rows, (*shape, shape[2]))

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """See RowTarget."""
        raise ValueError('kernel="scaled" needs a Fisher information, which a Target does not have')
