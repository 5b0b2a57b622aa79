"""How particles should move towards their targets: one file per direction."""

from __future__ import annotations

from typing import Any

from wgboost.directions.base import Direction, Needs
from wgboost.directions.function import CallableDirection
from wgboost.directions.interacting import InteractingDirection
from wgboost.directions.kernel import Kernel, default_bandwidth
from wgboost.validation import check_choice

# One line for each direction, in the order of the tables in docs.
# isort: off
from wgboost.directions.smoothed import SmoothedGradient
from wgboost.directions.diagonal_newton import DiagonalNewton
from wgboost.directions.full_newton import FullNewton
from wgboost.directions.langevin import Langevin
from wgboost.directions.alpha import AlphaDivergence
from wgboost.directions.discrepancy import MMD, EnergyDistance
# isort: on

__all__ = [
    "DIRECTIONS",
    "MMD",
    "AlphaDivergence",
    "CallableDirection",
    "DiagonalNewton",
    "Direction",
    "EnergyDistance",
    "FullNewton",
    "InteractingDirection",
    "Kernel",
    "Langevin",
    "Needs",
    "SmoothedGradient",
    "as_direction",
    "default_bandwidth",
]

DIRECTIONS: dict[str, type[Any]] = {
    kind.name: kind
    for kind in [*vars().values()]
    if "documentation" in getattr(kind, "__dict__", ())
}
"""The directions of this package by name."""


_SYNONYMS = {
    "kl": "'diagonal_newton', the Newton direction of the Kullback-Leibler divergence",
    "kullback_leibler": "'diagonal_newton', the Newton direction of that divergence",
    "svgd": "'smoothed', the gradient of the Kullback-Leibler divergence",
    "gradient": "'smoothed'",
    "cramer": "'energy'",
}


def as_direction(direction: Any, kernel: Kernel | None = None) -> Direction:
    """Return a direction for a name, a direction or a function.

    Parameters
    ----------
    direction : str, Direction or callable
        A key of `DIRECTIONS`, an object, which keeps its own kernel, or a function of (particles,
        score, curvature, metric, rate, rng) that returns a movement g (n, m, d), or g and a
        curvature c.
    kernel : Kernel, optional
        Kernel for a direction that is given by name.

    Returns
    -------
    Direction
        The direction.

    Raises
    ------
    ValueError
        If the name is unknown.
    TypeError
        If `direction` is a class or nothing of these.

    Examples
    --------
    >>> from wgboost.directions import as_direction
    >>> as_direction("langevin")
    Langevin()
    """
    if isinstance(direction, str):
        kind = DIRECTIONS[check_choice("direction", direction, DIRECTIONS, _SYNONYMS)]
        takes_kernel = "kernel" in kind.__dataclass_fields__ and not issubclass(kind, MMD)
        made: Direction = kind(kernel=kernel) if takes_kernel and kernel is not None else kind()
        return made
    if isinstance(direction, type):
        name = direction.__name__
        raise TypeError(f"direction={name} is a class; give an object: {name}()")
    if isinstance(direction, Direction):
        return direction
    if callable(direction):
        return CallableDirection(direction, uses_metric=kernel is not None and kernel.uses_metric)
    names = ", ".join(map(repr, DIRECTIONS))
    raise TypeError(f"direction={direction!r} must be one of {names}, a direction or a function")
