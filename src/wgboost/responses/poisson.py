"""Poisson response: counts of unknown mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.counts import LARGEST_LOG, LARGEST_MEAN, Count
from wgboost.responses.deviance import count_deviance, log_factorial_correction
from wgboost.responses.incomplete_gamma import lower_gamma, upper_gamma
from wgboost.responses.numerics import clip_exponent
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["Poisson"]


@dataclass(frozen=True, eq=False)
class Poisson(Count):
    """Model y as Poisson, theta = (log mean,).

    For counts whose variance equals their mean. Choose "negative_binomial" for counts that vary
    more.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log mean. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default covers counts of any practical size.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Poisson
    >>> response, theta = Poisson(), np.array([0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0

    name: ClassVar[str] = "poisson"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0, 1, 2, ...",
        "log mean",
        "counts whose variance is their mean",
    )
    positive: ClassVar[tuple[str, ...]] = ("prior_scale",)
    recursive: ClassVar[bool] = True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return ("log_mean",)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the mean."""
        return {"mean": self.mean(theta)}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal prior of the log mean."""
        return (self._normal_prior(self.prior_mean, self.prior_scale, dtype),)

    def log_mass(self, y: Array, theta: Array) -> Array:
        """Return the log probability of whole y >= 0."""
        mean, some = self.mean(theta), np.where(y > 0, y, 1.0)
        logs = -count_deviance(some, mean) - log_factorial_correction(some)
        return np.where(y > 0, logs, -mean)

    def log_zero(self, theta: Array) -> Array:
        """Return the log probability of y = 0."""
        return -self.mean(theta)

    def _size_biased(self, theta: Array) -> Array:
        return theta

    def panjer(self, theta: Array) -> tuple[Array, Array]:
        """Return c and s of mass(y + 1) = mass(y) (c + s y) / (y + 1)."""
        mean = self.mean(theta)
        return mean, np.zeros_like(mean)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        score: Array = y - self.mean(theta)
        return score[..., None]

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta; it does not depend on y."""
        return -self.likelihood_curvature(y, theta)[..., None]

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return minus the diagonal of the Hessian of logpdf."""
        return self._fisher_of_rows(y, theta)

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the Fisher information of one observation."""
        return self.mean(theta)[..., None]

    def _count_cdf(self, y: Array, theta: Array) -> Array:
        return upper_gamma(y + 1, self.mean(theta))

    def _count_sf(self, y: Array, theta: Array) -> Array:
        return lower_gamma(y + 1, self.mean(theta))

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        return (-self.mean(theta) * self._mass_at(y, theta))[..., None]

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        mean: Array = np.exp(clip_exponent(theta[..., 0], LARGEST_LOG))
        return mean

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        return self.mean(theta)

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        return np.asarray(rng.poisson(np.minimum(self.mean(theta), LARGEST_MEAN)), dtype=np.float64)
