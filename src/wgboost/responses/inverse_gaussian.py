"""Inverse Gaussian response with unknown mean and shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from wgboost.responses.inverse_gaussian_tails import (
    log_ratio_of_deviance,
    log_ratio_quantile,
    tails,
)
from wgboost.responses.numerics import clip_exponent, coordinates, log_positive, safe_exp
from wgboost.responses.positive import LocationShape
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["InverseGaussian"]


@dataclass(frozen=True, eq=False)
class InverseGaussian(LocationShape):
    """Model y as inverse Gaussian, theta = (log mean, log shape).

    The variance is mean^3 / shape; the shape has the unit of y. For positive numbers that are more
    skewed than a gamma distribution.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log mean, for y divided by its mean. An array gives each row
        its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log shape.
    prior_shape_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.

    Notes
    -----
    The likelihood contains 1 / y. A few values far below all others, as from rounding, therefore
    imply a small shape for all rows around them. The curvature limits the influence of one row
    but does not remove it. Compare with "gamma" or "lognormal" where y reaches down to 0.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import InverseGaussian
    >>> response, theta = InverseGaussian(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    name: ClassVar[str] = "inverse_gaussian"
    documentation: ClassVar[tuple[str, str, str]] = (
        "> 0",
        "log mean, log shape",
        "times to reach a level; next to nothing near 0",
    )
    offset_shifts_y: ClassVar[bool] = False
    sufficient: ClassVar[bool] = True

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return mean and shape in the user's units."""
        natural = super().natural(theta, units)
        return natural | {"shape": units.scale * natural["shape"]}

    def _precision(self, theta: Array) -> Array:
        """Return shape / mean, one over the squared relative standard deviation."""
        return safe_exp(theta[..., 1] - theta[..., 0])

    def _parts(self, y: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Return shape / mean, y / mean - 1, and the deviance, which is chi-squared distributed."""
        log_ratio, precision = self._log_ratio(y, theta), self._precision(theta)
        deviance = precision * np.square(2 * np.sinh(0.5 * log_ratio))
        return precision, np.expm1(log_ratio), deviance

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        _, _, deviance = self._parts(y, theta)
        logs = clip_exponent(theta[..., 1]) - math.log(2 * math.pi) - 3 * log_positive(y)
        return self._inside(y, 0.5 * (logs - deviance), np.inf)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        return _score(*self._parts(y, theta))

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        precision, excess, deviance = self._parts(y, theta)
        hessian = np.empty((*excess.shape, 2, 2), excess.dtype)
        hessian[..., 0, 0] = -precision * (2 * excess + 1)
        hessian[..., 0, 1] = hessian[..., 1, 0] = precision * excess
        hessian[..., 1, 1] = -0.5 * deviance
        return hessian

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return the Fisher information, or a share of the row's own curvature if larger."""
        return self._bounded(*self._parts(y, theta))

    def _bounded(self, precision: Array, excess: Array, deviance: Array) -> Array:
        location = precision * np.maximum(1, (2 * excess + 1) / self.damping)
        return coordinates(location, 0.5 * np.maximum(1, deviance / self.damping))

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        precision = self._precision(theta)
        return coordinates(precision, np.full_like(precision, 0.5))

    def _below_and_above(self, y: Array, theta: Array) -> tuple[Array, Array]:
        y = np.asarray(y)
        below, above = tails(self._log_ratio(y, theta), self._precision(theta))
        low, high = y <= 0, y == np.inf
        below = np.where(low, 0.0, np.where(high, 1.0, below))
        return below, np.where(low, 1.0, np.where(high, 0.0, above))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return self._below_and_above(y, theta)[0]

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return self._below_and_above(y, theta)[1]

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta.

        The cdf does not change if mean, shape and y are multiplied by the same factor.
        """
        y = np.asarray(y)
        inside = (y > 0) & (y < np.inf)
        log_ratio, precision = (
            self._log_ratio(np.where(inside, y, 1), theta),
            self._precision(theta),
        )
        near = np.sqrt(precision) * 2 * np.sinh(0.5 * log_ratio)
        far = np.sqrt(precision) * 2 * np.cosh(0.5 * log_ratio)
        # 2 precision exp(2 precision) times the normal tail beyond `far`
        mean = -precision * special.erfcx(far / math.sqrt(2)) * np.exp(-0.5 * near * near)
        mean = np.where(inside, mean, 0)
        return coordinates(mean, -mean + self._mean_slope(y, theta))

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        q = np.asarray(q, dtype=np.float64)
        return self._value(log_ratio_quantile(q, 1 - q, self._precision(theta)), theta)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        q = np.asarray(q, dtype=np.float64)
        return self._value(log_ratio_quantile(1 - q, q, self._precision(theta)), theta)

    def _value(self, log_ratio: Array, theta: Array) -> Array:
        return np.exp(log_ratio) * self.mean(theta)

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return safe_exp(theta[..., 0])

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        return np.square(self.mean(theta)) / self._precision(theta)

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        mean_log_ratio = -_scaled_exponential_integral(2 * self._precision(theta))
        logs = (
            3 * clip_exponent(theta[..., 0])
            - clip_exponent(theta[..., 1])
            + math.log(2 * math.pi)
            + 1
        )
        return 0.5 * logs + 1.5 * mean_log_ratio

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        theta = np.asarray(theta)
        precision = self._precision(theta)
        # Log ratios of opposite sign have the same deviance, and odds exp(size).
        size = log_ratio_of_deviance(np.square(rng.standard_normal(precision.shape)) / precision)
        low = rng.random(precision.shape) < special.expit(size)
        return self.clip_to_support(self._value(np.where(low, -size, size), theta))

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted means of y and of 1 / y, (2,)."""
        log_y = log_positive(np.asarray(y, dtype=np.float64))
        return np.array([np.average(np.exp(each), weights=weight) for each in (log_y, -log_y)])

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        return _score(*self._average_parts(theta, statistics))

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        return self._bounded(*self._average_parts(theta, statistics))

    def _average_parts(self, theta: Array, statistics: Array) -> tuple[Array, Array, Array]:
        mean, mean_inverse = (float(value) for value in statistics)
        precision, excess, deviance = self._parts(np.asarray(mean, theta.dtype), theta)
        # The mean of 1 / y exceeds one over the mean of y.
        return precision, excess, deviance + safe_exp(theta[..., 1]) * (mean_inverse - 1 / mean)


def _score(precision: Array, excess: Array, deviance: Array) -> Array:
    return coordinates(precision * excess, 0.5 - 0.5 * deviance)


def _scaled_exponential_integral(x: Array) -> Array:
    """Return exp(x) E1(x)."""
    small = np.minimum(x, 50)
    inverse = 1 / np.maximum(x, 50)
    series = np.ones_like(inverse)
    for k in range(24, 0, -1):
        series = 1 - k * inverse * series
    scaled: Array = np.where(x < 50, np.exp(small) * special.exp1(small), inverse * series)
    return scaled
