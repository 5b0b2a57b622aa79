"""Gamma response with unknown mean and shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wgboost.responses.gamma_functions import (
    log_gamma_remainder,
    scaled_digamma_remainder,
    scaled_trigamma_remainder,
)
from wgboost.responses.incomplete_gamma import (
    inverse_lower_gamma,
    inverse_upper_gamma,
    lower_gamma,
    upper_gamma,
)
from wgboost.responses.intervals import cdf_slope
from wgboost.responses.numerics import clip_exponent, coordinates, log_positive, safe_exp
from wgboost.responses.positive import LocationShape
from wgboost.typing import Array

__all__ = ["Gamma"]


@dataclass(frozen=True, eq=False)
class Gamma(LocationShape):
    """Model y as gamma, theta = (log mean, log shape).

    For positive numbers with a roughly constant relative standard deviation, 1 / sqrt(shape), such
    as amounts of claims or rain.

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

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Gamma
    >>> response, theta = Gamma(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    name: ClassVar[str] = "gamma"
    documentation: ClassVar[tuple[str, str, str]] = (
        "> 0",
        "log mean, log shape",
        "amounts: rain, costs, durations",
    )
    sufficient: ClassVar[bool] = True

    def _parts(self, y: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Return the shape, y / mean - 1 and log(y / mean) - y / mean + 1, which is never > 0."""
        log_ratio = self._open_log_ratio(y, theta)
        # The exponential times any shape stays finite.
        largest = clip_exponent(np.full((), np.inf, log_ratio.dtype))
        excess = np.expm1(np.minimum(log_ratio, largest))
        return safe_exp(theta[..., 1]), excess, log_ratio - excess

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        shape, _, deviance = self._parts(y, theta)
        log_density = shape * deviance - log_gamma_remainder(shape) - log_positive(y)
        return self._inside(y, log_density, shape)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        return _score(*self._parts(y, theta))

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        shape, excess, deviance = self._parts(y, theta)
        hessian = np.empty((*excess.shape, 2, 2), excess.dtype)
        hessian[..., 0, 0] = -shape * (excess + 1)
        hessian[..., 0, 1] = hessian[..., 1, 0] = shape * excess
        hessian[..., 1, 1] = (
            shape * deviance + scaled_digamma_remainder(shape) - scaled_trigamma_remainder(shape)
        )
        return hessian

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return the Fisher information, or a share of the row's own curvature if larger."""
        return self._bounded(*self._parts(y, theta))

    def _bounded(self, shape: Array, excess: Array, deviance: Array) -> Array:
        fisher = scaled_trigamma_remainder(shape)
        own = fisher - scaled_digamma_remainder(shape) - shape * deviance
        location = shape * np.maximum(1, (excess + 1) / self.damping)
        return coordinates(location, np.maximum(fisher, own / self.damping))

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        shape = safe_exp(theta[..., 1])
        return coordinates(shape, scaled_trigamma_remainder(shape))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        shape = safe_exp(theta[..., 1])
        return lower_gamma(shape, shape * self._ratio(y, theta))

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        return coordinates(self._mean_slope(y, theta), cdf_slope(self, y, theta, 1))

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        shape = safe_exp(theta[..., 1])
        return upper_gamma(shape, shape * self._ratio(y, theta))

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        shape = safe_exp(theta[..., 1])
        value: Array = inverse_lower_gamma(shape, q) / shape * self.mean(theta)
        return value

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        shape = safe_exp(theta[..., 1])
        value: Array = inverse_upper_gamma(shape, q) / shape * self.mean(theta)
        return value

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return safe_exp(theta[..., 0])

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        return np.square(self.mean(theta)) * safe_exp(-theta[..., 1])

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        shape = safe_exp(theta[..., 1])
        rest = scaled_digamma_remainder(shape)
        return clip_exponent(theta[..., 0]) + log_gamma_remainder(shape) + rest - rest / shape

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        theta = np.asarray(theta)
        shape = safe_exp(theta[..., 1])
        return self.clip_to_support(rng.standard_gamma(shape) / shape * self.mean(theta))

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted means of y and of log y, (2,)."""
        y = np.asarray(y, dtype=np.float64)
        return np.array([np.average(each, weights=weight) for each in (y, log_positive(y))])

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        return _score(*self._average_parts(theta, statistics))

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        return self._bounded(*self._average_parts(theta, statistics))

    def _average_parts(self, theta: Array, statistics: Array) -> tuple[Array, Array, Array]:
        mean, mean_log = statistics.astype(theta.dtype)
        shape, excess, deviance = self._parts(mean, theta)
        # The mean of log y is less than the log of the mean.
        return shape, excess, deviance + (mean_log - np.log(mean))


def _score(shape: Array, excess: Array, deviance: Array) -> Array:
    return coordinates(shape * excess, shape * deviance + scaled_digamma_remainder(shape))
