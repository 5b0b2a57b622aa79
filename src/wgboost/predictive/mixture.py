"""The predictive distribution of each row, with the method names of scipy.stats."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from scipy import special

from wgboost.predictive.blocks import row_blocks
from wgboost.predictive.information import mutual_information
from wgboost.predictive.posterior_particles import (
    LARGEST_SHARE,
    dirichlet_information,
    scaled_particles,
)
from wgboost.predictive.table import Tabled
from wgboost.predictive.weights import mix
from wgboost.typing import Array
from wgboost.validation import format_value

__all__ = ["Mixture"]

_HALF = np.array(0.5)


class Mixture(Tabled):
    """Hold n predictive distributions, each a mixture over the particles of one row.

    Row i is the weighted mean over j of p(y | particle j of row i). Everything is in the user's
    units. Rows are the first axis of arguments and results. Methods that take values (y, or a
    probability q) accept a number, one value per row (n,), a grid for every row (n, g), or one grid
    for all rows (1, g), which gives (n, g). A distribution of one row takes values of any shape.
    ``dist[i]``, ``dist[10:20]`` and ``dist[mask]`` are distributions of those rows.

    Parameters
    ----------
    response : Response
        The response p(y | theta). Its prior is not used.
    particles : array-like of shape (n, m, d)
        The particles theta, in the coordinates of the response and standardised units.
    units : Units, optional
        The shift and scale that turn standardised y into the user's; none by default.
    weights : array-like of shape (n, m), optional
        Weights of the particles, which are normalised in each row; equal by default.
    error : array-like of shape (n, q), optional
        Expected squared error of the predicted location in standardised units, a column for each
        column of y; for classes (n, 1), the sum of the squared errors of their probabilities.
        `epistemic` and `posterior_particles` follow it. By default it is the spread of the
        particles.

    Examples
    --------
    >>> from wgboost import Mixture, Normal
    >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]], [[2.0, 0.0], [2.0, 0.0]]])
    >>> dist
    <Mixture of normal: 2 rows, 2 particles>
    >>> dist.mean()
    array([0.5, 2. ])
    >>> dist.var()
    array([1.25, 1.  ])
    >>> dist[1].ppf([0.1, 0.5]).round(3)
    array([0.718, 2.   ])
    """

    # --- moments ------------------------------------------------------------------------------

    def mean(self) -> Array:
        """Compute the mean of each row.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.mean()
        array([0.5])
        """
        return self.units.restore(self.over_rows(lambda t, w: mix(self.response.mean(t), w)))

    def var(self) -> Array:
        """Compute the variance of each row.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.var()
        array([1.25])
        """
        return self._squared(self._mean_of_variances() + self._variance_of_means())

    def std(self) -> Array:
        """Compute the standard deviation of each row.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.std().round(4)
        array([1.118])
        """
        # Multiply by the unit after the root: its square may underflow or overflow.
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
        """Compute the entropy of each row, in nats.

        It is the mean entropy of the components, in closed form, plus `mutual_information`. It is
        exact for classes and for one particle.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.entropy().round(4)
        array([1.5304])
        """
        if self.response.nominal:
            exact: Array = special.entr(self.probabilities()).sum(axis=1)
            return exact

        each = self.over_rows(lambda t, w: mix(self.response.entropy(t), w))
        return each + self.mutual_information() + math.log(self.units.scale)

    # --- aleatoric and epistemic uncertainty --------------------------------------------------

    def aleatoric(self) -> Array:
        """Compute the aleatoric uncertainty: what remains if the parameters of y are known.

        Returns
        -------
        ndarray of shape (n,)
            The variance of y minus `epistemic`; for classes, the entropy minus `epistemic`. Without
            an error it is the mean over particles of their variances, or entropies.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.aleatoric()
        array([1.])
        """
        if self.error is not None:
            total = self.entropy() if self.response.nominal else self.var()
            remaining: Array = np.maximum(total - self.epistemic(), 0)
            return remaining
        if self.response.nominal:
            return self.over_rows(lambda t, w: mix(self.response.entropy(t), w))
        return self._squared(self._mean_of_variances())

    def epistemic(self) -> Array:
        """Compute the epistemic uncertainty: what the model does not know.

        `aleatoric` plus `epistemic` is `var`, or for classes `entropy`.

        Returns
        -------
        ndarray of shape (n,)
            The variance over `posterior_particles` of their means, or of their medians if the
            response has no mean. For classes it is the mutual information of the class and its
            probabilities, which have a Dirichlet distribution if the error is known.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.epistemic()
        array([0.25])
        """
        if self.error is not None and self.response.nominal:
            return dirichlet_information(self.probabilities(), self.error[:, 0])
        spread = self._with_error_spread().disagreement()
        if self.error is None or self.response.has_dispersion or not self.response.has_mean:
            return spread
        # Without a dispersion the variance of y does not follow the error.
        return np.fmin(spread, LARGEST_SHARE * self.var())

    def disagreement(self) -> Array:
        """Compute the disagreement of the particles, which does not depend on the estimated error.

        It is the score of rows unlike the training data: far from them, the error is not known.

        Returns
        -------
        ndarray of shape (n,)
            The variance over particles of their means, or of their medians if the response has no
            mean. For classes it is the mutual information of class and particle.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]], error=[[0.01]])
        >>> dist.disagreement(), dist.epistemic().round(4)
        (array([0.25]), array([0.01]))
        """
        if not self.response.nominal:
            return self._squared(self._variance_of_means())

        def information(theta: Array, weights: Array | None) -> Array:
            each = self.response.probabilities(theta)  # (r, m, k)
            mean = mix(np.moveaxis(each, 1, 2), None if weights is None else weights[:, None])
            return mix(special.rel_entr(each, mean[:, None]).sum(axis=2), weights)

        return np.maximum(self.over_rows(information), 0)

    def mutual_information(self) -> Array:
        """Compute the mutual information of y and the particle, in nats.

        It is the entropy of the mixture less the mean entropy of its components. For classes it is
        `disagreement`. Otherwise it is an integral, good to about 1e-8, whose cost grows with the
        square of the number of particles. Values closer to an end of the support than 2e-308
        count as one. Unlike the variance of means it is sensitive to particles that agree on the
        mean but not on the scale, and it has no unit.

        Returns
        -------
        ndarray of shape (n,)
            Between 0 and log m.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.mutual_information().round(4)
        array([0.1114])
        """
        return self.disagreement() if self.response.nominal else mutual_information(self)

    def effective_sample_size(self) -> Array:
        """Compute the effective number of particles of each row.

        Returns
        -------
        ndarray of shape (n,)
            The number of equally weighted particles that are worth as much.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]], weights=[[3, 1]])
        >>> dist.effective_sample_size()
        array([1.6])
        """
        n, m, _ = self.particles.shape
        if self.weights is None:
            return np.full(n, float(m))
        size: Array = 1 / np.square(self.weights).sum(axis=1)
        return size

    def posterior_particles(self) -> Array:
        """Return particles with the spread of the estimated error.

        The predictive likelihood does not tell noise from ignorance, so the distance of the
        particles is not identified by training. Here it follows the expected error of the model:
        locations have its variance, and the dispersion is changed so that the mean and the variance
        of y stay. For classes, probabilities are scaled, and their means stay.

        Returns
        -------
        ndarray of shape (n, m, d)
            The particles themselves if the error is not known.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[-1.0, 0.0], [1.0, 0.0]]], error=[[0.25]])
        >>> dist.posterior_particles()[0, :, 0]
        array([-0.5,  0.5])
        """
        if self.error is None:
            return self.theta()
        out = np.empty(self.particles.shape)
        _, m, d = self.particles.shape
        for rows in row_blocks(len(self), m * (d + 1)):
            out[rows] = scaled_particles(
                self.response, self.theta(rows), self.weights_of(rows), self.error[rows]
            )
        return out

    def _with_error_spread(self) -> Self:
        """Return the distributions of `posterior_particles`."""
        if self.error is None:
            return self
        return self._replace(self.posterior_particles(), self.weights, None)

    # --- samples and parameters ---------------------------------------------------------------

    def rvs(self, size: Any = None, random_state: Any = None) -> Array:
        """Draw samples.

        Parameters
        ----------
        size : int or tuple of int, optional
            Number of samples per row, or a shape (n, ...); one per row by default.
        random_state : int, Generator or None, default=None
            The seed or the generator of random numbers.

        Returns
        -------
        ndarray of shape (n,), (n, size) or `size`
            Integers if the response is discrete.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> dist.rvs(3, random_state=0).shape
        (1, 3)
        """
        n, m, _ = self.particles.shape
        shape = (n,) if size is None else (n, size) if np.ndim(size) == 0 else tuple(size)
        if shape[:1] != (n,):
            raise ValueError(
                f"size={format_value(size)} must be a number of samples or a shape ({n}, ...)"
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
        """Return the particles as parameters in the user's units.

        Returns
        -------
        dict of str to ndarray of shape (n, m)
            The parameters by name.

        Examples
        --------
        >>> from wgboost import Mixture, Normal
        >>> dist = Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]]])
        >>> {name: values.tolist() for name, values in dist.params().items()}
        {'mean': [[0.0, 1.0]], 'scale': [[1.0, 1.0]]}
        """
        return self.response.natural(self.theta(), self.units)
