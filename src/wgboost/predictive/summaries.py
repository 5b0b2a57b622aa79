"""What a mixture comes to: means of functions, tails, the densest interval, the mode."""

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
    """Rows of particles as mixtures: expectations, tails, modes, and the same by particle."""

    def _of_one_column(self, what: str) -> None:
        """Raise AttributeError where y has several columns."""
        if self.response.y_shape:
            raise AttributeError(f"{what} is of one column of y: marginal(j) has it")

    def expect(self, function: Callable[[Array], Any], points: Any = None) -> Array:
        """Return the mean of a function of y for each row.

        Parameters
        ----------
        function : callable
            Maps values of y (n, g) to numbers of the same shape. Of classes the values are labels
            where `classes` is known, else codes. Values that belong to rows are given as (n, 1).
        points : float, list of floats or array-like of shape (n, k), optional
            Values of y at which the function has a kink or a jump. Without them the mean of a
            function that jumps is right to about 0.005 of the jump.

        Returns
        -------
        ndarray of shape (n,)

        Notes
        -----
        The range of y is cut at the particles' quantiles into 192 panels of four points. Means of
        functions that are smooth on the scale of the panels are good to about 1e-8 if the scales
        of the particles are within a factor of 1e4. The mean of y^2 is off by 1e-6 of its size if
        they span 8 powers of ten and by 1e-3 if they span 12. Functions that oscillate within a
        panel, or that are infinite at an end of the support where the density is too (log y of a
        gamma response of shape 0.05), are not resolved: average them over `rvs` instead.

        Of each particle 2e-16 of the mass is left out at either end: a mean that is infinite comes
        out finite. If y is infinite with a larger probability, the function is called with
        infinite values too.

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
        self._of_one_column("expect")
        if not callable(function):
            raise TypeError(f"{format_value(function)} must be a function of y")
        every = discretize(self, None if points is None else self._points(points))
        seen = every.values if self.classes is None else self.classes[every.values.astype(int)]
        values = np.asarray(function(seen))
        try:
            values = np.broadcast_to(np.asarray(values, dtype=np.float64), seen.shape)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the function returned shape {values.shape} for values of shape {seen.shape}; a "
                "number for each of them is needed, and what belongs to rows as (n, 1)"
            ) from error
        bad = np.isnan(values) & (every.probabilities > 0)
        if bad.any():
            row, place = np.argwhere(bad)[0]
            raise ValueError(f"the function is nan at y = {seen[row, place]} of row {row}")
        return every.mean(values)

    def _points(self, points: Any) -> Array:
        given = np.asarray(points, dtype=np.float64)
        wide = np.atleast_2d(given)
        if given.ndim > 2 or wide.shape[0] not in (1, len(self)):
            raise ValueError(
                f"points have shape {given.shape}; a list of numbers, or ({len(self)}, k), is "
                "needed"
            )
        return np.broadcast_to(wide, (len(self), wide.shape[1]))

    def expected_shortfall(self, q: Any = 0.05, *, upper: bool = False) -> Array:
        """Return the mean of the worst share of outcomes: the conditional value at risk.

        Parameters
        ----------
        q : float or list of floats
            The share of outcomes, above 0.
        upper : bool
            Whether large y are the bad ones; otherwise small ones are.

        Returns
        -------
        ndarray of shape (n,), or (n, k) of k shares

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> Mixture(Normal(), [[[0.0, 0.0]]]).expected_shortfall(0.05).round(4)
        array([-2.0627])
        """
        self._of_one_column("expected_shortfall")
        self._need_order("expected_shortfall")
        levels = check_levels("q", q)
        if not (levels > 0).all():
            raise ValueError(
                f"q={format_value(q)} must be > 0: there has to be a tail to average over"
            )

        def tail(level: float) -> Array:
            end = self.isf(level) if upper else self.ppf(level)
            # With the whole distribution in the tail there is no end to measure from.
            end = np.where(np.isfinite(end), end, self.median())
            every = discretize(self, end[:, None])
            apart = every.values - end[:, None]
            if level < 1:
                apart = np.maximum(apart, 0) if upper else np.minimum(apart, 0)
            return end + every.mean(apart) / level

        if levels.ndim == 0:
            return tail(float(levels))
        return np.stack([tail(float(level)) for level in levels], axis=1)

    def hdi(self, confidence: Any = 0.9) -> tuple[Array, Array]:
        """Return the ends of the highest-density interval: the shortest with this probability.

        Parameters
        ----------
        confidence : float or list of floats
            The probability of the interval, or several.

        Returns
        -------
        low, high : ndarray of shape (n,), or (n, k) of k probabilities
            Of a density with several peaks they hold what lies between the peaks, too: one
            interval, not a union of several. Of counts the fewest neighbouring values that have
            at least this probability.

        Examples
        --------
        >>> from wgboost import Exponential, Mixture
        >>> dist = Mixture(Exponential(), [[[0.0]]])
        >>> low, high = dist.hdi(0.9)  # central: 0.051 to 2.996
        >>> float(low[0].round(3)), float(high[0].round(3))
        (0.0, 2.303)
        """
        self._of_one_column("hdi")
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
        self._of_one_column("mode")
        if isinstance(self.response, (Categorical, Ordinal)):
            code: Array = np.argmax(self.probabilities(), axis=1)
            return code
        return modes(self)

    def _need_order(self, what: str) -> None:
        if self.response.nominal:
            raise ValueError(f"classes have no order, and no {what}; probabilities() has them")

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
        self._of_one_column("what single particles say")
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
        with np.errstate(over="ignore"):  # y so far out that nothing is beyond
            found: Array = function(grid[:, None], self.theta()[:, :, None])
        if name == "q":
            found = self.units.restore(found)
        return found if given.ndim == 2 else found[..., 0]
