"""Zero-inflated Poisson response: Poisson counts and extra zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from wgboost.responses.coordinate_priors import CoordinatePrior, Parameter
from wgboost.responses.counts import Count
from wgboost.responses.poisson import Poisson
from wgboost.responses.zero_inflated import ZeroInflated

__all__ = ["ZeroInflatedPoisson"]


@dataclass(frozen=True, eq=False)
class ZeroInflatedPoisson(ZeroInflated):
    """Model y as a Poisson count or an extra zero, theta = (log mean, logit of an extra zero).

    For counts with more zeros than Poisson counts have. The mean in theta is that of the Poisson
    counts, without extra zeros.

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the log mean. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default covers counts of any practical size.
    prior_zero_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the logit of the probability of an extra zero.
    prior_zero_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. It counts at every row: a scale of 2 pulls the share of
        zeros up by 0.02.

    Notes
    -----
    A zero carries no information on large means. Where means are in the thousands and known to a
    few per cent, leaves with few counts other than zeros have an unreliable log mean. Use a
    `min_samples_leaf` of 20 and shallow trees, or "zero_inflated_negative_binomial".

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import ZeroInflatedPoisson
    >>> response, theta = ZeroInflatedPoisson(), np.array([0.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (0.5, 0.75)
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_zero_mean: Parameter = 0.0
    prior_zero_scale: Parameter = 10.0

    name: ClassVar[str] = "zero_inflated_poisson"
    documentation: ClassVar[tuple[str, str, str]] = (
        "0, 1, 2, ...",
        "log mean, logit of an extra zero",
        "many rows where nothing could happen",
    )
    positive: ClassVar[tuple[str, ...]] = ("prior_scale", "prior_zero_scale")
    part: ClassVar[Count] = Poisson()

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the normal priors of all coordinates."""
        return (
            self._normal_prior(self.prior_mean, self.prior_scale, dtype),
            self._normal_prior(self.prior_zero_mean, self.prior_zero_scale, dtype),
        )
