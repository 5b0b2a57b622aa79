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
from wgboost.responses.censoring import is_censored
from wgboost.responses.observations import Observations, standardise
from wgboost.typing import Array
from wgboost.validation import check_levels

__all__ = ["Probabilities"]


class Probabilities(WeightedParticles):
    """Densities, probabilities and quantiles of rows of particles."""

    # --- density and probability --------------------------------------------------------------

    def log_likelihood(self, y: Any) -> Array:
        """Compute logpdf(y), or logpmf(y) if the response is discrete.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y. If they are `censored`, the result is the log probability of their bounds.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.log_likelihood(0.5).round(4)
        array([-1.0439])
        """
        if is_censored(y) or isinstance(y, Observations):
            observed = y if isinstance(y, Observations) else Observations.of(y)
            return self._log_likelihood_observed(observed)
        grid, shape = as_grid("y", y, len(self), self.response.y_shape)
        logs = self.over_grid(self.response.logpdf, self.units.standardise(grid), log_mix)
        density: Array = logs - np.log(self.units.scale).sum()
        return density.reshape(shape)

    def _log_likelihood_observed(self, observed: Observations) -> Array:
        n, m, d = self.particles.shape
        if len(observed) != n:
            raise ValueError(f"y has {len(observed)} rows, the distribution {n}")
        out = np.empty(n)
        for rows, _ in blocks(n, 1, m * d * 8):
            part: Any = standardise(observed[rows], self.units)
            logs, log_visible = part.logs(self.response, self.theta(rows))
            out[rows] = log_mix(logs, self.weights_of(rows))
            if log_visible is not None:  # truncated rows
                out[rows] -= log_mix(log_visible, self.weights_of(rows))
        # Densities change with the unit of y, probabilities do not.
        return out - np.where(observed.exact, math.log(self.units.scale), 0.0)

    def logpdf(self, y: Any) -> Array:
        """Compute the log density at y, which is finite however far y is in the tails.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Raises
        ------
        AttributeError
            If the response is discrete.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.logpdf(0.5).round(4)
        array([-1.0439])
        """
        self._check_kind("pdf")
        return self.log_likelihood(y)

    def pdf(self, y: Any) -> Array:
        """Compute the density at y.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.pdf([[0.0, 0.5]]).round(4)
        array([[0.3205, 0.3521]])
        """
        return np.exp(self.logpdf(y))

    def logpmf(self, y: Any) -> Array:
        """Compute the log probability of y.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Raises
        ------
        AttributeError
            If the response is continuous.

        Examples
        --------
        >>> from wgboost import Mixture, Poisson
        >>> Mixture(Poisson(), [[[0.0]]]).logpmf(0)
        array([-1.])
        """
        self._check_kind("pmf")
        return self.log_likelihood(y)

    def pmf(self, y: Any) -> Array:
        """Compute the probability of y.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Poisson
        >>> Mixture(Poisson(), [[[0.0]]]).pmf(0).round(4)
        array([0.3679])
        """
        return np.exp(self.logpmf(y))

    def cdf(self, y: Any) -> Array:
        """Compute the probability of a value of at most y.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.cdf(0.5)
        array([0.5])
        """
        return self._probability(y, self.response.cdf)

    def sf(self, y: Any) -> Array:
        """Compute the probability of a value above y.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.sf(1.0).round(4)
        array([0.3293])
        """
        return self._probability(y, self.response.sf)

    def _probability(self, y: Any, side: Callable[[Array, Array], Array]) -> Array:
        grid, shape = as_grid("y", y, len(self))
        # Rounded weights may sum to a little more than 1.
        return self.over_grid(side, self.units.standardise(grid)).clip(0, 1).reshape(shape)

    def logcdf(self, y: Any) -> Array:
        """Compute the log of cdf(y), which keeps its digits where cdf underflows.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.logcdf(-50.0).round(1)
        array([-1255.5])
        """
        return self._log_probability(y, self.response.logcdf)

    def logsf(self, y: Any) -> Array:
        """Compute the log of sf(y), which keeps its digits where sf underflows.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.logsf(51.0).round(1)
        array([-1255.5])
        """
        return self._log_probability(y, self.response.logsf)

    def _log_probability(self, y: Any, side: Callable[[Array, Array], Array]) -> Array:
        grid, shape = as_grid("y", y, len(self))
        with np.errstate(divide="ignore"):  # the log of nothing is -inf
            logs = self.over_grid(side, self.units.standardise(grid), log_mix)
        return np.minimum(logs, 0).reshape(shape)

    def _check_kind(self, wanted: str) -> None:
        kind, other = ("discrete", "pmf") if self.response.discrete else ("continuous", "pdf")
        if wanted != other:
            raise AttributeError(
                f"the response {self.response.name!r} is {kind}: it has a {other}, not a {wanted}"
            )

    # --- quantiles ----------------------------------------------------------------------------

    def ppf(self, q: Any) -> Array:
        """Compute quantiles: the smallest y with cdf(y) >= q.

        For a continuous response cdf(ppf(q)) is q up to rounding in both tails.

        Parameters
        ----------
        q : float or array-like of shape (n,), (n, g) or (1, g)
            Probabilities: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)
            NaN where q is outside [0, 1].

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.ppf([[0.05, 0.5, 0.95]]).round(3)
        array([[-1.339,  0.5  ,  2.339]])
        """
        return self._quantile(q, upper=False)

    def isf(self, q: Any) -> Array:
        """Compute upper quantiles: the smallest y with sf(y) <= q.

        Parameters
        ----------
        q : float or array-like of shape (n,), (n, g) or (1, g)
            Probabilities: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n,) or (n, g)
            NaN where q is outside [0, 1].

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.isf(0.05).round(3)
        array([2.339])
        """
        return self._quantile(q, upper=True)

    def _quantile(self, q: Any, upper: bool) -> Array:
        grid, shape = as_grid("q", q, len(self))
        return self.units.restore(mixture_quantiles(self, grid, upper)).reshape(shape)

    def median(self) -> Array:
        """Compute the median of each row.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.median()
        array([0.5])
        """
        return self.ppf(0.5)

    def interval(self, confidence: Any) -> tuple[Array, Array]:
        """Compute the ends of the central interval that has this probability.

        Parameters
        ----------
        confidence : float or list of floats
            The probability of the interval, or several.

        Returns
        -------
        low, high : ndarray of shape (n,), or (n, k) for k probabilities
            The ends of the interval.

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
        """Return the smallest and the largest possible y of each row.

        Returns
        -------
        low, high : ndarray of shape (n,)
            The ends of the support.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.support()
        (array([-inf]), array([inf]))
        """
        low, high = (np.full(len(self), end) for end in self.response.support)
        return self.units.restore(low), self.units.restore(high)

    # --- classes ------------------------------------------------------------------------------

    def probabilities(self) -> Array:
        """Compute the probability of each class.

        Returns
        -------
        ndarray of shape (n, k)
            The classes are in the order of their codes.

        Examples
        --------
        >>> from wgboost import Categorical, Mixture
        >>> Mixture(Categorical(), [[[0.0]]]).probabilities()
        array([[0.5, 0.5]])
        """
        k = self.response.probabilities(np.zeros(self.response.n_params)).shape[-1]

        def averaged(theta: Array, weights: Array | None) -> Array:
            each = np.moveaxis(self.response.probabilities(theta), 1, 2)  # (r, k, m)
            return mix(each, None if weights is None else weights[:, None])

        return self.over_rows(averaged, k)
