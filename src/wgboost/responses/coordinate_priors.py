"""Priors of one coordinate of theta, and the check of their parameters."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from wgboost.responses.numerics import safe_exp
from wgboost.typing import Array
from wgboost.validation import format_value

__all__ = [
    "CoordinatePrior",
    "InverseGammaPrior",
    "NormalPrior",
    "Parameter",
    "check_parameter",
]

Parameter = float | Array  # one value for all rows, or one value per row (n,)


class CoordinatePrior(Protocol):
    """Prior of one coordinate, up to a constant of the log density."""

    def log_density(self, value: Array) -> Array:
        """Return the log density up to a constant."""
        ...

    def score(self, value: Array) -> Array:
        """Return the first derivative of the log density."""
        ...

    def curvature(self, value: Array) -> Array:
        """Return minus the second derivative of the log density."""
        ...


class NormalPrior(NamedTuple):
    """A normal distribution of the coordinate."""

    mean: Parameter
    scale: Parameter

    def log_density(self, value: Array) -> Array:
        """Return the log density up to a constant."""
        density: Array = -0.5 * np.square((value - self.mean) / self.scale)
        return density

    def score(self, value: Array) -> Array:
        """Return the first derivative of the log density."""
        return (self.mean - value) / self.scale / self.scale

    def curvature(self, value: Array) -> Array:
        """Return minus the second derivative of the log density."""
        return np.full_like(value, 1.0 / self.scale / self.scale)


class InverseGammaPrior(NamedTuple):
    """An inverse-gamma distribution of a scale; the coordinate is the scale's logarithm.

    The Jacobian of the logarithm is part of the log density.
    """

    shape: Parameter
    rate: Parameter

    def log_density(self, value: Array) -> Array:
        """Return the log density up to a constant."""
        return -self.shape * value - self.rate * safe_exp(-value)

    def score(self, value: Array) -> Array:
        """Return the first derivative of the log density."""
        return self.rate * safe_exp(-value) - self.shape

    def curvature(self, value: Array) -> Array:
        """Return minus the second derivative of the log density."""
        return self.rate * safe_exp(-value)


def check_parameter(name: str, value: Any, positive: bool) -> Parameter:
    """Return a prior parameter as a float or a float64 array (n,); raise if it is invalid."""
    remedy = f"{name} must be {'> 0' if positive else 'finite'}, a number or one value per row"
    given = np.asarray(value)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"{name}={format_value(value)} is not numeric; {remedy}")
    if given.ndim > 1:
        raise ValueError(f"{name} has shape {given.shape}; {remedy}")
    values = given.astype(np.float64)
    bad = ~np.isfinite(values) | (positive & (values <= 0))
    if bad.any():
        if given.ndim == 0:
            raise ValueError(f"{name}={format_value(value)}; {remedy}")
        row = int(np.argmax(bad))
        raise ValueError(f"{name} is {values[row]:g} at row {row}; {remedy}")
    if given.ndim == 0:
        return float(values)
    values.flags.writeable = False  # the object is frozen
    return values
