"""Densities, probabilities and quantiles of mixtures, with the method names of scipy.stats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.predictive.blocks import as_grid, blocks
from wgboost.predictive.quantiles import mixture_quantiles
from wgboost.predictive.weighted_particles import WeightedParticles
from wgboost.predictive.weights import log_mix, mix
from wgboost.responses import Observations, is_censored, standardise
from wgboost.typing import Array
from wgboost.validation import check_levels

__all__ = ["Probabilities"]


class Probabilities(WeightedParticles):
    """Rows of particles as mixtures: where y may lie, and how probably."""

    # --- density and probability --------------------------------------------------------------

    def log_likelihood(self, y: Any) -> Array:
        """Return logpdf(y), or logpmf(y) of a discrete response.

        y may be `censored`: the log probability of its bounds then, (n,).
        """
        if is_censored(y) or isinstance(y, Observations):
            return self._log_likelihood_seen(
                y if isinstance(y, Observations) else Observations.of(y)
            )
        grid, shape = as_grid("y", y, len(self), self.response.y_shape)
        logs = self.over_grid(self.response.logpdf, self.units.standardise(grid), log_mix)
        density: Array = logs - np.log(self.units.scale).sum()
        return density.reshape(shape)

    def _log_likelihood_seen(self, seen: Observations) -> Array:
        n, m, d = self.particles.shape
        if len(seen) != n:
            raise ValueError(f"y has {len(seen)} rows, the distribution {n}")
        out = np.empty(n)
        for rows, _ in blocks(n, 1, m * d * 8):
            part: Any = standardise(seen[rows], self.units)
            logs, log_seen = part.logs(self.response, self.theta(rows))
            out[rows] = log_mix(logs, self.weights_of(rows))
            if log_seen is not None:
                out[rows] -= log_mix(log_seen, self.weights_of(rows))
        # Densities change with the unit of y, probabilities do not.
        return out - np.where(seen.exact, math.log(self.units.scale), 0.0)

    def logpdf(self, y: Any) -> Array:
        """Return the log density at y; finite however far y is in the tails."""
        self._demand("pdf")
        return self.log_likelihood(y)

    def pdf(self, y: Any) -> Array:
        """Return the density at y."""
        return np.exp(self.logpdf(y))

    def logpmf(self, y: Any) -> Array:
        """Return the log probability of y."""
        self._demand("pmf")
        return self.log_likelihood(y)

    def pmf(self, y: Any) -> Array:
        """Return the probability of y."""
        return np.exp(self.logpmf(y))

    def cdf(self, y: Any) -> Array:
        """Return the probability of a value <= y."""
        return self._probability(y, self.response.cdf)

    def sf(self, y: Any) -> Array:
        """Return the probability of a value > y."""
        return self._probability(y, self.response.sf)

    def _probability(self, y: Any, side: Callable[[Array, Array], Array]) -> Array:
        grid, shape = as_grid("y", y, len(self))
        # Rounded weights may sum to a little more than 1.
        return self.over_grid(side, self.units.standardise(grid)).clip(0, 1).reshape(shape)

    def logcdf(self, y: Any) -> Array:
        """Return the log of cdf(y), with its digits also where cdf underflows."""
        return self._log_probability(y, self.response.logcdf)

    def logsf(self, y: Any) -> Array:
        """Return the log of sf(y), with its digits also where sf underflows."""
        return self._log_probability(y, self.response.logsf)

    def _log_probability(self, y: Any, side: Callable[[Array, Array], Array]) -> Array:
        grid, shape = as_grid("y", y, len(self))
        with np.errstate(divide="ignore"):  # the log of nothing is -inf
            logs = self.over_grid(side, self.units.standardise(grid), log_mix)
        return np.minimum(logs, 0).reshape(shape)

    def _demand(self, wanted: str) -> None:
        kind, other = ("discrete", "pmf") if self.response.discrete else ("continuous", "pdf")
        if wanted != other:
            raise AttributeError(
                f"the response {self.response.name!r} is {kind}: it has a {other}, no {wanted}"
            )

    # --- quantiles ----------------------------------------------------------------------------

    def ppf(self, q: Any) -> Array:
        """Return the smallest y with cdf(y) >= q; NaN for q outside [0, 1].

        For a continuous response cdf(ppf(q)) is q to rounding in both tails.
        """
        return self._quantile(q, upper=False)

    def isf(self, q: Any) -> Array:
        """Return the smallest y with sf(y) <= q; NaN for q outside [0, 1]."""
        return self._quantile(q, upper=True)

    def _quantile(self, q: Any, upper: bool) -> Array:
        grid, shape = as_grid("q", q, len(self))
        return self.units.restore(mixture_quantiles(self, grid, upper)).reshape(shape)

    def median(self) -> Array:
        """Return the median of each row, (n,)."""
        return self.ppf(0.5)

    def interval(self, confidence: Any) -> tuple[Array, Array]:
        """Return the ends of the central interval that holds y with this probability.

        Parameters
        ----------
        confidence : float or list of floats
            The probability of the interval, or several.

        Returns
        -------
        low, high : arrays (n,), or (n, k) of k probabilities

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> low, high = Mixture(Normal(), [[[0.0, 0.0]]]).interval([0.5, 0.9])
        >>> high.round(3)
        array([[0.674, 1.645]])
        """
        outside = (1 - check_levels("confidence", confidence)) / 2
        if outside.ndim:
            outside = outside[None]
        return self.ppf(outside), self.isf(outside)

    def support(self) -> tuple[Array, Array]:
        """Return the smallest and the largest possible y of each row, (n,) both."""
        low, high = (np.full(len(self), end) for end in self.response.support)
        return self.units.restore(low), self.units.restore(high)

    # --- classes ------------------------------------------------------------------------------

    def probabilities(self) -> Array:
        """Return the probability of each class, (n, k)."""
        k = self.response.probabilities(np.zeros(self.response.n_params)).shape[-1]

        def averaged(theta: Array, weights: Array | None) -> Array:
            each = np.moveaxis(self.response.probabilities(theta), 1, 2)  # (r, k, m)
            return mix(each, None if weights is None else weights[:, None])

        return self.over_rows(averaged, k)
