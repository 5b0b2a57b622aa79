"""Protocol of targets, and what several of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np

from wgboost import _core
from wgboost.directions import Needs
from wgboost.responses.native import CompiledPosterior
from wgboost.typing import Array, Directions

__all__ = ["RowTarget", "UncompiledTarget", "check_values", "separate_equal_particles"]


class RowTarget(Protocol):
    """Distribution on R^d of every training row."""

    @property
    def compiled(self) -> CompiledPosterior | None:
        """The distributions of all rows in the compiled core, if it has them."""
        ...

    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows.

        Parameters
        ----------
        particles : array of shape (r, m, d)
            Particles of the rows, float32.
        rows : slice
            The rows.
        needs : {"score", "curvature", "hessian", "log_density", "samples"}
            What the direction reads.
        n_threads : int
            Number of threads.

        Returns
        -------
        first : array of shape (r, m, d) or (r, s, d)
            Scores at the particles, or samples of the targets.
        second : array or None
            Curvature (r, m, d), Hessian (r, m, d, d) or log density (r, m), whichever is needed;
            the weights (r, s) of samples.
        """
        ...

    def metric(self, particles: Directions, rows: slice) -> Array | None:
        """Return the Fisher information (r, d) of some rows at their mean particles (r, m, d)."""
        ...


class UncompiledTarget(ABC):
    """Base of targets that the compiled core does not evaluate and that have no metric."""

    kind: ClassVar[str]
    """What the target consists of, in the plural, for messages."""

    @property
    def compiled(self) -> None:
        """None: the compiled core does not evaluate these targets."""
        return

    @property
    def n_params(self) -> int | None:
        """Number d of parameters; None if the target does not determine it."""
        return None

    def draw(self, m: int, rng: np.random.Generator) -> Array | None:  # noqa: ARG002
        """Draw m start particles (m, d) from the targets; None if they cannot be sampled."""
        return None

    @abstractmethod
    def derivatives(
        self, particles: Directions, rows: slice, needs: Needs, n_threads: int
    ) -> tuple[Directions, Array | None]:
        """Return what a direction needs of the targets of some rows; see `RowTarget`."""

    def metric(self, particles: Directions, rows: slice) -> Array | None:
        """Raise ValueError: these targets have no Fisher information."""
        del particles, rows
        raise ValueError(f'Kernel("scaled") needs a Fisher information, which {self.kind} lack')


def separate_equal_particles(drawn: Array, rng: np.random.Generator) -> Array:
    """Return start particles (m, d), no two of them equal: equal ones would move together."""
    if len(np.unique(drawn, axis=0)) == len(drawn):
        return drawn
    spread = drawn.std(axis=0)
    width = 1e-3 * np.where(spread > 0, spread, np.maximum(np.abs(drawn).max(axis=0), 1))
    moved: Array = drawn + width * rng.uniform(-1, 1, size=drawn.shape)
    return moved


def check_values(name: str, values: Any, rows: slice, shape: tuple[int, ...]) -> Array:
    """Return values of a target as float32; raise unless they are finite and of this shape."""
    try:
        array = np.asarray(values, dtype=np.float32)
    except ValueError as error:  # rows of different shapes
        raise ValueError(f"the target's {name} did not return {shape}: {error}") from error
    if array.shape != shape:
        raise ValueError(
            f"the target's {name} returned shape {array.shape}; {shape} is needed for "
            f"{shape[0]} rows of {shape[1]} particles"
        )
    array = np.ascontiguousarray(array)
    if not _core.all_finite(array.reshape(array.shape[0], array.shape[1], -1)):
        finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
        if not finite.any() and len(array) > 1:
            raise ValueError(
                f"the target's {name} returned a value that is not finite at every one of "
                f"{len(array)} rows"
            )
        row = rows.start + int(np.argmin(finite))
        raise ValueError(f"the target's {name} returned a value that is not finite, row {row}")
    return array
