"""Zero-inflated negative binomial response: overdispersed counts and extra zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.counts import Count
from wgboost.responses.negative_binomial import NegativeBinomial
from wgboost.responses.zero_inflated import ZeroInflated

__all__ = ["ZeroInflatedNegativeBinomial"]


@dataclass(frozen=True, eq=False)
class ZeroInflatedNegativeBinomial(ZeroInflated):
    """Model y as a negative binomial count or an extra zero.

    theta = (log mean, log dispersion, logit of an extra zero). Mean and dispersion in theta are
    those of the negative binomial counts, without extra zeros.

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
    prior_zero_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the logit of the probability of an extra zero.
    prior_zero_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. It counts at every row: a scale of 2 pulls the share of
        zeros up by 0.02.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import ZeroInflatedNegativeBinomial
    >>> response, theta = ZeroInflatedNegativeBinomial(), np.array([0.0, 0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (0.5, 1.25)
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_dispersion_mean: Parameter = -1.0
    prior_dispersion_scale: Parameter = 2.0
    prior_zero_mean: Parameter = 0.0
    prior_zero_scale: Parameter = 10.0

    name: ClassVar[str] = "zero_inflated_negative_binomial"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0, 1, 2, ...",
        "log mean, log dispersion, logit of an extra zero",
        "both",
    )
    positive: ClassVar[tuple[str, ...]] = (
        "prior_scale",
        "prior_dispersion_scale",
        "prior_zero_scale",
    )
    part: ClassVar[Count] = NegativeBinomial()

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of all coordinates."""
        return (
            self._normal_prior(self.prior_mean, self.prior_scale, dtype),
            self._normal_prior(self.prior_dispersion_mean, self.prior_dispersion_scale, dtype),
            self._normal_prior(self.prior_zero_mean, self.prior_zero_scale, dtype),
        )
