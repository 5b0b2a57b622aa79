"""Logistic response: tails a little heavier than those of the normal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from wgboost.responses.location_scale import LocationScale
from wgboost.typing import Array

__all__ = ["Logistic"]


@dataclass(frozen=True, eq=False)
class Logistic(LocationScale):
    """Model y as logistic, theta = (location, log scale).

    The location is the mean of y; the standard deviation is pi / sqrt(3) times the scale. The tails
    are a little heavier than those of "normal".

    Parameters
    ----------
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of the location, for y standardised to mean 0 and standard
        deviation 1. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior. The default is vague.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of the scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import Logistic
    >>> response, theta = Logistic(), np.array([1.0, 0.0])
    >>> float(response.mean(theta).round(3)), float(response.var(theta).round(3))
    (1.0, 3.29)
    """

    name: ClassVar[str] = "logistic"
    documentation: ClassVar[tuple[str, str, str]] = (
        "numbers",
        "location, log scale",
        "tails a little heavier than normal",
    )
    # logpdf is almost straight in the tails, where Newton steps would be very long.
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"
    information: ClassVar[tuple[float, float]] = (1 / 3, (3 + math.pi**2) / 9)
    standard_var: ClassVar[float] = math.pi**2 / 3
    standard_entropy: ClassVar[float] = 2.0

    def _standard_logpdf(self, z: Array) -> Array:
        size = np.abs(z)
        logs: Array = -size - 2 * np.log1p(np.exp(-size))
        return logs

    def _standard_score(self, z: Array) -> Array:
        return -np.tanh(0.5 * z)

    def _standard_hessian(self, z: Array) -> Array:
        second: Array = -2 * special.expit(z) * special.expit(-z)
        return second

    def _standard_cdf(self, z: Array) -> Array:
        probability: Array = special.expit(z)
        return probability

    def _standard_sf(self, z: Array) -> Array:
        probability: Array = special.expit(-z)
        return probability

    def _standard_logcdf(self, z: Array) -> Array:
        log: Array = special.log_expit(z)
        return log

    def _standard_logsf(self, z: Array) -> Array:
        log: Array = special.log_expit(-z)
        return log

    def _standard_ppf(self, q: Array) -> Array:
        z: Array = special.logit(q)
        return z

    def _standard_isf(self, q: Array) -> Array:
        z: Array = -special.logit(q)
        return z
