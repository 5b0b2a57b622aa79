"""Targets given by functions: of all rows at once, or one density for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from wgboost.directions import Needs
from wgboost.targets.base import check_values
from wgboost.typing import Array, Directions

__all__ = ["Density", "DensityTarget", "Target"]


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
    log_density : callable or None
        Returns the log density (n, m), up to a constant of each row; `AlphaDivergence` needs it.
    likelihood : callable or None
        Returns the log likelihood (n, m) of each row's y with all its constants; early stopping
        goes by it, and `WGBoost.log_likelihood` predicts with it.
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None
    log_density: Callable[..., Any] | None = None
    likelihood: Callable[..., Any] | None = None


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
    log_density : callable or None
        Returns the log density (m,), up to a constant.
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None
    log_density: Callable[..., Any] | None = None


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
            values = function(particles, rows)
        except (FloatingPointError, ZeroDivisionError) as error:
            raise ValueError(f"the target's {name} failed: {error}") from error
        return check_values(name, values, rows, shape)

    @property
    def predicts(self) -> bool:
        """Whether there is a likelihood of y."""
        return isinstance(self.target, Target) and self.target.likelihood is not None

    def log_predictive(self, particles: Directions) -> Array:
        """Return the log of the mean over particles of the likelihood of y, (n,)."""
        n, m = particles.shape[:2]
        function = self._function("likelihood")
        logs = np.asarray(None if function is None else function(particles, slice(0, n)))
        if logs.shape != (n, m) or logs.dtype.kind not in "fiu":
            raise ValueError(
                f"the target's likelihood returned {logs.dtype} of shape {logs.shape}; numbers "
                f"({n}, {m}) are needed, one for each row and particle"
            )
        if np.isnan(logs).any():
            row = int(np.argmax(np.isnan(logs).any(axis=1)))
            raise ValueError(f"the target's likelihood returned nan, row {row}")
        mixed: Array = special.logsumexp(logs.astype(np.float64), axis=1) - np.log(m)
        return mixed

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """See RowTarget."""
        del n_threads
        shape = particles.shape
        if needs == "samples":
            raise ValueError("a density has no samples; give samples, or choose another direction")
        score = self._call("score", particles, rows, shape)
        if needs == "score":
            return score, None
        if needs == "curvature":
            return score, self._call("curvature", particles, rows, shape)
        if needs == "log_density":
            return score, self._call("log_density", particles, rows, shape[:2])
        if shape[2] == 1 and self._function("hessian") is None:
            return score, -self._call("curvature", particles, rows, shape)[..., None]
        return score, self._call("hessian", particles, rows, (*shape, shape[2]))

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """See RowTarget."""
        raise ValueError('kernel="scaled" needs a Fisher information, which a Target does not have')
