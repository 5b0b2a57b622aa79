"""Targets given by a log density that is differentiated automatically."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from wgboost.directions import Needs
from wgboost.slicing import row_slices
from wgboost.targets import with_jax, with_torch
from wgboost.targets.base import UncompiledTarget, check_values
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_integer

__all__ = ["LogDensity", "LogDensityTarget", "check_log_density", "evaluate"]

_BACKENDS = {"jax": with_jax, "torch": with_torch}
_CHECKED_ROWS = 50  # rows that a density is checked on before training
_ROWS = 4096  # rows at a time


@dataclass(frozen=True)
class LogDensity:
    """Define targets by a log density that JAX or PyTorch differentiates.

    Parameters
    ----------
    function : callable
        function(theta (d,), y) returns the log density of one row at one particle, a number, up to
        a constant of the row. Write it with jax.numpy or torch. y is a number, or (q,) where y has
        columns.
    n_params : int, default=1
        Number d of coordinates. They have no bounds: write exp(theta[1]) for a scale.
    likelihood : callable, optional
        likelihood(theta (d,), y) returns the log likelihood of y with all its constants.
        `WGBoost.log_likelihood` predicts with it.
    backend : {"jax", "torch"}, default="jax"
        What the functions are written with. JAX compiles them, which is faster.

    Examples
    --------
    >>> from wgboost.targets import LogDensity
    >>> LogDensity(lambda theta, y: -0.5 * (y - theta[0]) ** 2).n_params
    1
    """

    function: Callable[..., Any]
    n_params: int = 1
    likelihood: Callable[..., Any] | None = None
    backend: str = "jax"

    def __post_init__(self) -> None:
        check_integer("n_params", self.n_params, low=1)
        check_choice("backend", self.backend, _BACKENDS)
        for name in ("function", "likelihood"):
            given = getattr(self, name)
            if not callable(given) and (name, given) != ("likelihood", None):
                raise TypeError(f"{name}={given!r} must be a function of (theta, y)")

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    @cached_property
    def _compiled(self) -> dict[str, Callable[[Array, Array], Any]]:
        """Functions of (particles (n, m, d), y (n, ...)) by name."""
        _check_installed(self.backend)
        backend = _BACKENDS[self.backend]
        functions: dict[str, Callable[[Array, Array], Any]] = backend.compiled(
            self.function, self.likelihood, self.n_params
        )
        return functions


def evaluate(density: LogDensity, name: str, particles: Array, y: Array) -> Any:
    """Return the values of a compiled function at all rows and particles.

    "score", "curvature", "hessian" and "log_density" come with the score (n, m, d);
    "likelihood" is (n, m) alone.
    """
    return density._compiled[name](
        np.asarray(particles, dtype=np.float32), np.asarray(y, dtype=np.float32)
    )


def check_log_density(density: LogDensity, y: Array) -> None:
    """Check a log density at some rows before training.

    Raise ValueError if a function fails, does not return a number, or does not use a coordinate
    of theta, and ImportError if the backend is not installed.
    """
    _check_installed(density.backend)
    values = np.asarray(y[:_CHECKED_ROWS], dtype=np.float32)
    theta = np.zeros(density.n_params, dtype=np.float32)
    for what, function in (("log density", density.function), ("likelihood", density.likelihood)):
        if function is None or len(values) == 0:
            continue
        given = f"theta of shape {theta.shape}, as n_params says, and y of shape {y.shape[1:]}"
        try:
            value = _BACKENDS[density.backend].returned(function, theta, values[0])
        except Exception as error:  # the user's function may raise anything
            raise ValueError(
                f"the {what} raised {type(error).__name__} for {given}: {error}"
            ) from error
        shape = getattr(value, "shape", None)
        if shape is None or tuple(shape) != ():
            kind = type(value).__name__ if shape is None else f"shape {tuple(shape)}"
            raise ValueError(
                f"the {what} returned {kind} for {given}; it must return one number: "
                "index theta and y, or sum"
            )
    draws = np.random.default_rng(0).standard_normal((len(values), 8, density.n_params))
    score, _ = evaluate(density, "score", draws, values)
    idle = ~(np.asarray(score) != 0).any(axis=(0, 1))
    if len(values) and idle.any():
        raise ValueError(
            f"the log density does not change with theta[{int(np.argmax(idle))}]; it needs "
            f"fewer than n_params={density.n_params} parameters, or one more term"
        )


def _check_installed(backend: str) -> None:
    if find_spec(backend) is None:
        raise ImportError(
            f'backend="{backend}" of LogDensity needs {backend}: pip install wgboost[{backend}], '
            "or give Target(score=..., curvature=...) instead"
        )


@dataclass(frozen=True, eq=False)
class LogDensityTarget(UncompiledTarget):
    """A `LogDensity` with the y of all rows."""

    density: LogDensity
    y: Array  # (n,) or (n, q)

    kind: ClassVar[str] = "log densities"

    @property
    def n_params(self) -> int:
        """Number d of coordinates."""
        return self.density.n_params

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""
        del n_threads
        if needs == "samples":
            raise ValueError("a density has no samples; give samples, or choose another direction")
        shape = particles.shape
        if shape[2] != self.density.n_params:
            raise ValueError(f"particles have {shape[2]} parameters, not {self.density.n_params}")
        score, second = evaluate(self.density, needs, particles, self.y[rows])
        score = check_values("score", score, rows, shape)
        if needs == "score":
            return score, None
        shapes = {"hessian": (*shape, shape[2]), "log_density": shape[:2]}
        return score, check_values(needs, second, rows, shapes.get(needs, shape))

    def check_finite(self, particles: Directions) -> None:
        """Raise ValueError if the log density of a row is not finite at its start particles."""
        for rows in row_slices(len(particles), _ROWS):
            score, value = evaluate(self.density, "log_density", particles[rows], self.y[rows])
            check_values("score", score, rows, particles[rows].shape)
            good = np.isfinite(np.asarray(value))
            if good.all():
                continue
            row, particle = (int(i) for i in np.argwhere(~good)[0])
            theta = ", ".join(f"{one:.3g}" for one in particles[rows.start + row, particle])
            found = float(np.asarray(value)[row, particle])
            raise ValueError(
                f"the log density of row {rows.start + row} is {found} at the start particle "
                f"theta = ({theta}); particles have no bounds, so it must be finite everywhere: "
                "write exp(theta) for what is positive, a sigmoid for what is bounded, and add "
                "the log of the Jacobian"
            )
