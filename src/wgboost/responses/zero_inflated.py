"""Base of zero-inflated counts: a count, or with some probability an extra zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from wgboost.responses.counts import Count
from wgboost.responses.numerics import working_float
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["ZeroInflated"]


@dataclass(frozen=True, eq=False)
class ZeroInflated(Count):
    """y is a count of the family `part`, or an extra zero.

    theta = (theta of the part, logit of the probability of an extra zero). A subclass defines
    `part` and the prior.
    """

    part: ClassVar[Count]
    curvature_kind: ClassVar[Literal["hessian", "fisher"]] = "fisher"

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        return *self.part.param_names, "logit_extra_zero"

    @property
    def dispersion(self) -> dict[int, float]:
        """Dispersion of the count part."""
        return dict(self.part.dispersion)

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return the parameters of the count part and the probability of an extra zero."""
        part = self.part.natural(theta[..., :-1], units)
        return {**part, "extra_zero": special.expit(theta[..., -1])}

    # --- likelihood ---------------------------------------------------------------------------

    def log_mass(self, y: Array, theta: Array) -> Array:
        """Return the log probability of whole y >= 0."""
        part, logit = theta[..., :-1], theta[..., -1]
        logs = np.where(y == 0, np.logaddexp(logit, self.part.log_zero(part)),
                        self.part.log_mass(y, part))  # fmt: skip
        return logs - np.logaddexp(0, logit)

    def log_zero(self, theta: Array) -> Array:
        """Return the log probability of y = 0."""
        return self.log_mass(np.zeros(()), theta)

    def _size_biased(self, theta: Array) -> Array:
        never = np.full_like(theta[..., -1:], -np.inf)
        return np.concatenate([self.part._size_biased(theta[..., :-1]), never], axis=-1)

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats: that of the part, with its zero replaced."""
        theta = np.asarray(theta, dtype=np.float64)
        part, share = theta[..., :-1], self._share(theta)
        log_zero = self.part.log_zero(part)
        counted = self.part.entropy(part) - special.entr(np.exp(log_zero))
        zero = special.entr(np.exp(self.log_zero(theta)))
        total: Array = zero + share * counted - special.entr(share) * np.expm1(log_zero)
        return total

    def _extra(self, y: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Return the probability of an extra zero given y, given a zero, and of any row."""
        logit = theta[..., -1]
        of_zero = special.expit(logit - self.part.log_zero(theta[..., :-1]))
        of_zero = of_zero.astype(logit.dtype, copy=False)
        return np.where(y == 0, of_zero, logit.dtype.type(0)), of_zero, special.expit(logit)

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        theta = working_float(theta)
        extra, _, prior = self._extra(y, theta)
        part = self.part.likelihood_score(y, theta[..., :-1])
        return np.concatenate([(1 - extra)[..., None] * part, (extra - prior)[..., None]], axis=-1)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        theta = working_float(theta)
        extra, _, prior = self._extra(y, theta)
        score = self.part.likelihood_score(y, theta[..., :-1])
        # variance: of the indicator of an extra zero, given y
        variance = (extra * (1 - extra))[..., None]
        hessian = np.empty((*score.shape[:-1], self.n_params, self.n_params), theta.dtype)
        hessian[..., :-1, :-1] = (1 - extra)[..., None, None] * self.part.likelihood_hessian(
            y, theta[..., :-1]
        ) + variance[..., None] * score[..., :, None] * score[..., None, :]
        hessian[..., :-1, -1] = hessian[..., -1, :-1] = -variance * score
        hessian[..., -1, -1] = variance[..., 0] - prior * (1 - prior)
        return hessian

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        theta = working_float(theta)
        part, none = theta[..., :-1], np.zeros((), theta.dtype)
        _, extra, prior = self._extra(none, theta)
        log_zero = self.part.log_zero(part).astype(theta.dtype, copy=False)
        score = self.part.likelihood_score(none, part)
        lost = (np.exp(log_zero) * extra)[..., None] * score * score
        known = special.expit(-theta[..., -1:]) * np.maximum(
            self.part.likelihood_fisher(part) - lost, 0
        )
        zero = prior * special.expit(-theta[..., -1]) * extra * -np.expm1(log_zero)
        return np.concatenate([known, zero[..., None]], axis=-1)

    def _count_cdf(self, y: Array, theta: Array) -> Array:
        part = self.part._count_cdf(y, theta[..., :-1])
        probability: Array = special.expit(theta[..., -1]) + self._share(theta) * part
        return np.minimum(probability, 1)

    def _count_sf(self, y: Array, theta: Array) -> Array:
        return self._share(theta) * self.part._count_sf(y, theta[..., :-1])

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of cdf in theta."""
        part, share = theta[..., :-1], self._share(theta)
        counted = share[..., None] * self.part.cdf_gradient(y, part)
        extra = special.expit(theta[..., -1]) * share * self.part.sf(y, part) * (np.asarray(y) >= 0)
        return np.concatenate([counted, extra[..., None]], axis=-1)

    def mean(self, theta: Array) -> Array:
        """Return the mean of y."""
        return self._share(theta) * self.part.mean(theta[..., :-1])

    def var(self, theta: Array) -> Array:
        """Return the variance of y."""
        mean, extra = self.part.mean(theta[..., :-1]), special.expit(theta[..., -1])
        variance: Array = self._share(theta) * (
            self.part.var(theta[..., :-1]) + extra * mean * mean
        )
        return variance

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw of y for each theta."""
        counted = rng.random(theta.shape[:-1]) < self._share(theta)
        return np.where(counted, self.part.rvs(theta[..., :-1], rng), 0.0)

    def _share(self, theta: Array) -> Array:
        """Return the probability that y is a count of the part."""
        share: Array = special.expit(-theta[..., -1])
        return share
