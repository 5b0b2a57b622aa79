"""The distribution of y at given parameters."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wgboost.responses.log_tails import log_tail
from wgboost.responses.parametrisation import Parametrisation
from wgboost.typing import Array

__all__ = ["Distribution"]

_LEAST = 2.0**-54  # in place of a random number 0, whose quantile is the end of the support


class Distribution(Parametrisation):
    """Distribution p(y | theta) of one observation.

    All values are in standardised units of y. theta has shape (..., d); y and the probability q
    broadcast against theta[..., 0]. Results depend on theta and y only, not on the prior.
    `Multivariate` is for observations of several numbers, on a last axis of y.
    """

    @abstractmethod
    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density, or the log mass of a discrete y.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            -inf outside the support.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().logpdf(0.0, np.array([0.0, 0.0])).round(3))
        -0.919
        """

    @abstractmethod
    def cdf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value <= y.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().cdf(0.0, np.array([0.0, 0.0])))
        0.5
        """

    def sf(self, y: Array, theta: Array) -> Array:
        """Return the probability of a value > y.

        Override it where 1 - cdf loses the tail.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().sf(0.0, np.array([0.0, 0.0])))
        0.5
        """
        return 1.0 - self.cdf(y, theta)

    def logcdf(self, y: Array, theta: Array) -> Array:
        """Return log P(<= y), also where `cdf` underflows.

        Override it with a closed form.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Log probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().logcdf(-40.0, np.array([0.0, 0.0])).round(2))
        -804.61
        """
        return log_tail(self, y, theta, upper=False)

    def logsf(self, y: Array, theta: Array) -> Array:
        """Return log P(> y), also where `sf` underflows.

        Override it with a closed form.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Log probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().logsf(40.0, np.array([0.0, 0.0])).round(2))
        -804.61
        """
        return log_tail(self, y, theta, upper=True)

    @abstractmethod
    def ppf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with cdf(y) >= q.

        Parameters
        ----------
        q : array
            Probabilities that broadcast against theta[..., 0].
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Quantiles; NaN for q outside [0, 1].

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().ppf(0.5, np.array([0.0, 0.0])))
        0.0
        """

    def isf(self, q: Array, theta: Array) -> Array:
        """Return the smallest y with sf(y) <= q.

        Override it where 1 - q loses the tail.

        Parameters
        ----------
        q : array
            Probabilities that broadcast against theta[..., 0].
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Quantiles; NaN for q outside [0, 1].

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().isf(0.5, np.array([0.0, 0.0]))) == 0
        True
        """
        return self.ppf(1.0 - np.asarray(q), theta)

    @abstractmethod
    def mean(self, theta: Array) -> Array:
        """Return the mean of y.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Means; NaN where there is none.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().mean(np.array([0.0, 0.0])))
        0.0
        """

    @abstractmethod
    def var(self, theta: Array) -> Array:
        """Return the variance of y.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Variances.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().var(np.array([0.0, 0.0])))
        1.0
        """

    @abstractmethod
    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (...)
            Entropies.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> round(float(Normal().entropy(np.array([0.0, 0.0]))), 3)
        1.419
        """

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Draw one y for each theta.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array of shape (...)
            Draws.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().rvs(np.zeros((3, 2)), np.random.default_rng(0)).shape
        (3,)
        """
        theta = np.asarray(theta)
        return self.ppf(np.maximum(rng.random(theta.shape[:-1]), _LEAST), theta)

    def mirrored(self, theta: Array) -> Array | None:  # noqa: ARG002
        """Return the parameters of low + high - y, for a support with two ends.

        y near a high end has too few digits for its distance to the end; its mirror image has them.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d) or None
            Parameters, or None if there are none.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Beta
        >>> Beta().mirrored(np.array([1.0, 0.0]))
        array([-1.,  0.])
        """
        return None

    def probabilities(self, theta: Array) -> Array:
        """Return the probability of each class, for a y of finitely many values.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., k)
            Probabilities.

        Raises
        ------
        NotImplementedError
            If the response has no classes.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Categorical
        >>> Categorical().probabilities(np.array([0.0]))
        array([0.5, 0.5])
        """
        raise NotImplementedError(f"the response {self.name!r} has no classes")
