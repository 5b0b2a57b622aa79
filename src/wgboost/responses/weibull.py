"""Weibull response with unknown scale and shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from wgboost.responses.numerics import clip_exponent, coordinates, log_positive, safe_exp
from wgboost.responses.positive import LocationShape
from wgboost.typing import Array

__all__ = ["Weibull"]

_STEEPEST = 20.0  # bound of log z in derivatives, whose squares would overflow


@dataclass(frozen=True, eq=False)
class Weibull(LocationShape):
    """Model y as Weibull, theta = (log scale, log shape).

    (y / scale)^shape has an exponential distribution. For times to an event, with `censored` where
    the event has not happened yet.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log scale, for y divided by its mean. An array gives each
        row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log shape.
    prior_shape_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Weibull
    >>> response, theta = Weibull(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    name: ClassVar[str] = "weibull"
    documentation: ClassVar[tuple[str, str, str]] = (
        "> 0",
        "log scale, log shape",
        "lifetimes, wind speeds",
    )

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "log_scale", "log_shape"

    @property
    def dispersion(self) -> dict[int, float]:
        """The log shape, minus the log of the scale of log y."""
        return {1: -1.0}

    def _parts(self, y: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Return the shape, the log of z = (y / scale)^shape with an upper bound, and z."""
        shape = safe_exp(theta[..., 1])
        power = np.minimum(shape * self._open_log_ratio(y, theta), _STEEPEST)
        return shape, power, np.exp(power)

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        shape = safe_exp(theta[..., 1])
        power = shape * self._open_log_ratio(y, theta)
        largest = np.log(np.finfo(power.dtype).max) - 20  # finite times any evidence
        log_density = clip_exponent(theta[..., 1]) + power - np.exp(np.minimum(power, largest))
        return self._inside(y, log_density - log_positive(y), shape)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        shape, power, z = self._parts(y, theta)
        return coordinates(shape * (z - 1), 1 - power * (z - 1))

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        shape, power, z = self._parts(y, theta)
        hessian = np.empty((*z.shape, 2, 2), z.dtype)
        hessian[..., 0, 0] = -shape * shape * z
        hessian[..., 0, 1] = hessian[..., 1, 0] = shape * (z - 1 + power * z)
        hessian[..., 1, 1] = -power * (z - 1 + power * z)
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        shape = safe_exp(theta[..., 1])
        constant = math.pi**2 / 6 + (1 - np.euler_gamma) ** 2
        return coordinates(shape * shape, np.full_like(shape, constant))

    def _hazard(self, y: Array, theta: Array) -> Array:
        """Return z = (y / scale)^shape, 0 below the support."""
        with np.errstate(over="ignore", under="ignore"):
            hazard: Array = self._ratio(y, theta) ** safe_exp(theta[..., 1])
        return hazard

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return -np.expm1(-self._hazard(y, theta))

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        shape, hazard = safe_exp(theta[..., 1]), self._hazard(y, theta)
        log_hazard = log_positive(hazard)
        density = np.exp(log_hazard - hazard)  # of log z
        return coordinates(-shape * density, density * log_hazard)

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return np.exp(-self._hazard(y, theta))

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value > y."""
        return -self._hazard(y, theta)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._value(-np.log1p(-np.asarray(q)), theta)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._value(-np.log(np.asarray(q)), theta)

    def _value(self, hazard: Array, theta: Array) -> Array:
        """Return the y of a given z; NaN below 0."""
        known = np.where(hazard >= 0, hazard, np.nan)
        with np.errstate(over="ignore", under="ignore"):
            value: Array = safe_exp(theta[..., 0]) * known ** safe_exp(-theta[..., 1])
        return value

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        mean: Array = safe_exp(theta[..., 0]) * special.gamma(1 + safe_exp(-theta[..., 1]))
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        inverse = safe_exp(-theta[..., 1])
        # As a multiple of the squared mean: nothing cancels for large shapes.
        relative = np.expm1(special.gammaln(1 + 2 * inverse) - 2 * special.gammaln(1 + inverse))
        variance: Array = np.square(self.mean(theta)) * relative
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        inverse = safe_exp(-theta[..., 1])
        constant = np.euler_gamma * (1 - inverse) + 1
        return clip_exponent(theta[..., 0]) - clip_exponent(theta[..., 1]) + constant

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        theta = np.asarray(theta)
        hazard = rng.standard_exponential(theta.shape[:-1])
        return self.clip_to_support(self._value(hazard, theta))
