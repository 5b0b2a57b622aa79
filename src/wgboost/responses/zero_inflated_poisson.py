"""Zero-inflated Poisson response: Poisson counts and extra zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.responses.coordinate_priors import Parameter
from wgboost.responses.counts import Count
from wgboost.responses.poisson import Poisson
from wgboost.responses.zero_inflated import ZeroInflated

__all__ = ["ZeroInflatedPoisson"]


@dataclass(frozen=True, eq=False)
class ZeroInflatedPoisson(ZeroInflated):
    """A Poisson count or an extra zero, theta = (log mean, logit of an extra zero).

    The mean is that of the Poisson counts, extra zeros left out.

    Parameters
    ----------
    prior_mean, prior_scale
        The log mean has a normal prior. The default covers counts of any practical size.
    prior_zero_mean, prior_zero_scale
        The logit of the probability of an extra zero has a normal prior. It counts at every row: a
        scale of 2 pulls the share of zeros up by 0.02.

    Every one is a number or holds one value per row.

    A zero says nothing about large means: where they are in the thousands, and known to a few per
    cent each, leaves that hold little but zeros leave holes in the log mean. Give leaves counts to
    go by, ``leaf="newton"`` with a `min_samples_leaf` of 20 and shallow trees; or, as counts of
    that size mostly vary more than Poisson ones, take "zero_inflated_negative_binomial".
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_zero_mean: Parameter = 0.0
    prior_zero_scale: Parameter = 10.0

    name: ClassVar[str] = "zero_inflated_poisson"
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_zero_scale")
    part: ClassVar[Count] = Poisson()

    def normal_priors(self) -> tuple[tuple[Any, Any], ...]:
        """Return mean and scale of the normal prior of each coordinate."""
        return (
            (self.prior_mean, self.prior_scale),
            (self.prior_zero_mean, self.prior_zero_scale),
        )
