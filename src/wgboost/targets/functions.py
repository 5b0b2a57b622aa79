"""Targets given by functions: of all rows at once, or one density for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from wgboost.directions import Needs
from wgboost.targets.base import UncompiledTarget, check_values
from wgboost.typing import Array, Directions

__all__ = ["Density", "DensityTarget", "Target"]


@dataclass(frozen=True)
class Target:
    """Define targets by functions of (particles (n, m, d), y (n, q)).

    Parameters
    ----------
    score : callable
        Returns the gradient (n, m, d) of each row's log density at its particles.
    curvature : callable, optional
        Returns minus the diagonal (n, m, d) of the Hessian. The Newton directions need it.
    hessian : callable, optional
        Returns the Hessian (n, m, d, d). With d = 1 the curvature replaces it.
    log_density : callable, optional
        Returns the log density (n, m), up to a constant of each row. `AlphaDivergence` needs it.
    likelihood : callable, optional
        Returns the log likelihood (n, m) of each row's y with all its constants. Early stopping and
        `WGBoost.log_likelihood` use it.

    Examples
    --------
    >>> from wgboost.targets import Target
    >>> target = Target(score=lambda x, y: y[:, None] - x, curvature=lambda x, y: 0 * x + 1)
    >>> target.hessian is None
    True
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None
    log_density: Callable[..., Any] | None = None
    likelihood: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Density:
    """Define the target of one row by functions of its particles (m, d).

    Parameters
    ----------
    score : callable
        Returns the gradient (m, d) of the log density.
    curvature : callable, optional
        Returns minus the diagonal (m, d) of the Hessian.
    hessian : callable, optional
        Returns the Hessian (m, d, d).
    log_density : callable, optional
        Returns the log density (m,), up to a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.targets import Density
    >>> Density(score=lambda x: 1 - x).score(np.zeros((1, 1)))
    array([[1.]])
    """

    score: Callable[..., Any]
    curvature: Callable[..., Any] | None = None
    hessian: Callable[..., Any] | None = None
    log_density: Callable[..., Any] | None = None


@dataclass(frozen=True, eq=False)
class DensityTarget(UncompiledTarget):
    """Targets given by functions: a `Target` for all rows, or a `Density` per row."""

    target: Target | Sequence[Density]
    y: Array  # (n, q)

    kind: ClassVar[str] = "functions"

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
        """Return the log of the mean likelihood of y over particles (n, m, d), one per row."""
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
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""
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
