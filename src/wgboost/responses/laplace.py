"""Laplace response: absolute deviations from a median."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.location_scale import LocationScale
from wgboost.responses.units import Units, median_and_quartiles
from wgboost.typing import Array

__all__ = ["Laplace"]


@dataclass(frozen=True, eq=False)
class Laplace(LocationScale):
    """Model y as Laplace, theta = (location, log scale).

    The location is the median of y, the scale its mean absolute deviation from there. Choose it to
    predict medians, or for outliers.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y minus its median, divided by its
        interquartile range / 1.35. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Laplace
    >>> response, theta = Laplace(), np.array([1.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 2.0)
    """

    name: ClassVar[str] = "laplace"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "location, log scale",
        "sharp peak; medians and absolute errors",
    )
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"
    information: ClassVar[tuple[float, float]] = (1.0, 1.0)
    standard_var: ClassVar[float] = 2.0
    standard_entropy: ClassVar[float] = 1 + math.log(2)

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted median of y and its interquartile range / 1.35."""
        return median_and_quartiles(y, weight)

    def _standard_logpdf(self, z: Array) -> Array:
        return -np.abs(z) - math.log(2)

    def _standard_score(self, z: Array) -> Array:
        return -np.sign(z)

    def _standard_hessian(self, z: Array) -> Array:
        return np.zeros_like(z)

    def _standard_cdf(self, z: Array) -> Array:
        tail = 0.5 * np.exp(-np.abs(z))
        return np.where(z > 0, 1 - tail, tail)

    def _standard_sf(self, z: Array) -> Array:
        return self._standard_cdf(-z)

    def _standard_logcdf(self, z: Array) -> Array:
        tail = -np.abs(z) - math.log(2)
        return np.where(z > 0, np.log1p(-np.exp(tail)), tail)

    def _standard_logsf(self, z: Array) -> Array:
        return self._standard_logcdf(-z)

    def _standard_ppf(self, q: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            z: Array = np.where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q))
        return z

    def _standard_isf(self, q: Array) -> Array:
        return -self._standard_ppf(q)
