"""Exponential response: a waiting time without memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wgboost.responses.numerics import clip_exponent, log_positive, safe_exp, working_float
from wgboost.responses.positive import Positive
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Exponential"]


@dataclass(frozen=True, eq=False)
class Exponential(Positive):
    """Model y as exponential, theta = (log mean,).

    For waiting times of events at a constant rate.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log mean, for y divided by its mean. An array gives each row
        its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Exponential
    >>> response, theta = Exponential(), np.array([0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    name: ClassVar[str] = "exponential"
    documentation: ClassVar[tuple[str, str, str]] = (
        ">= 0",
        "log mean",
        "waiting times without memory",
    )
    sufficient: ClassVar[bool] = True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return ("log_mean",)

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        return "numbers >= 0"

    def in_support(self, y: Array) -> Array:
        """Return whether each y is zero or positive."""
        return (y >= 0) & (y < np.inf)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return the mean in the user's units."""
        return {"mean": units.scale * self.mean(theta)}

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        return self._inside(y, -clip_exponent(theta[..., 0]) - np.exp(self._log_ratio(y, theta)))

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        return np.expm1(self._log_ratio(y, theta))[..., None]

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        return -np.exp(self._log_ratio(y, theta))[..., None, None]

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the Fisher information of one observation, which is 1."""
        return np.ones_like(working_float(theta))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return -np.expm1(-self._ratio(y, theta))

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        ratio = self._ratio(y, theta)
        slope: Array = -np.exp(log_positive(ratio) - ratio)
        return slope[..., None]

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return np.exp(-self._ratio(y, theta))

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value > y."""
        return -self._ratio(y, theta)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._known(-np.log1p(-np.asarray(q)), theta)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._known(-np.log(np.asarray(q)), theta)

    def _known(self, standard: Array, theta: Array) -> Array:
        """Return a quantile of the unit exponential times the mean; NaN below 0."""
        return np.where(standard >= 0, standard, np.nan) * self.mean(theta)

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return safe_exp(theta[..., 0])

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        return np.square(self.mean(theta))

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        return 1 + clip_exponent(theta[..., 0])

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        mean = self.mean(np.asarray(theta))
        return mean * rng.standard_exponential(mean.shape)

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted mean of y, (1,)."""
        return np.array([np.average(np.asarray(y, dtype=np.float64), weights=weight)])

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        return self.likelihood_score(statistics[0].astype(theta.dtype), theta)

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        return self.likelihood_curvature(statistics[0].astype(theta.dtype), theta)
