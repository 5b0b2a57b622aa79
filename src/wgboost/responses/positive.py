"""Bases of families of positive numbers: a log location, and a log shape if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from wgboost.responses.base import Response
from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.numerics import clip_exponent, log_positive, safe_exp, working_float
from wgboost.responses.units import Units, mean_as_scale
from wgboost.typing import Array

__all__ = ["LocationShape", "Positive", "at_end"]


def at_end(y: Array, end: float, log_density: Array, power: Array | float) -> Array:
    """Return the log density; at an end of the support, the limit of distance^(power - 1).

    A float32 y at the end was rounded to it, and keeps its density.
    """
    there = np.asarray(y) == end
    if not there.any() or working_float(y).dtype == np.float32:
        return log_density
    limit = np.where(np.greater(power, 1), -np.inf, np.inf)
    differs = np.abs(np.asarray(power) - 1) > 1e-9  # a power of 1 may be rounded
    return np.where(there & differs, limit, log_density)


@dataclass(frozen=True, eq=False)
class Positive(Response):
    """y > 0 in proportion to exp(theta_0), the mean or another scale of y.

    The log location has a normal prior. Its parameters refer to y divided by its mean. The defaults
    are vague: one standard deviation is a factor of 22,000.
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0

    positive: ClassVar[tuple[str, ...]] = ("prior_scale",)
    offset_link: ClassVar[Literal["identity", "log"] | None] = "log"
    # The curvature of a row vanishes for small y, and its score grows without bound for large y.
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return 0.0, np.inf

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        return "numbers > 0"

    def in_support(self, y: Array) -> Array:
        """Return whether each y is positive."""
        return (y > 0) & (y < np.inf)

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted mean of y as the unit."""
        return mean_as_scale(y, weight)

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal prior of the log location."""
        return (self._normal_prior(self.prior_mean, self.prior_scale, dtype),)

    def _log_ratio(self, y: Array, theta: Array) -> Array:
        """Return log(y / exp(theta_0)), clipped to bounds."""
        return clip_exponent(log_positive(y) - theta[..., 0])

    def _open_log_ratio(self, y: Array, theta: Array) -> Array:
        """Return log(y / exp(theta_0)) without bounds other than those of y and the location.

        A small shape makes y many powers of ten smaller than its mean. The logarithm of that ratio
        determines the shape.
        """
        location = working_float(theta)[..., 0]
        limit = 85.0 if location.dtype == np.float32 else 170.0  # its exponential is finite
        log_ratio: Array = log_positive(y) - np.minimum(np.maximum(location, -limit), limit)
        return log_ratio

    def _ratio(self, y: Array, theta: Array) -> Array:
        """Return y / exp(theta_0) for tail probabilities: 0 below the support."""
        ratio: Array = np.maximum(y, 0) * safe_exp(-theta[..., 0])
        return ratio

    def _mean_slope(self, y: Array, theta: Array) -> Array:
        """Return the derivative of cdf in theta_0, which is -y times the density."""
        y = np.asarray(y)
        inside = (y > 0) & (y < np.inf)
        known = np.where(inside, y, 1)
        return np.where(inside, -np.exp(self.logpdf(known, theta) + log_positive(known)), 0)

    def _inside(self, y: Array, log_density: Array, power: Array | float = 1.0) -> Array:
        """Return the log density with -inf outside the support.

        Near 0 the density is a multiple of y^(power - 1): zero, infinite or finite there.
        """
        y = np.asarray(y)
        outside = (y < 0) | (y == np.inf)
        if outside.any():
            log_density = np.where(outside, -np.inf, log_density)
        return at_end(y, 0, log_density, power)


@dataclass(frozen=True, eq=False)
class LocationShape(Positive):
    """y > 0 with theta = (log location, log shape), both with a normal prior."""

    prior_shape_mean: Parameter = 0.0
    prior_shape_scale: Parameter = 10.0

    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_shape_scale")

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "log_mean", "log_shape"

    @property
    def dispersion(self) -> dict[int, float]:
        """The log shape, minus twice the log of the relative standard deviation."""
        return {1: -2.0}

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return location and shape, the location in the user's units."""
        name = self.param_names[0].removeprefix("log_")
        location, shape = safe_exp(theta[..., 0]), safe_exp(theta[..., 1])
        return {name: units.scale * location, "shape": shape}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of the log location and of the log shape."""
        shape = self._normal_prior(self.prior_shape_mean, self.prior_shape_scale, dtype)
        return (*super().coordinate_priors(dtype), shape)
