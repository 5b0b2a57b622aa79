"""Beta response with unknown mean and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy import special

from wgboost.responses.base import Response
from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.gamma_functions import (
    log_gamma_remainder,
    scaled_digamma_remainder,
    scaled_trigamma_remainder,
)
from wgboost.responses.numerics import clip_exponent, coordinates, safe_exp, working_float
from wgboost.responses.positive import at_end
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Beta"]


class _Shares(NamedTuple):
    """Mean and 1 - mean with their logs, the precision, and its products with both."""

    mean: Array
    rest: Array
    log_mean: Array
    log_rest: Array
    precision: Array
    first: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Beta(Response):
    """Model y as beta, theta = (logit mean, log precision).

    For shares strictly between 0 and 1. The two parameters of the beta distribution are mean *
    precision and (1 - mean) * precision, and the variance of y is mean (1 - mean) / (1 +
    precision).

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the logit of the mean. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_precision_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log precision.
    prior_precision_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Beta
    >>> response, theta = Beta(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (0.5, 0.125)
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_precision_mean: Parameter = 0.0
    prior_precision_scale: Parameter = 10.0

    name: ClassVar[str] = "beta"
    documentation: ClassVar[tuple[str, str, str]] = (
        "between 0 and 1",
        "logit mean, log precision",
        "shares that are never 0 or 1",
    )
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_precision_scale")
    sufficient: ClassVar[bool] = True
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "logit_mean", "log_precision"

    @property
    def dispersion(self) -> dict[int, float]:
        """The log precision."""
        return {1: -2.0}

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return 0.0, 1.0

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        return "numbers between 0 and 1, both excluded"

    def in_support(self, y: Array) -> Array:
        """Return whether each y lies strictly between 0 and 1."""
        return (y > 0) & (y < 1)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return mean and precision."""
        return {"mean": self.mean(theta), "precision": safe_exp(theta[..., 1])}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of the logit of the mean and of the log precision."""
        return (
            self._normal_prior(self.prior_mean, self.prior_scale, dtype),
            self._normal_prior(self.prior_precision_mean, self.prior_precision_scale, dtype),
        )

    def _shares(self, theta: Array) -> _Shares:
        logit, precision = clip_exponent(theta[..., 0]), safe_exp(theta[..., 1])
        smaller = -np.log1p(np.exp(-np.abs(logit)))
        log_mean, log_rest = smaller + np.minimum(logit, 0), smaller - np.maximum(logit, 0)
        mean, rest = np.exp(log_mean), np.exp(log_rest)
        return _Shares(
            mean, rest, log_mean, log_rest, precision, precision * mean, precision * rest
        )

    def mirrored(self, theta: Array) -> Array:
        """Return the theta of 1 - y."""
        theta = working_float(theta)
        return coordinates(-theta[..., 0], theta[..., 1])

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        y = np.asarray(y)
        log_y, log_rest = _logs(y)
        s = self._shares(theta)
        density = (
            log_gamma_remainder(s.precision)
            - log_gamma_remainder(s.first)
            - log_gamma_remainder(s.second)
        )
        density = density - _divergence(s, log_y, log_rest) - log_y - log_rest
        outside = (y < 0) | (y > 1)
        if outside.any():
            density = np.where(outside, -np.inf, density)
        # The density at 1 stays finite: y = 1 stands for all values that are rounded to it.
        return at_end(y, 1, at_end(y, 0, density, s.first), np.maximum(s.second, 1))

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        return self._score(*_logs(y), theta)

    def _score(self, log_y: Array, log_rest: Array, theta: Array) -> Array:
        s = self._shares(theta)
        first, second = scaled_digamma_remainder(s.first), scaled_digamma_remainder(s.second)
        pull = s.first * s.rest * (log_y - log_rest - clip_exponent(theta[..., 0]))
        return coordinates(
            pull + s.rest * first - s.mean * second,
            first
            + second
            - scaled_digamma_remainder(s.precision)
            - _divergence(s, log_y, log_rest),
        )

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        return self._hessian(*_logs(y), theta)

    def _hessian(self, log_y: Array, log_rest: Array, theta: Array) -> Array:
        s = self._shares(theta)
        first, second = scaled_digamma_remainder(s.first), scaled_digamma_remainder(s.second)
        whole = scaled_digamma_remainder(s.precision)
        # Derivatives of these in the logarithm of their argument.
        slopes = [
            d - scaled_trigamma_remainder(x) for d, x in ((first, s.first), (second, s.second))
        ]
        spread = s.first * s.rest
        pull = spread * (log_y - log_rest - clip_exponent(theta[..., 0]))
        hessian = np.empty((*pull.shape, 2, 2), pull.dtype)
        hessian[..., 0, 0] = (s.rest - s.mean) * pull - spread - s.mean * s.rest * (first + second)
        hessian[..., 0, 0] += np.square(s.rest) * slopes[0] + np.square(s.mean) * slopes[1]
        cross = pull + s.rest * slopes[0] - s.mean * slopes[1]
        hessian[..., 0, 1] = hessian[..., 1, 0] = cross
        total = slopes[0] + slopes[1] - whole + scaled_trigamma_remainder(s.precision)
        hessian[..., 1, 1] = total - _divergence(s, log_y, log_rest)
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        s = self._shares(theta)
        first, second = scaled_trigamma_remainder(s.first), scaled_trigamma_remainder(s.second)
        return coordinates(
            s.first * s.rest + np.square(s.rest) * first + np.square(s.mean) * second,
            first + second - scaled_trigamma_remainder(s.precision),
        )

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        s = self._shares(theta)
        probability: Array = special.betainc(s.first, s.second, np.clip(y, 0, 1))
        return probability

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        s = self._shares(theta)
        return _upper_share(*np.broadcast_arrays(s.first, s.second, np.clip(y, 0, 1)))

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        s = self._shares(theta)
        value: Array = special.betaincinv(s.first, s.second, q)
        return value

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        s = self._shares(theta)
        value: Array = special.betainccinv(s.first, s.second, q)
        return value

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return self._shares(theta).mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        s = self._shares(theta)
        variance: Array = s.mean * s.rest / (1 + s.precision)
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        s = self._shares(theta)
        total = s.log_mean + s.log_rest
        for x, sign, share in ((s.first, 1, 1), (s.second, 1, 1), (s.precision, -1, -2)):
            rest = scaled_digamma_remainder(x)
            total = total + sign * (log_gamma_remainder(x) + rest) - share * rest / x
        return total

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        s = self._shares(np.asarray(theta))
        return self.clip_to_support(rng.beta(s.first, s.second))

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted means of log y and of log(1 - y), (2,)."""
        logs = _logs(np.asarray(y, dtype=np.float64))
        return np.array([np.average(each, weights=weight) for each in logs])

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        log_y, log_rest = statistics.astype(theta.dtype)
        return self._score(log_y, log_rest, theta)

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        log_y, log_rest = statistics.astype(theta.dtype)
        hessian = self._hessian(log_y, log_rest, theta)
        own = -np.diagonal(hessian, axis1=-2, axis2=-1)
        return np.maximum(self.likelihood_fisher(theta), own / self.damping)


def _logs(y: Array) -> tuple[Array, Array]:
    """Return log y and log(1 - y), finite also for y of 0 or 1."""
    y = working_float(y)
    limits = np.finfo(y.dtype)
    inside = np.minimum(np.maximum(y, limits.tiny), 1 - limits.epsneg)
    return np.log(inside), np.log1p(-inside)


def _upper_share(first: Array, second: Array, x: Array) -> Array:
    """Return the upper tail of a beta distribution; betaincc is slow and used only if needed."""
    share = np.asarray(1 - special.betainc(first, second, x))
    lost = share < 0.1
    right = lost & (x >= 0.5)  # 1 - x is exact
    share[right] = special.betainc(second[right], first[right], 1 - x[right])
    left = lost & ~right
    share[left] = special.betaincc(first[left], second[left], x[left])
    return share


def _divergence(s: _Shares, log_y: Array, log_rest: Array) -> Array:
    """Return precision times the Kullback-Leibler divergence of the mean from y."""
    divergence: Array = s.first * (s.log_mean - log_y) + s.second * (s.log_rest - log_rest)
    return divergence
