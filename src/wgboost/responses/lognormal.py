"""Log-normal response: a positive y whose logarithm is normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.location_scale import LocationScalePrior
from wgboost.responses.normal import Normal
from wgboost.responses.units import Units, mean_and_deviation
from wgboost.typing import Array

__all__ = ["LogNormal"]

_NORMAL = Normal()


@dataclass(frozen=True, eq=False)
class LogNormal(LocationScalePrior):
    """Model log y as normal, theta = (location, log scale).

    For positive numbers whose ratios vary, such as prices. Mean, variance and quantiles are those
    of y itself, not of log y.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y divided by its geometric mean: a prior scale
        of 10 covers ratios of e^10 either way. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import LogNormal
    >>> response, theta = LogNormal(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.649, 4.671)
    """

    name: ClassVar[str] = "lognormal"
    documentation: ClassVar[tuple[str, str, str]] = (
        "> 0",
        "location, log scale of log y",
        "factors multiply: prices, incomes, concentrations",
    )
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"
    offset_link: ClassVar[Literal["identity", "log"] | None] = "log"

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return 0.0, np.inf

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        return "finite numbers > 0"

    def in_support(self, y: Array) -> Array:
        """Return whether each y can occur."""
        return (y > 0) & (y < np.inf)

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted geometric mean of y > 0 as its unit.

        y = 0 is the value of a censored row of which nothing is known; it is left out.
        """
        y = np.asarray(y, dtype=np.float64)
        positive = y > 0
        if not positive.any():
            return Units()
        share = None if weight is None else np.asarray(weight)[positive]
        return Units(0.0, float(np.exp(mean_and_deviation(np.log(y[positive]), share).shift)))

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return location and scale of log y, y being in the user's units."""
        location, scale = self._location_and_scale(theta)
        return {"location": np.log(units.scale) + location, "scale": scale}

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density, -inf for y <= 0."""
        y = np.asarray(y)
        log = np.log(np.where(y <= 0, 1, y))
        return np.where(y <= 0, -np.inf, _NORMAL.logpdf(log, theta) - log)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        return _NORMAL.likelihood_score(np.log(y), theta)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        return _NORMAL.likelihood_hessian(np.log(y), theta)

    def hessian_diagonal(self, y: Array, theta: Array) -> Array:
        """Return the diagonal of the Hessian of logpdf in theta."""
        return _NORMAL.hessian_diagonal(np.log(y), theta)

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        return _NORMAL.likelihood_fisher(theta)

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        return _NORMAL.cdf(_log(y), theta)

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        positive = np.asarray(y) > 0
        gradient = _NORMAL.cdf_gradient(np.log(np.where(positive, y, 1)), theta)
        return np.where(positive[..., None], gradient, 0)

    def noisy_likelihood(self, y: Array, theta: Array, noise: Array) -> tuple[Array, Array, Array]:
        """Return log density, score and curvature of y measured with an error small against y.

        The error of log y is then noise / y.
        """
        log_y = np.log(y)
        log, score, curvature = _NORMAL.noisy_likelihood(log_y, theta, noise / y)
        return log - log_y, score, curvature

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        return _NORMAL.sf(_log(y), theta)

    def logcdf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value <= y."""
        return _NORMAL.logcdf(_log(y), theta)

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return the log of the probability of a value > y."""
        return _NORMAL.logsf(_log(y), theta)

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        return _exp(_NORMAL.ppf(q, theta))

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        return _exp(_NORMAL.isf(q, theta))

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        location, scale = self._location_and_scale(theta)
        return _exp(location + 0.5 * scale * scale)

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        location, scale = self._location_and_scale(theta)
        square = scale * scale
        with np.errstate(over="ignore"):
            variance: Array = np.expm1(square) * np.exp(2 * location + square)
        return variance

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        entropy: Array = _NORMAL.entropy(theta) + np.asarray(theta)[..., 0]
        return entropy

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        return self.clip_to_support(_exp(_NORMAL.rvs(theta, rng)))


def _log(y: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(y, 0))


def _exp(exponent: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.exp(exponent)
