"""A density of one's own, differentiated automatically."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost.directions import Needs
from wgboost.targets.base import checked
from wgboost.typing import Array, Directions
from wgboost.validation import check_integer

__all__ = ["LogDensity", "LogDensityTarget"]


@dataclass(frozen=True)
class LogDensity:
    """Targets given by an unnormalised log density; JAX differentiates and compiles it.

    Parameters
    ----------
    function : callable
        function(theta (d,), y) is the log density of one row at one particle, up to a constant of
        the row, written with jax.numpy; y is a number, or (q,) where y has columns. It is compiled
        over rows and particles.
    n_params : int
        d. The coordinates of theta have no bounds: write exp(theta[1]) for a scale.
    likelihood : callable, optional
        likelihood(theta (d,), y) is the log likelihood of y with all its constants;
        `WGBoost.log_likelihood` then predicts with it.
    """

    function: Callable[..., Any]
    n_params: int = 1
    likelihood: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        check_integer("n_params", self.n_params, low=1)
        if not callable(self.function):
            raise TypeError(f"function={self.function!r} must be a function of (theta, y)")

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("function", "n_params", "likelihood")}

    @cached_property
    def _compiled(self) -> dict[str, Callable[[Any, Any], Any]]:
        """Functions of (particles (n, m, d), y (n, ...)) by name."""
        jax = _jax()
        basis = np.eye(self.n_params, dtype=np.float32)
        gradient = jax.grad(self.function)

        def curved(theta: Any, y: Any) -> Any:
            score, along = jax.linearize(lambda t: gradient(t, y), theta)
            bends = [-along(basis[j])[j] for j in range(self.n_params)]
            return score, jax.numpy.stack(bends)

        functions = {
            "score": lambda t, y: (gradient(t, y), 0.0),
            "curvature": curved,
            "hessian": lambda t, y: (gradient(t, y), jax.jacfwd(gradient)(t, y)),
            "log_density": lambda t, y: jax.value_and_grad(self.function)(t, y)[::-1],
            "likelihood": self.likelihood,
        }
        over_particles = {k: jax.vmap(f, (0, None)) for k, f in functions.items() if f is not None}
        return {name: jax.jit(jax.vmap(f)) for name, f in over_particles.items()}

    def evaluate(self, name: str, particles: Array, y: Array) -> Any:
        """Return score and what `name` says beside it, or the likelihood (n, m)."""
        return self._compiled[name](particles, np.asarray(y, dtype=np.float32))


def _jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise ImportError(
            "LogDensity differentiates with JAX: pip install wgboost[jax], or give "
            "Target(score=..., curvature=...) instead"
        ) from error
    return jax


@dataclass(frozen=True, eq=False)
class LogDensityTarget:
    """A `LogDensity` with the rows' y."""

    density: LogDensity
    y: Array  # (n,) or (n, q)
    compiled: None = None

    @property
    def n_params(self) -> int:
        """Number d of coordinates."""
        return self.density.n_params

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """See RowTarget."""
        del n_threads
        if needs == "samples":
            raise ValueError("a density has no samples; give samples, or choose another direction")
        shape = particles.shape
        if shape[2] != self.density.n_params:
            raise ValueError(f"particles have {shape[2]} parameters, not {self.density.n_params}")
        score, second = self.density.evaluate(needs, particles, self.y[rows])
        score = checked("score", score, rows, shape)
        if needs == "score":
            return score, None
        shapes = {"hessian": (*shape, shape[2]), "log_density": shape[:2]}
        return score, checked(needs, second, rows, shapes.get(needs, shape))

    def metric(self, particles: Directions, rows: slice) -> Array | None:  # noqa: ARG002
        """See RowTarget."""
        raise ValueError('kernel="scaled" needs a Fisher information, which LogDensity has not')
