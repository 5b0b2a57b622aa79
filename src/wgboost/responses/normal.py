"""Normal response with unknown mean and scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from wgboost import _core
from wgboost.responses.base import Response
from wgboost.responses.coordinate_priors import (
    CoordinatePrior,
    InverseGammaPrior,
    NormalPrior,
    Parameter,
)
from wgboost.responses.native import CompiledPosterior, as_numbers
from wgboost.responses.numerics import coordinates, held, safe_exp
from wgboost.responses.units import Units, mean_and_deviation
from wgboost.typing import Array

__all__ = ["Normal"]


@dataclass(frozen=True, eq=False)
class Normal(Response):
    """y ~ N(mean, scale), theta = (mean, log scale).

    Parameters
    ----------
    prior_mean, prior_scale
        The mean has a normal prior.
    prior_shape, prior_rate
        The scale has an inverse-gamma prior.

    Every one is a number or holds one value per row, and refers to y standardised to mean 0 and
    standard deviation 1; the defaults, those of the paper, are vague on that scale.
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_shape: Parameter = 0.01
    prior_rate: Parameter = 0.01

    name: ClassVar[str] = "normal"
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_shape", "prior_rate")
    sufficient: ClassVar[bool] = True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "mean", "log_scale"

    def units(self, y: Array, weight: Array | None = None) -> Units:
        """Return the weighted mean and standard deviation of y."""
        return mean_and_deviation(y, weight)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return the mean and the scale in the user's units."""
        mean, scale = self._mean_and_scale(theta)
        return {"mean": units.restore(mean), "scale": units.scale * scale}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal prior of the mean and the inverse-gamma prior of the scale."""
        names = ("prior_mean", "prior_scale", "prior_shape", "prior_rate")
        mean, scale, shape, rate = (self.column(getattr(self, name), dtype) for name in names)
        return NormalPrior(mean, scale), InverseGammaPrior(shape, rate)

    # --- likelihood ---------------------------------------------------------------------------

    def _mean_and_scale(self, theta: Array) -> tuple[Array, Array]:
        theta = np.asarray(theta)
        return theta[..., 0], safe_exp(theta[..., 1])

    def _residual(self, y: Array, theta: Array) -> tuple[Array, Array]:
        """Return (y - mean) / scale and 1 / scale."""
        inverse = safe_exp(-theta[..., 1])
        return (y - theta[..., 0]) * inverse, inverse

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density."""
        residual, _ = self._residual(y, theta)
        return -0.5 * residual * residual - held(theta[..., 1]) - 0.5 * math.log(2 * math.pi)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        residual, inverse = self._residual(y, theta)
        return coordinates(residual * inverse, residual * residual - 1)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        residual, inverse = self._residual(y, theta)
        hessian = np.empty((*residual.shape, 2, 2), residual.dtype)
        hessian[..., 0, 0] = -inverse * inverse
        hessian[..., 0, 1] = hessian[..., 1, 0] = -2 * residual * inverse
        hessian[..., 1, 1] = -2 * residual * residual
        return hessian

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return minus the diagonal of the Hessian of logpdf."""
        residual, inverse = self._residual(y, theta)
        precision = np.broadcast_to(inverse * inverse, residual.shape)
        return coordinates(precision, 2 * residual * residual)

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        inverse = safe_exp(-theta[..., 1])
        return coordinates(inverse * inverse, np.full_like(inverse, 2))

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y."""
        below: Array = special.ndtr(self._residual(y, theta)[0])
        return below

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y."""
        above: Array = special.ndtr(-self._residual(y, theta)[0])
        return above

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the quantile at q."""
        mean, scale = self._mean_and_scale(theta)
        return mean + scale * special.ndtri(q)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the value that is exceeded with probability q."""
        mean, scale = self._mean_and_scale(theta)
        return mean - scale * special.ndtri(q)

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return np.array(theta[..., 0])

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        scale = safe_exp(theta[..., 1])
        return scale * scale

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        return held(theta[..., 1]) + 0.5 * math.log(2 * math.pi * math.e)

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        mean, scale = self._mean_and_scale(theta)
        return mean + scale * rng.standard_normal(mean.shape)

    # --- posterior in the compiled core -------------------------------------------------------

    def compiled(self, y: Array, evidence: Parameter = 1.0) -> CompiledPosterior:
        """Return the posteriors of these rows in the compiled core."""
        return _core.NormalPosterior(
            *as_numbers(
                y, self.prior_mean, self.prior_scale, self.prior_shape, self.prior_rate, evidence
            )
        )

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
