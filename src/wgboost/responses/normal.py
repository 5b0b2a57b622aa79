"""Normal response with unknown mean and scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from wgboost import _core
from wgboost.responses.coordinate_priors import Parameter
from wgboost.responses.location_scale import LocationScale
from wgboost.responses.native import CompiledAverage, CompiledPosterior, as_numbers
from wgboost.responses.numerics import coordinates
from wgboost.typing import Array

__all__ = ["Normal"]


@dataclass(frozen=True, eq=False)
class Normal(LocationScale):
    """Model y as normal with unknown mean and scale, theta = (mean, log scale).

    The default response for real numbers. Choose "student_t" or "laplace" for outliers.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y standardised to mean 0 and standard
        deviation 1; the defaults are those of the paper. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Normal
    >>> response, theta = Normal(), np.array([1.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 1.0)
    """

    name: ClassVar[str] = "normal"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "mean, log scale",
        "the default: noise adds up from many sources",
    )
    sufficient: ClassVar[bool] = True
    information: ClassVar[tuple[float, float]] = (1.0, 2.0)
    standard_var: ClassVar[float] = 1.0
    standard_entropy: ClassVar[float] = 0.5 * math.log(2 * math.pi * math.e)

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "mean", "log_scale"

    def _standard_logpdf(self, z: Array) -> Array:
        return -0.5 * z * z - 0.5 * math.log(2 * math.pi)

    def _standard_score(self, z: Array) -> Array:
        return -z

    def _standard_hessian(self, z: Array) -> Array:
        return np.full_like(z, -1)

    def _standard_cdf(self, z: Array) -> Array:
        probability: Array = special.ndtr(z)
        return probability

    def _standard_sf(self, z: Array) -> Array:
        probability: Array = special.ndtr(-z)
        return probability

    def _standard_logcdf(self, z: Array) -> Array:
        log: Array = special.log_ndtr(z)
        return log

    def _standard_logsf(self, z: Array) -> Array:
        log: Array = special.log_ndtr(-z)
        return log

    def _standard_ppf(self, q: Array) -> Array:
        z: Array = special.ndtri(q)
        return z

    def _standard_isf(self, q: Array) -> Array:
        z: Array = -special.ndtri(q)
        return z

    def noisy_likelihood(self, y: Array, theta: Array, noise: Array) -> tuple[Array, Array, Array]:
        """Return log density, score and curvature of y measured with error: variances add."""
        mean, scale = self._location_and_scale(theta)
        variance = scale * scale + np.square(noise, dtype=scale.dtype)
        share = scale * scale / variance  # of the variance that is not noise
        residual = (y - mean).astype(scale.dtype)
        square = residual * residual / variance
        log = -0.5 * (square + np.log(2 * math.pi * variance))
        score = coordinates(residual / variance, share * (square - 1))
        return log, score, coordinates(1 / variance, 2 * share * share)

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        mean, scale = self._location_and_scale(theta)
        return mean + scale * rng.standard_normal(mean.shape)

    # --- posterior in the compiled core -------------------------------------------------------

    def compiled(self, y: Array, evidence: Parameter = 1.0) -> CompiledPosterior:
        """Return the posteriors of these rows in the compiled core."""
        return _core.NormalPosterior(
            **as_numbers(
                y=y, prior_mean=self.prior_mean, prior_scale=self.prior_scale,
                shape=self.prior_shape, rate=self.prior_rate, evidence=evidence,
            )
        )  # fmt: skip

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted mean and variance of y, (2,)."""
        y = np.asarray(y, dtype=np.float64)
        mean = np.average(y, weights=weight)
        return np.array([mean, np.average((y - mean) ** 2, weights=weight)])

    def _average_residual(self, theta: Array, statistics: Array) -> tuple[Array, Array, Array]:
        """Return the means of the residual and of its square, and 1 / scale."""
        mean, variance = (float(value) for value in statistics)
        residual, inverse = self._residual(np.asarray(mean, theta.dtype), theta)
        return residual, residual * residual + variance * (inverse * inverse), inverse

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        residual, square, inverse = self._average_residual(theta, statistics)
        return coordinates(residual * inverse, square - 1)

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_curvature at common particles (m, d)."""
        _, square, inverse = self._average_residual(theta, statistics)
        return coordinates(inverse * inverse, 2 * square)

    def compiled_average(self, statistics: Array, evidence: float = 1.0) -> CompiledAverage:
        """Return the average over rows of the posteriors in the compiled core."""
        mean, variance = statistics
        return _core.AveragedNormal(
            mean=float(mean), variance=float(variance), prior_mean=float(self.prior_mean),
            prior_scale=float(self.prior_scale), shape=float(self.prior_shape),
            rate=float(self.prior_rate), evidence=float(evidence),
        )  # fmt: skip
