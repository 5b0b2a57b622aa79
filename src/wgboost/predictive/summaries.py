"""Summaries of mixtures: expectations, tails, highest-density intervals and modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.predictive.discretization import discretize
from wgboost.predictive.highest_density import highest_density_intervals, modes
from wgboost.predictive.probabilities import Probabilities
from wgboost.responses import Categorical, Ordinal
from wgboost.typing import Array
from wgboost.validation import check_levels, format_value

__all__ = ["Summaries"]


class Summaries(Probabilities):
    """Expectations, tails and modes of rows of particles, and quantities of each particle."""

    def _check_one_column(self, what: str) -> None:
        """Raise AttributeError where y has several columns."""
        if self.response.y_shape:
            raise AttributeError(f"{what} is for one column of y: use marginal(j)")

    def expect(self, function: Callable[[Array], Any], points: Any = None) -> Array:
        """Compute the mean of a function of y for each row.

        Parameters
        ----------
        function : callable
            Maps values of y (n, g) to numbers of the same shape. Values of classes are labels, or
            codes if `classes` is None. Arrays that belong to rows have to be (n, 1).
        points : float, list of floats or array-like of shape (n, k), optional
            Values of y at which the function has a kink or a jump. Without them the mean of a
            function with a jump has an error of about 0.005 of the jump.

        Returns
        -------
        ndarray of shape (n,)
            The means.

        Notes
        -----
        The range of y is divided at quantiles of the particles into 192 panels of four points. The
        mean of a function that is smooth within panels has an error of about 1e-8 if the scales of
        the particles are within a factor of 1e4. The relative error of the mean of y^2 is 1e-6 if
        scales span 8 powers of ten, and 1e-3 if they span 12. Functions that oscillate within a
        panel, or are infinite at an end of the support where the density is infinite too (log y of
        a gamma response of shape 0.05), are not resolved: average them over `rvs` instead.

        2e-16 of the mass of each particle is left out at both ends, so an infinite mean becomes
        finite. If y is infinite with a larger probability, the function is called with infinite
        values too.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.expect(np.square).round(6)
        array([1.5])
        >>> dist.expect(lambda y: np.maximum(y - 1, 0), points=1).round(6)
        array([0.241129])
        """
        self._check_one_column("expect")
        if not callable(function):
            raise TypeError(f"{format_value(function)} must be a function of y")
        every = discretize(self, None if points is None else self._points(points))
        y = every.values if self.classes is None else self.classes[every.values.astype(int)]
        values = np.asarray(function(y))
        try:
            values = np.broadcast_to(np.asarray(values, dtype=np.float64), y.shape)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the function returned shape {values.shape} for values of shape {y.shape}; return "
                "a number for each value, and use arrays that belong to rows as (n, 1)"
            ) from error
        bad = np.isnan(values) & (every.probabilities > 0)
        if bad.any():
            row, place = np.argwhere(bad)[0]
            raise ValueError(f"the function is nan at y = {y[row, place]} of row {row}")
        return every.mean(values)

    def _points(self, points: Any) -> Array:
        given = np.asarray(points, dtype=np.float64)
        rows = np.atleast_2d(given)
        if given.ndim > 2 or rows.shape[0] not in (1, len(self)):
            raise ValueError(
                f"points have shape {given.shape}; give a list of numbers, or ({len(self)}, k)"
            )
        return np.broadcast_to(rows, (len(self), rows.shape[1]))

    def expected_shortfall(self, q: Any = 0.05, *, upper: bool = False) -> Array:
        """Compute the expected shortfall: the mean of the worst share of outcomes.

        It is also called conditional value at risk.

        Parameters
        ----------
        q : float or list of floats, default=0.05
            The share of outcomes, above 0.
        upper : bool, default=False
            Whether large y are the worst outcomes. By default small y are.

        Returns
        -------
        ndarray of shape (n,), or (n, k) for k shares
            The means of the tail.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> Mixture(Normal(), [[[0.0, 0.0]]]).expected_shortfall(0.05).round(4)
        array([-2.0627])
        """
        self._check_one_column("expected_shortfall")
        self._need_order("expected_shortfall")
        levels = check_levels("q", q)
        if not (levels > 0).all():
            raise ValueError(
                f"q={format_value(q)} must be > 0, so that there is a tail to average over"
            )

        def tail(level: float) -> Array:
            end = self.isf(level) if upper else self.ppf(level)
            # The tail has no end if it is the whole distribution.
            end = np.where(np.isfinite(end), end, self.median())
            every = discretize(self, end[:, None])
            excess = every.values - end[:, None]
            if level < 1:
                excess = np.maximum(excess, 0) if upper else np.minimum(excess, 0)
            return end + every.mean(excess) / level

        if levels.ndim == 0:
            return tail(float(levels))
        return np.stack([tail(float(level)) for level in levels], axis=1)

    def hdi(self, confidence: Any = 0.9) -> tuple[Array, Array]:
        """Compute the highest-density interval: the shortest one with this probability.

        Parameters
        ----------
        confidence : float or list of floats, default=0.9
            The probability of the interval, or several.

        Returns
        -------
        low, high : ndarray of shape (n,), or (n, k) for k probabilities
            The ends of the interval. It is one interval even if the density has several peaks. For
            counts it has the fewest neighbouring values with at least this probability.

        Examples
        --------
        >>> from wgboost import Exponential, Mixture
        >>> dist = Mixture(Exponential(), [[[0.0]]])
        >>> low, high = dist.hdi(0.9)  # central: 0.051 to 2.996
        >>> float(low[0].round(3)), float(high[0].round(3))
        (0.0, 2.303)
        """
        self._check_one_column("hdi")
        self._need_order("hdi")
        levels = check_levels("confidence", confidence)
        if levels.ndim == 0:
            return highest_density_intervals(self, float(levels))
        ends = [highest_density_intervals(self, float(level)) for level in levels]
        low, high = (np.stack(side, axis=1) for side in zip(*ends, strict=True))
        return low, high

    def mode(self) -> Array:
        """Compute the most probable y of each row.

        It is the highest peak of the density, or an end of the support if the density is infinite
        there.

        Returns
        -------
        ndarray of shape (n,)
            For classes the code.

        Examples
        --------
        >>> from wgboost import Mixture, Poisson
        >>> Mixture(Poisson(), [[[1.5]]]).mode()  # a mean of 4.48
        array([4.])
        """
        self._check_one_column("mode")
        if isinstance(self.response, (Categorical, Ordinal)):
            code: Array = np.argmax(self.probabilities(), axis=1)
            return code
        return modes(self)

    def _need_order(self, what: str) -> None:
        if self.response.nominal:
            raise ValueError(f"classes have no {what}; see probabilities()")

    # --- by particle --------------------------------------------------------------------------

    def particle_cdf(self, y: Any) -> Array:
        """Compute the probability of a value of at most y under each particle.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n, m), or (n, m, g) for a grid

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.particle_cdf(1.0).round(3)
        array([[0.841, 0.5  ]])
        """
        return self._by_particle("y", y, self.response.cdf)

    def particle_sf(self, y: Any) -> Array:
        """Compute the probability of a value above y under each particle.

        The spread of these probabilities shows how well `sf` is known.

        Parameters
        ----------
        y : float or array-like of shape (n,), (n, g) or (1, g)
            Values of y: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n, m), or (n, m, g) for a grid

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.particle_sf(1.0).round(3)
        array([[0.159, 0.5  ]])
        """
        return self._by_particle("y", y, self.response.sf)

    def particle_ppf(self, q: Any) -> Array:
        """Compute the quantiles of each particle: the smallest y with cdf(y) >= q.

        Parameters
        ----------
        q : float or array-like of shape (n,), (n, g) or (1, g)
            Probabilities: one for all rows, one per row, or a grid for every row.

        Returns
        -------
        ndarray of shape (n, m), or (n, m, g) for a grid

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.particle_ppf(0.5)
        array([[0., 1.]])
        """
        return self._by_particle("q", q, self.response.ppf)

    def particle_median(self) -> Array:
        """Compute the median of each particle.

        Returns
        -------
        ndarray of shape (n, m)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.particle_median()
        array([[0., 1.]])
        """
        return self.particle_ppf(0.5)

    def _by_particle(self, name: str, values: Any, function: Any) -> Array:
        self._check_one_column("a quantity of particles")
        given = np.asarray(values, dtype=np.float64)
        n = len(self)
        if given.ndim > 2 or (given.ndim and given.shape[0] not in (n, 1)):
            raise ValueError(
                f"{name} has shape {given.shape}, the distribution has {n} rows; give a number, "
                f"({n},), or a grid for every row as (1, g) or ({n}, g)"
            )
        grid = given[..., None] if given.ndim < 2 else given
        grid = np.broadcast_to(grid, (n, grid.shape[-1]))
        if name == "y":
            grid = self.units.standardise(grid)
        with np.errstate(over="ignore"):  # y far in the tails
            found: Array = function(grid[:, None], self.theta()[:, :, None])
        if name == "q":
            found = self.units.restore(found)
        return found if given.ndim == 2 else found[..., 0]
