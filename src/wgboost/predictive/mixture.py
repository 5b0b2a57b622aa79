"""The predictive distribution of each row, with the method names of scipy.stats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from wgboost.predictive.information import mutual_information
from wgboost.predictive.table import Tabled
from wgboost.predictive.weights import mix
from wgboost.typing import Array
from wgboost.validation import format_value

__all__ = ["Mixture"]

_HALF = np.array(0.5)


class Mixture(Tabled):
    """n predictive distributions, row i being the mean over j of p(y | particle j of row i).

    Everything is in the user's units, and methods give one number per row. Rows are the first
    axis of whatever goes in or comes out. Where methods take values (y, or a probability q), these
    are a number, one value per row (n,), a grid for every row (n, g), or one grid for all rows
    (1, g), which gives (n, g). A distribution of one row takes values of any shape. ``dist[i]``,
    ``dist[10:20]`` and ``dist[mask]`` are distributions of those rows.

    Parameters
    ----------
    response
        The response p(y | theta); its prior plays no role here.
    particles
        theta (n, m, d), in the response's coordinates and standardised units.
    units
        What turns standardised y into the user's; the same units by default.
    weights
        Weights (n, m) of the particles, equal by default; each row's are normalised.
    """

    # --- moments ------------------------------------------------------------------------------

    def mean(self) -> Array:
        """Return the mean of each row, (n,)."""
        return self.units.restore(self.over_rows(lambda t, w: mix(self.response.mean(t), w)))

    def var(self) -> Array:
        """Return the variance of each row, (n,)."""
        return self._squared(self._mean_of_variances() + self._variance_of_means())

    def std(self) -> Array:
        """Return the standard deviation of each row, (n,)."""
        # The unit after the root: its square may be too small or too large for a number.
        deviation: Array = np.sqrt(self._mean_of_variances() + self._variance_of_means())
        return deviation * self.units.scale

    def _squared(self, variance: Array) -> Array:
        """Return a variance of standardised y in the user's units."""
        restored: Array = variance * self.units.scale * self.units.scale
        return restored

    def _mean_of_variances(self) -> Array:
        """Return the mean over particles of their variances, in standardised units."""
        return self.over_rows(lambda t, w: mix(self.response.var(t), w))

    def _variance_of_means(self) -> Array:
        """Return the variance over particles of their means or medians, in standardised units."""

        def spread(theta: Array, weights: Array | None) -> Array:
            response = self.response
            means = response.mean(theta) if response.has_mean else response.ppf(_HALF, theta)
            mean = mix(means, weights)[:, None]
            finite = np.isfinite(mean) | np.isnan(mean)  # an infinite mean has no variance
            gaps = np.where(finite, means, np.inf) - np.where(finite, mean, 0.0)
            return mix(np.square(gaps), weights)

        return self.over_rows(spread)

    def entropy(self) -> Array:
        """Return the entropy of each row in nats, (n,).

        The mean entropy of the components, in closed form, plus `mutual_information`. Exact for
        classes, and for one particle.
        """
        if self.response.nominal:
            exact: Array = special.entr(self.probabilities()).sum(axis=1)
            return exact

        each = self.over_rows(lambda t, w: mix(self.response.entropy(t), w))
        return each + self.mutual_information() + math.log(self.units.scale)

    # --- what the data cannot say, and what the model does not know ---------------------------

    def aleatoric(self) -> Array:
        """Return the uncertainty that would remain if the particle were known, (n,).

        The mean over particles of their variances; for classes, of their entropies.
        """
        if self.response.nominal:
            return self.over_rows(lambda t, w: mix(self.response.entropy(t), w))
        return self._squared(self._mean_of_variances())

    def epistemic(self) -> Array:
        """Return the uncertainty about the particle, (n,).

        The variance over particles of their means, or of their medians where the response has no
        mean; for classes the mutual information of class and particle. `aleatoric` plus
        `epistemic` is `var`, or for classes `entropy`.
        """
        if not self.response.nominal:
            return self._squared(self._variance_of_means())

        def information(theta: Array, weights: Array | None) -> Array:
            each = self.response.probabilities(theta)  # (r, m, k)
            mean = mix(np.moveaxis(each, 1, 2), None if weights is None else weights[:, None])
            return mix(special.rel_entr(each, mean[:, None]).sum(axis=2), weights)

        return np.maximum(self.over_rows(information), 0)

    def mutual_information(self) -> Array:
        """Return what y would tell about the particle, in nats, (n,): at most log m.

        The entropy of the mixture less the mean entropy of its components, which is the mean over
        particles of the divergence of their response from the mixture. For classes it is
        `epistemic`; otherwise an integral, good to about 1e-8, at a cost that grows with the
        square of the number of particles; of counts that range over more than 20,000 it is good to
        about 1e-6. Values closer to an end of the support than 2e-308 count
        as one. Unlike the variance of means it sees particles that agree on the mean and not on
        the scale, and it has no unit.
        """
        return self.epistemic() if self.response.nominal else mutual_information(self)

    def effective_sample_size(self) -> Array:
        """Return how many equally weighted particles each row is worth, (n,)."""
        n, m, _ = self.particles.shape
        if self.weights is None:
            return np.full(n, float(m))
        size: Array = 1 / np.square(self.weights).sum(axis=1)
        return size

    # --- samples and parameters ---------------------------------------------------------------

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Return samples: one per row (n,), `size` per row (n, size), or of a shape (n, ...).

        random_state is None, a seed or a numpy.random.Generator.
        """
        n, m, _ = self.particles.shape
        shape = (n,) if size is None else (n, size) if np.ndim(size) == 0 else tuple(size)
        if shape[:1] != (n,):
            raise ValueError(
                f"size={format_value(size)} must be a number of samples, or a shape ({n}, ...): "
                "rows come first"
            )
        rng = np.random.default_rng(random_state)
        rows = (n,) + (1,) * (len(shape) - 1)
        if self.weights is None:
            chosen = rng.integers(m, size=shape)
        else:
            uniform, chosen = rng.random(shape), np.zeros(shape, dtype=np.intp)
            for reached in np.cumsum(self.weights, axis=1).T[:-1]:
                chosen += uniform >= reached.reshape(rows)
        theta = np.asarray(self.particles[np.arange(n).reshape(rows), chosen], dtype=np.float64)
        with np.errstate(over="ignore"):
            drawn = self.units.restore(self.response.rvs(theta, rng))
        # Rounding in the user's units may reach an end of the support again.
        drawn = self.response.clip_to_support(drawn)
        return drawn.astype(np.int64) if self.response.discrete else drawn

    def params(self) -> dict[str, Array]:
        """Return the particles as parameters that a person would quote, by name, (n, m) each."""
        return self.response.natural(self.theta(), self.units)
