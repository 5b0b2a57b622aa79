"""Cauchy response: tails so heavy that there is no mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.location_scale import LocationScale
from wgboost.responses.units import Units, median_and_quartiles
from wgboost.typing import Array

__all__ = ["Cauchy"]


@dataclass(frozen=True, eq=False)
class Cauchy(LocationScale):
    """Model y as Cauchy, theta = (location, log scale).

    The location is the median of y, and location +- scale are its quartiles. Mean and variance do
    not exist and are NaN. Choose it for extreme outliers.

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
    >>> from wgboost.responses import Cauchy
    >>> response, theta = Cauchy(), np.array([1.0, 0.0])
    >>> float(response.ppf(0.75, theta).round(3))
    2.0
    """

    name: ClassVar[str] = "cauchy"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "location, log scale",
        "tails so heavy that y has no mean; `predict` is the median",
    )
    curvature_kind: ClassVar[Literal["hessian", "fisher"]] = "fisher"
    information: ClassVar[tuple[float, float]] = (0.5, 0.5)
    standard_mean: ClassVar[float] = math.nan
    standard_var: ClassVar[float] = math.nan
    standard_entropy: ClassVar[float] = math.log(4 * math.pi)

    @property
    def has_mean(self) -> bool:
        """Whether y has a mean: never."""
        return False

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted median of y and its interquartile range / 1.35."""
        return median_and_quartiles(y, weight)

    def _standard_logpdf(self, z: Array) -> Array:
        return -2 * np.log(np.hypot(1, z)) - math.log(math.pi)

    def _standard_score(self, z: Array) -> Array:
        length = np.hypot(1, z)  # z * z may be infinite
        return -2 * (z / length) / length

    def _standard_hessian(self, z: Array) -> Array:
        length = np.hypot(1, z)
        share = z / length
        return (2 * share * share - 1) * (2 / length / length)

    def _standard_cdf(self, z: Array) -> Array:
        return np.arctan2(1, -z) / math.pi

    def _standard_sf(self, z: Array) -> Array:
        return np.arctan2(1, z) / math.pi

    def _standard_logcdf(self, z: Array) -> Array:
        return np.log(self._standard_cdf(z))  # the heavy tail does not underflow

    def _standard_logsf(self, z: Array) -> Array:
        return np.log(self._standard_sf(z))

    def _standard_ppf(self, q: Array) -> Array:
        tail = np.where(q > 0.5, 1 - q, q)  # exact, unlike pi - pi * q
        with np.errstate(divide="ignore"):
            size = 1 / np.tan(math.pi * np.where(tail >= 0, tail, np.nan))
        return np.where(q > 0.5, size, -size)

    def _standard_isf(self, q: Array) -> Array:
        return -self._standard_ppf(q)
