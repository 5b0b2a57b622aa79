"""The likelihood of a response: the distribution of y and its derivatives in theta."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from wgboost.responses.distribution import Distribution
from wgboost.responses.intervals import cdf_gradient
from wgboost.typing import Array

__all__ = ["Likelihood"]


class Likelihood(Distribution):
    """Derivatives in theta of the distribution p(y | theta) of one observation.

    Shapes are those of `Distribution`.
    """

    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "hessian"
    """What `likelihood_curvature` returns.

    "hessian" is minus the diagonal of the Hessian. "fisher" is the Fisher information, for a
    Hessian that changes sign or vanishes in the tails. "damped" is the larger of the Fisher
    information and 1 / `damping` of "hessian", for a score that grows in the tails: steps of
    outlying rows are then not much longer than `damping`."""
    damping: ClassVar[float] = 10.0

    @abstractmethod
    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().likelihood_score(1.0, np.array([0.0, 0.0]))
        array([1., 0.])
        """

    @abstractmethod
    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().likelihood_hessian(1.0, np.array([0.0, 0.0])).shape
        (2, 2)
        """

    def hessian_diagonal(self, y: Array, theta: Array) -> Array:
        """Return the diagonal of `likelihood_hessian`.

        Override it where the rest of the matrix is costly.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().hessian_diagonal(1.0, np.array([0.0, 0.0]))
        array([-1., -2.])
        """
        return np.diagonal(self.likelihood_hessian(y, theta), axis1=-2, axis2=-1)

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return the curvature of minus logpdf that `curvature_kind` declares.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().likelihood_curvature(1.0, np.array([0.0, 0.0]))
        array([1., 2.])
        """
        if self.curvature_kind == "hessian":
            return -self.hessian_diagonal(y, theta)
        if self.curvature_kind == "damped":
            fisher = self.likelihood_fisher(theta)
            return np.maximum(fisher, self.hessian_diagonal(y, theta) / -self.damping)
        return self._fisher_of_rows(y, theta)

    def _fisher_of_rows(self, y: Array, theta: Array) -> Array:
        """Return the Fisher information at theta, broadcast against y, (..., d)."""
        fisher = self.likelihood_fisher(theta)
        shape = np.broadcast_shapes(np.shape(y), fisher.shape[:-1])
        return np.broadcast_to(fisher, (*shape, fisher.shape[-1]))

    @abstractmethod
    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation.

        Parameters
        ----------
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().likelihood_fisher(np.array([0.0, 0.0]))
        array([1., 2.])
        """

    def cdf_gradient(self, y: Array, theta: Array) -> Array:
        """Return the gradient of `cdf` in theta.

        Override it with a closed form.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.

        Returns
        -------
        array of shape (..., d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().cdf_gradient(0.0, np.array([0.0, 0.0])).round(3)
        array([-0.399, -0.   ])
        """
        return cdf_gradient(self, y, theta)

    def noisy_likelihood(self, y: Array, theta: Array, noise: Array) -> tuple[Array, Array, Array]:
        """Return log density, score and curvature of y measured with a normal error.

        Parameters
        ----------
        y : array
            Values that broadcast against theta[..., 0], in standardised units.
        theta : array of shape (..., d)
            Parameters.
        noise : array
            Standard deviation of the error, in standardised units.

        Returns
        -------
        log_density : array of shape (...)
        score : array of shape (..., d)
        curvature : array of shape (..., d)

        Raises
        ------
        ValueError
            If the response cannot take an error into account.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> float(Normal().noisy_likelihood(0.0, np.array([0.0, 0.0]), 1.0)[0].round(3))
        -1.266
        """
        del y, theta, noise
        raise ValueError(
            f"the response {self.name!r} cannot take measurement error into account; "
            "'normal' and 'lognormal' can"
        )
