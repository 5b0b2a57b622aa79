"""Base of responses for counts: quantiles, entropy and averages follow from mass and cdf."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import special

from wgboost.responses.base import Response
from wgboost.responses.censoring import is_censored
from wgboost.responses.integer_search import smallest_integer
from wgboost.responses.numerics import clip_exponent
from wgboost.typing import Array

__all__ = ["LARGEST_COUNT", "LARGEST_LOG", "LARGEST_MEAN", "Count"]

LARGEST_COUNT = 2.0**53
"""The largest count that models take: up to it float64 has every whole number."""
LARGEST_LOG = 40.0
"""Bound of log means in float32, beyond the log of the largest count."""
LARGEST_MEAN = 1e18
"""Bound of the means of Poisson draws: NumPy takes no larger ones."""

_FIRST = np.arange(256.0)  # counts that are summed one by one
_TAILS = special.expit(np.arange(-36.0, 1.0, 4.0))
_STEPS = np.linspace(0, 1, 17)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True, eq=False)
class Count(Response):
    """A whole number y >= 0.

    A family defines the log mass, its value at 0, both tails at whole numbers, and a draw. These
    methods receive theta in float64. The curvature is the Fisher information, which does not depend
    on y: the mean over rows of score / curvature then vanishes where the mean score does. Counts
    keep their units.
    """

    discrete: ClassVar[bool] = True
    sufficient: ClassVar[bool] = True
    statistics_are_values: ClassVar[bool] = True
    longest_step: ClassVar[float] = 3.0
    recursive: ClassVar[bool] = False
    """Whether the family is one of Panjer's: Poisson, negative binomial."""
    offset_link: ClassVar[Literal["identity", "log"] | None] = "log"

    @abstractmethod
    def log_mass(self, y: Array, theta: Array) -> Array:
        """Return the log probability of whole y >= 0.

        Parameters
        ----------
        y : array
            Whole numbers >= 0.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Smooth in y between whole numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> float(Poisson().log_mass(0.0, np.array([0.0])))
        -1.0
        """

    @abstractmethod
    def log_zero(self, theta: Array) -> Array:
        """Return the log probability of y = 0.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> float(Poisson().log_zero(np.array([0.0])))
        -1.0
        """

    @abstractmethod
    def _count_cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a count <= y, for whole y >= 0."""

    @abstractmethod
    def _count_sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a count > y, for whole y >= 0."""

    @abstractmethod
    def _size_biased(self, theta: Array) -> Array:
        """Return the parameters of Y - 1 where counts Y are drawn in proportion to their size.

        These are counts of the same family, and y mass(y) is the mean times their mass at y - 1.
        """

    def mean_below(self, y: Array, theta: Array) -> Array:
        """Return the sum of k mass(k) over counts k <= y.

        Parameters
        ----------
        y : array
            Whole numbers >= 0.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> float(Poisson().mean_below(1.0, np.array([0.0])).round(3))
        0.368
        """
        part: Array = self.mean(theta) * self.cdf(np.asarray(y) - 1, self._size_biased(theta))
        return part

    def mean_above(self, y: Array, theta: Array) -> Array:
        """Return the sum of k mass(k) over counts k > y.

        Parameters
        ----------
        y : array
            Whole numbers >= 0.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> float(Poisson().mean_above(1.0, np.array([0.0])).round(3))
        0.632
        """
        part: Array = self.mean(theta) * self.sf(np.asarray(y) - 1, self._size_biased(theta))
        return part

    def tail_and_slope(self, y: Array, theta: Array, *, upper: bool) -> tuple[Array, Array]:
        """Return cdf or sf, continued to numbers between the counts, and about its derivative.

        Parameters
        ----------
        y : array
            Numbers >= 0.
        theta : array of shape (..., d)
            Parameters in float64.
        upper : bool
            Whether sf is continued and not cdf.

        Returns
        -------
        tail : array of shape (...)
            Smooth in y if the family is `recursive`: the formula that holds for whole numbers.
        slope : array of shape (...)
            The size of the derivative. The default is the mass at y + 1/2.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> tail, slope = Poisson().tail_and_slope(0.5, np.array([0.0]), upper=False)
        >>> float(tail.round(3)), float(slope.round(3))
        (0.572, 0.368)
        """
        tail = (self._count_sf if upper else self._count_cdf)(y, theta)
        # The mass at y + 1 is the difference of the cdf at y + 1 and y.
        return tail, np.exp(self.log_mass(np.asarray(y) + 0.5, theta))

    def panjer(self, theta: Array) -> tuple[Array, Array]:
        """Return c and s of Panjer's recursion, mass(y + 1) = mass(y) (c + s y) / (y + 1).

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        c : array of shape (...)
        s : array of shape (...)

        Raises
        ------
        NotImplementedError
            If the family is not `recursive`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Poisson
        >>> [float(part) for part in Poisson().panjer(np.array([0.0]))]
        [1.0, 0.0]
        """
        raise NotImplementedError(f"the masses of {self.name!r} have no recursion")

    # --- rows ---------------------------------------------------------------------------------

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible y."""
        return 0.0, np.inf

    @property
    def support_text(self) -> str:
        """Description of valid y."""
        return "whole numbers >= 0"

    def in_support(self, y: Array) -> Array:
        """Return whether each y is a whole number >= 0."""
        known: Array = (y >= 0) & (np.floor(y) == y) & (y < np.inf)
        return known

    def check(self, y: Any) -> Array:
        """Return y (n,) in float64; raise if a value is not a count, or too large."""
        values = super().check(y)
        ends = [values["lower"], values["upper"]] if is_censored(values) else [values]
        for end in ends:
            beyond = (end > LARGEST_COUNT) & (end < np.inf)
            if beyond.any():
                row = int(np.argmax(beyond))
                raise ValueError(
                    f"y is {end[row]:.17g} at row {row}; the response {self.name!r} takes counts "
                    f"up to 2^53 = {LARGEST_COUNT:.0f}, beyond which float64 does not have every "
                    "whole number. Count in a larger unit, such as thousands, or use a continuous "
                    "response such as 'gamma' or 'lognormal'"
                )
        return values

    def initial_theta(self, y: Array, weight: Array | None = None) -> Array:
        """Return the log of the mean count, and 0 for other coordinates."""
        origin, mean = np.zeros(self.n_params), np.average(y, weights=weight)
        origin[self.location] = np.log(mean) if mean > 0 else 0.0
        return origin

    # --- likelihood ---------------------------------------------------------------------------

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log mass; -inf for anything but a whole number >= 0."""
        theta, y = clip_exponent(theta, LARGEST_LOG), np.asarray(y, dtype=np.float64)
        possible = self.in_support(y)
        logs = self.log_mass(np.where(possible, y, 0), theta.astype(np.float64, copy=False))
        impossible = np.where(np.isnan(y), np.nan, -np.inf)
        return np.where(possible, logs, impossible).astype(theta.dtype, copy=False)

    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a count <= y."""
        return self._side(self._count_cdf, y, theta, (0.0, 1.0))

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a count > y."""
        return self._side(self._count_sf, y, theta, (1.0, 0.0))

    def _side(
        self, side: Callable[[Array, Array], Array], y: Array, theta: Array,
        ends: tuple[float, float],
    ) -> Array:  # fmt: skip
        whole = np.floor(np.asarray(y, dtype=np.float64))
        finite = np.where(whole == np.inf, 0, np.maximum(whole, 0))
        inside = side(finite, np.asarray(theta, dtype=np.float64))
        return np.where(whole < 0, ends[0], np.where(whole == np.inf, ends[1], inside))

    def _mass_at(self, y: Array, theta: Array) -> Array:
        """Return the probability of the whole number that y is rounded down to."""
        mass: Array = np.exp(self.logpdf(np.floor(y), theta))
        return mass

    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest count with cdf >= q."""
        return self._search(self._count_cdf, np.greater_equal, q, theta)

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest count with sf <= q."""
        return self._search(self._count_sf, np.less_equal, q, theta)

    def _search(
        self, side: Callable[[Array, Array], Array], reached: np.ufunc, q: Array, theta: Array
    ) -> Array:
        """Return the smallest count y with reached(side(y), q); NaN for q outside [0, 1]."""
        q, theta = np.asarray(q, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        shape = np.broadcast_shapes(q.shape, theta.shape[:-1])
        theta = np.broadcast_to(theta, (*shape, theta.shape[-1])).reshape(-1, theta.shape[-1])
        q = np.broadcast_to(q, shape).ravel()
        counts = np.where(q == (1 if reached is np.less_equal else 0), 0.0, np.inf)
        counts[~((q >= 0) & (q <= 1))] = np.nan
        inner = (q > 0) & (q < 1)
        goal, theta = q[inner], theta[inner]
        # Start at the quantile of a normal distribution with the same moments.
        deviation = np.sqrt(self.var(theta))
        normal = special.ndtri(goal).clip(-40, 40) * (-1 if reached is np.less_equal else 1)
        counts[inner] = smallest_integer(
            lambda y, rows: reached(side(y, theta[rows]), goal[rows]),
            self.mean(theta) + deviation * normal,
            deviation / 8,
        )
        return counts.reshape(shape)

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats.

        The first counts are summed. Beyond them Gauss-Legendre rules between quantiles apply: the
        sum from k on is the integral from k - 1/2 on plus the slope there over 24.
        """
        theta = np.asarray(theta, dtype=np.float64)
        return self._entropy(theta.reshape(-1, 1, theta.shape[-1])).reshape(theta.shape[:-1])

    def _entropy(self, theta: Array) -> Array:
        def part(y: Array, theta: Array) -> Array:
            terms: Array = special.entr(np.exp(self.log_mass(y, theta)))
            return terms

        total: Array = part(_FIRST, theta).sum(axis=1)
        long = self.isf(_TAILS[0], theta[:, 0]) > _FIRST[-1]
        if long.any():
            far = theta[long]
            # Also even steps of the logarithm, for a mass that falls from 0 on.
            start, last = _FIRST[-1] + 0.5, self.isf(_TAILS[:1], far) + 0.5
            parts = [self.ppf(_TAILS, far), self.isf(_TAILS, far), start * (last / start) ** _STEPS]
            edges = np.sort(np.maximum(np.concatenate(parts, axis=1), start), axis=1)
            half = np.diff(edges, axis=1)[..., None] / 2
            points = edges[:, :-1, None] + half * (1 + _NODES)
            beyond = (part(points, far[:, :, None]) * half * _WEIGHTS).sum(axis=(1, 2))
            ends = part(_FIRST[-1] + np.arange(2.0), far)
            total[long] += beyond + np.diff(ends)[:, 0] / 24
        return total

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the distinct counts and their weighted shares, (2, u).

        Counts above 200 that agree to one per cent are merged at their mean.
        """
        y = np.asarray(y, dtype=np.float64)
        weight = np.ones(y.shape) if weight is None else np.asarray(weight, dtype=np.float64)
        y, weight = y[weight > 0], weight[weight > 0]
        sizes = np.where(y <= 200, y, 200 + np.ceil(100 * np.log(np.maximum(y, 200) / 200)))
        which = np.unique(sizes, return_inverse=True)[1]
        share = np.bincount(which, weights=weight)
        counts = np.bincount(which, weights=weight * y) / share
        return np.stack([counts, share / share.sum()])

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        counts, share = statistics.astype(theta.dtype)
        average: Array = np.tensordot(share, self.likelihood_score(counts[:, None], theta), axes=1)
        return average

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:  # noqa: ARG002
        """Return the mean over rows of likelihood_curvature, which does not depend on y."""
        return self.likelihood_fisher(theta)
