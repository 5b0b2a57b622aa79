"""Zero-inflated negative binomial response: overdispersed counts and extra zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.responses.coordinate_priors import Parameter
from wgboost.responses.counts import Count
from wgboost.responses.negative_binomial import NegativeBinomial
from wgboost.responses.zero_inflated import ZeroInflated

__all__ = ["ZeroInflatedNegativeBinomial"]


@dataclass(frozen=True, eq=False)
class ZeroInflatedNegativeBinomial(ZeroInflated):
    """A negative binomial count or an extra zero.

    theta = (log mean, log dispersion, logit of an extra zero); mean and dispersion are those of
    the negative binomial counts, extra zeros left out.

    Parameters
    ----------
    prior_mean, prior_scale
        The log mean has a normal prior. The default covers counts of any practical size.
    prior_dispersion_mean, prior_dispersion_scale
        The log dispersion, which has no unit, has a normal prior.
    prior_zero_mean, prior_zero_scale
        The logit of the probability of an extra zero has a normal prior. It counts at every row: a
        scale of 2 pulls the share of zeros up by 0.02.

    Every one is a number or holds one value per row.
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_dispersion_mean: Parameter = -1.0
    prior_dispersion_scale: Parameter = 2.0
    prior_zero_mean: Parameter = 0.0
    prior_zero_scale: Parameter = 10.0

    name: ClassVar[str] = "zero_inflated_negative_binomial"
    positive: ClassVar[tuple[str, ...]] = (
        "prior_scale",
        "prior_dispersion_scale",
        "prior_zero_scale",
    )
    part: ClassVar[Count] = NegativeBinomial()

    def normal_priors(self) -> tuple[tuple[Any, Any], ...]:
        """Return mean and scale of the normal prior of each coordinate."""
        return (
            (self.prior_mean, self.prior_scale),
            (self.prior_dispersion_mean, self.prior_dispersion_scale),
            (self.prior_zero_mean, self.prior_zero_scale),
        )
