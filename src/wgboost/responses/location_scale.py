"""Base of families of a location and a scale: all follows from a standard density."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from wgboost.responses.base import Response
from wgboost.responses.coordinate_priors import CoordinatePrior, InverseGammaPrior, Parameter
from wgboost.responses.numerics import clip_exponent, coordinates, safe_exp
from wgboost.responses.units import Units, mean_and_deviation
from wgboost.typing import Array

__all__ = ["LocationScale", "LocationScalePrior"]


@dataclass(frozen=True, eq=False)
class LocationScalePrior(Response):
    """A response whose theta begins with a location and a log scale: their priors and units.

    The location has a normal prior, the scale an inverse-gamma prior. The parameters of the priors
    refer to y standardised to mean 0 and standard deviation 1. The defaults are those of the paper
    for the normal response, and vague.
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_shape: Parameter = 0.01
    prior_rate: Parameter = 0.01

    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_shape", "prior_rate")
    log_scale: ClassVar[int | None] = 1
    offset_link: ClassVar[Literal["identity", "log"] | None] = "identity"

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "location", "log_scale"

    @property
    def dispersion(self) -> dict[int, float]:
        """The log scale."""
        return {1: 1.0}

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted mean and standard deviation of y."""
        return mean_and_deviation(y, weight)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return location and scale in the user's units."""
        location, scale = self._location_and_scale(theta)
        name = self.param_names[0]
        return {name: units.restore(location), "scale": units.scale * scale}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal prior of the location and the inverse-gamma prior of the scale."""
        shape, rate = (self.column(value, dtype) for value in (self.prior_shape, self.prior_rate))
        location = self._normal_prior(self.prior_mean, self.prior_scale, dtype)
        return location, InverseGammaPrior(shape, rate)

    def _location_and_scale(self, theta: Array) -> tuple[Array, Array]:
        theta = np.asarray(theta)
        return theta[..., 0], safe_exp(theta[..., 1])

    def _residual(self, y: Array, theta: Array) -> tuple[Array, Array]:
        """Return z = (y - location) / scale and 1 / scale."""
        inverse = safe_exp(-theta[..., 1])
        return (y - theta[..., 0]) * inverse, inverse


@dataclass(frozen=True, eq=False)
class LocationScale(LocationScalePrior):
    """y = location + scale * z with a standard density f(z), theta = (location, log scale).

    A family defines log f and its first two derivatives, the cdf, the survival function, their logs
    and inverses, and four facts: `information`, `standard_mean`, `standard_var` and
    `standard_entropy`.
    """

    information: ClassVar[tuple[float, float]]
    """Fisher information of location and log scale at scale 1."""
    standard_mean: ClassVar[float] = 0.0
    standard_var: ClassVar[float]
    standard_entropy: ClassVar[float]

    # --- the standard density -----------------------------------------------------------------

    @abstractmethod
    def _standard_logpdf(self, z: Array) -> Array:
        """Return log f(z)."""

    @abstractmethod
    def _standard_score(self, z: Array) -> Array:
        """Return the derivative of log f."""

    @abstractmethod
    def _standard_hessian(self, z: Array) -> Array:
        """Return the second derivative of log f."""

    @abstractmethod
    def _standard_cdf(self, z: Array) -> Array:
        """Return the probability of a value <= z."""

    @abstractmethod
    def _standard_sf(self, z: Array) -> Array:
        """Return the probability of a value > z."""

    @abstractmethod
    def _standard_logcdf(self, z: Array) -> Array:
        """Return the log of `_standard_cdf`, also where that underflows."""

    @abstractmethod
    def _standard_logsf(self, z: Array) -> Array:
        """Return the log of `_standard_sf`, also where that underflows."""

    @abstractmethod
    def _standard_ppf(self, q: Array) -> Array:
        """Return the z with _standard_cdf(z) = q; NaN for q outside [0, 1]."""

    @abstractmethod
    def _standard_isf(self, q: Array) -> Array:
        """Return the z with _standard_sf(z) = q; NaN for q outside [0, 1]."""

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        z, _ = self._residual(y, theta)
        return self._standard_logpdf(z) - clip_exponent(theta[..., 1])

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        z, inverse = self._residual(y, theta)
        first = self._standard_score(z)
        return coordinates(-first * inverse, -1 - z * first)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        z, inverse = self._residual(y, theta)
        first, second = self._standard_score(z), self._standard_hessian(z)
        hessian = np.empty((*z.shape, 2, 2), z.dtype)
        hessian[..., 0, 0] = second * inverse * inverse
        hessian[..., 0, 1] = hessian[..., 1, 0] = (first + z * second) * inverse
        hessian[..., 1, 1] = z * (first + z * second)
        return hessian

    def hessian_diagonal(self, y: Array, theta: Array) -> Array:
        """Return the diagonal of the Hessian of logpdf in theta."""
        z, inverse = self._residual(y, theta)
        second = self._standard_hessian(z)
        return coordinates(second * inverse * inverse, z * (self._standard_score(z) + z * second))

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        inverse = safe_exp(-theta[..., 1])
        location, scale = (inverse.dtype.type(value) for value in self.information)
        return coordinates(location * inverse * inverse, np.full_like(inverse, scale))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return self._standard_cdf(self._residual(y, theta)[0])

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        z, inverse = self._residual(y, theta)
        density = np.exp(self._standard_logpdf(z))
        return coordinates(-density * inverse, -density * z)

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return self._standard_sf(self._residual(y, theta)[0])

    def logcdf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value <= y."""
        return self._standard_logcdf(self._residual(y, theta)[0])

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value > y."""
        return self._standard_logsf(self._residual(y, theta)[0])

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        location, scale = self._location_and_scale(theta)
        value: Array = location + scale * self._standard_ppf(np.asarray(q))
        return value

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        location, scale = self._location_and_scale(theta)
        value: Array = location + scale * self._standard_isf(np.asarray(q))
        return value

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        location, scale = self._location_and_scale(theta)
        mean: Array = location + scale * location.dtype.type(self.standard_mean)
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        scale = safe_exp(theta[..., 1])
        variance: Array = scale * scale * scale.dtype.type(self.standard_var)
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        return clip_exponent(theta[..., 1]) + self.standard_entropy
