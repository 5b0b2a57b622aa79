"""Gumbel response: the largest of many values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.location_scale import LocationScale
from wgboost.typing import Array

__all__ = ["Gumbel"]


@dataclass(frozen=True, eq=False)
class Gumbel(LocationScale):
    """Model y as Gumbel, the largest of many values; theta = (location, log scale).

    The location is the mode of y; the mean lies 0.577 scales above. Choose it for maxima, such as
    floods or peak loads. For minima, fit -y.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y standardised to mean 0 and standard
        deviation 1. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Gumbel
    >>> response, theta = Gumbel(), np.array([1.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.577, 1.645)
    """

    name: ClassVar[str] = "gumbel"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "location, log scale",
        "maxima: floods, peak loads (minima: fit -y)",
    )
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"
    information: ClassVar[tuple[float, float]] = (1.0, math.pi**2 / 6 + (1 - np.euler_gamma) ** 2)
    standard_mean: ClassVar[float] = np.euler_gamma
    standard_var: ClassVar[float] = math.pi**2 / 6
    standard_entropy: ClassVar[float] = 1 + np.euler_gamma

    def _standard_logpdf(self, z: Array) -> Array:
        z = np.maximum(z, -750)  # exp(750) is infinite already
        with np.errstate(over="ignore"):
            return -z - np.exp(-z)

    def _standard_score(self, z: Array) -> Array:
        return _exp(-z) - 1

    def _standard_hessian(self, z: Array) -> Array:
        return -_exp(-z)

    def _standard_cdf(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(-np.exp(-z))

    def _standard_sf(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return -np.expm1(-np.exp(-z))

    def _standard_logcdf(self, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return -np.exp(-z)

    def _standard_logsf(self, z: Array) -> Array:
        with np.errstate(over="ignore", divide="ignore"):
            near = np.log(-np.expm1(-np.exp(-z)))
        return np.where(z > 40, -z, near)  # exp(-z) may vanish

    def _standard_ppf(self, q: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.log(-np.log(q))

    def _standard_isf(self, q: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.log(-np.log1p(-q))


def _exp(exponent: Array) -> Array:
    """Return exp, bounded so that its product with the square of the largest z is finite."""
    return np.exp(np.minimum(exponent, 12 if exponent.dtype == np.float32 else 300))
