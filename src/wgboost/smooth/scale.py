"""The variance of y around a smooth function, estimated from left-out rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from wgboost.typing import Array

__all__ = ["Scale", "constant_density"]

_BOUNDS = (-7.0, 7.0), (-3.0, 7.0)  # of the logs of the factors of noise and share
_SPREAD = 1.0  # standard deviation of the prior of these logs
_CONSTANT = -18.0, 3.0  # bounds of the log of the noise around a constant; y is standardised


@dataclass(frozen=True)
class Scale:
    """Variance of y around a prediction: noise + share * variance of f.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.scale import Scale
    >>> Scale(noise=1.0, share=2.0).variance(np.array([0.5]))
    array([2.])
    """

    noise: float
    share: float

    def variance(self, f_variance: Array) -> Array:
        """Return the variance of y from the variance of the function."""
        return self.noise + self.share * f_variance

    def fitted(self, residual: Array, f_variance: Array, weight: Array, known: Array) -> Scale:
        """Return the most probable scale for leave-one-out residuals, near this one.

        All arrays are (n,): residuals, variance of the function, weights, and variance of the known
        error of y.
        """
        squares = np.square(residual)

        def loss(logs: Array) -> tuple[float, Array]:
            noise, share = self.noise * np.exp(logs[0]), self.share * np.exp(logs[1])
            parts = np.stack([np.full_like(f_variance, noise), share * f_variance])
            variance = parts.sum(axis=0) + known
            value = 0.5 * weight @ (np.log(variance) + squares / variance)
            pull = 0.5 * weight * (1 - squares / variance) / variance
            prior = logs / _SPREAD
            return float(value + 0.5 * prior @ prior), parts @ pull + prior / _SPREAD

        found = minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B", bounds=_BOUNDS)
        noise, share = np.exp(found.x) * [self.noise, self.share]
        return Scale(float(noise), float(share))

    def log_density(self, residual: Array, f_variance: Array, known: Array) -> Array:
        """Return the normal log density (n,) of residuals."""
        variance = self.variance(f_variance) + known
        density: Array = -0.5 * (np.log(2 * np.pi * variance) + np.square(residual) / variance)
        return density


def constant_density(y: Array, weight: Array, known: Array) -> Array:
    """Return the log density (n,) of y around the best constant, with its noise.

    y is standardised, with errors of known variance (n,).
    """
    if not known.any():
        return Scale(1.0, 0.0).log_density(y, known, known)

    def density(log: float) -> Array:
        noise = Scale(float(np.exp(log)), 0.0)
        middle = np.average(y, weights=weight / (noise.noise + known))
        return noise.log_density(y - middle, known, known)

    found = minimize_scalar(
        lambda log: -float(weight @ density(log)), bounds=_CONSTANT, method="bounded"
    )
    return density(float(found.x))
