"""Negative binomial response: counts that vary more than those of a Poisson response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.counts import LARGEST_LOG, LARGEST_MEAN, Count
from wgboost.responses.deviance import count_deviance, log_excess, log_factorial_correction
from wgboost.responses.dispersion import dispersion_information
from wgboost.responses.gamma_functions import (
    digamma_correction,
    log_gamma_correction,
    trigamma_correction,
)
from wgboost.responses.intervals import cdf_slope
from wgboost.responses.negative_binomial_tails import lower_tail, tail_and_slope, upper_tail
from wgboost.responses.numerics import clip_exponent, coordinates, working_float
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["NegativeBinomial"]


@dataclass(frozen=True, eq=False)
class NegativeBinomial(Count):
    """Model y as negative binomial, theta = (log mean, log dispersion).

    For counts that vary more than Poisson counts: the variance is mean + dispersion * mean^2. y is
    Poisson with a gamma distributed mean, whose squared coefficient of variation is the dispersion.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log mean. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default covers counts of any practical size.
    prior_dispersion_mean : float or array of shape (n,), default=-1.0
        Mean of the normal prior of the log dispersion, which has no unit.
    prior_dispersion_scale : float or array of shape (n,), default=2.0
        Standard deviation of that prior.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import NegativeBinomial
    >>> response, theta = NegativeBinomial(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 2.0)
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_dispersion_mean: Parameter = -1.0
    prior_dispersion_scale: Parameter = 2.0

    name: ClassVar[str] = "negative_binomial"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0, 1, 2, ...",
        "log mean, log dispersion",
        "counts that vary more: variance = mean + dispersion mean^2",
    )
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_dispersion_scale")
    curvature_kind: ClassVar[Literal["hessian", "fisher"]] = "fisher"
    recursive: ClassVar[bool] = True

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return "log_mean", "log_dispersion"

    @property
    def dispersion(self) -> dict[int, float]:
        """The log dispersion, twice the log of the deviation of the Poisson mean."""
        return {1: 2.0}

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:  # noqa: ARG002
        """Return the mean and the dispersion."""
        mean, dispersion = _mean_and_dispersion(theta)
        return {"mean": mean, "dispersion": dispersion}

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of the log mean and the log dispersion."""
        return (
            self._normal_prior(self.prior_mean, self.prior_scale, dtype),
            self._normal_prior(self.prior_dispersion_mean, self.prior_dispersion_scale, dtype),
        )

    # --- likelihood: in terms of a = dispersion, r = 1 / a and t = a (y - mean) / (1 + a mean) ---

    def log_mass(self, y: Array, theta: Array) -> Array:
        """Return the log probability of whole y >= 0."""
        mean, a = _mean_and_dispersion(theta)
        r, some = 1 / a, np.where(y > 0, y, 1.0)
        logs: Array = (
            log_gamma_correction(r + some) - log_gamma_correction(r) - 0.5 * np.log1p(a * some)
            - count_deviance(some, mean, a) - log_factorial_correction(some)
        )  # fmt: skip
        return np.where(y > 0, logs, self.log_zero(theta))

    def log_zero(self, theta: Array) -> Array:
        """Return the log probability of y = 0."""
        mean, a = _mean_and_dispersion(theta)
        log: Array = -np.log1p(a * mean) / a
        return log

    def _size_biased(self, theta: Array) -> Array:
        mean, a = _mean_and_dispersion(theta)
        return coordinates(np.log(mean) + np.log1p(a), np.log(a) - np.log1p(a))

    def panjer(self, theta: Array) -> tuple[Array, Array]:
        """Return c and s of mass(y + 1) = mass(y) (c + s y) / (y + 1)."""
        mean, a = _mean_and_dispersion(theta)
        constant = mean / (1 + a * mean)
        return constant, a * constant

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        mean, a = _mean_and_dispersion(theta)
        y = np.asarray(y, dtype=np.float64)
        score = coordinates((y - mean) / (1 + a * mean), self._dispersion_score(y, mean, a))
        return score.astype(working_float(theta).dtype, copy=False)

    def _dispersion_score(self, y: Array, mean: Array, a: Array) -> Array:
        r, one = 1 / a, 1 + a * mean
        excess = log_excess(a * (y - mean) / one, (1 + a * y) / one)
        score: Array = r * (excess - (digamma_correction(r + y) - digamma_correction(r)))
        return score

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        mean, a = _mean_and_dispersion(theta)
        y, r, one = np.asarray(y, dtype=np.float64), 1 / a, 1 + a * mean
        t = a * (y - mean) / one
        hessian = np.empty((*t.shape, 2, 2), working_float(theta).dtype)
        hessian[..., 0, 0] = -mean * (1 + a * y) / one / one
        hessian[..., 0, 1] = hessian[..., 1, 0] = -t * (mean / one)
        hessian[..., 1, 1] = (
            r * t * t / (1 + a * y) - self._dispersion_score(y, mean, a)
            + r * (r * (trigamma_correction(r + y) - trigamma_correction(r)))
        )  # fmt: skip
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        mean, a = _mean_and_dispersion(theta)
        fisher = coordinates(mean / (1 + a * mean), dispersion_information(mean, a))
        return fisher.astype(working_float(theta).dtype, copy=False)

    def _count_cdf(self, y: Array, theta: Array) -> Array:
        return lower_tail(y, *_mean_and_dispersion(theta))

    def _count_sf(self, y: Array, theta: Array) -> Array:
        return upper_tail(y, *_mean_and_dispersion(theta))

    def tail_and_slope(self, y: Array, theta: Array, *, upper: bool) -> tuple[Array, Array]:
        """Return cdf or sf, continued to numbers between the counts, and about its derivative."""
        mean, a = _mean_and_dispersion(theta)
        tail, slope = tail_and_slope(y, mean, a, upper=upper)
        lost = np.isnan(slope)
        if lost.any():
            y, mean, a = (part[lost] for part in np.broadcast_arrays(y, mean, a))
            slope[lost] = np.exp(self.log_mass(y + 0.5, np.log(np.stack([mean, a], axis=-1))))
        return tail, slope

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        mean, a = _mean_and_dispersion(theta)
        whole = np.clip(np.floor(y), 0, np.finfo(np.float64).max)
        location = -mean * ((1 + a * whole) / (1 + a * mean)) * self._mass_at(y, theta)
        return coordinates(location, cdf_slope(self, y, theta, 1))

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return _mean_and_dispersion(theta)[0]

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        mean, a = _mean_and_dispersion(theta)
        variance: Array = mean + a * mean * mean
        return variance

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        mean, a = _mean_and_dispersion(theta)
        rate = mean * a * rng.standard_gamma(1 / a)
        return np.asarray(rng.poisson(np.minimum(rate, LARGEST_MEAN)), dtype=np.float64)


def _mean_and_dispersion(theta: Array) -> tuple[Array, Array]:
    """Return both in float64, for the differences of large terms that follow."""
    logs = clip_exponent(theta, LARGEST_LOG).astype(np.float64, copy=False)
    return np.exp(logs[..., 0]), np.exp(logs[..., 1])
