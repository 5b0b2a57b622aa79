"""The posterior of the parameters of each row, and its average over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.responses.averaged_posterior import AveragedPosterior
from wgboost.responses.coordinate_priors import Parameter
from wgboost.responses.native import CompiledPosterior
from wgboost.responses.numerics import working_float
from wgboost.responses.observations import ExactObservations, Observations, Observed
from wgboost.typing import Array

__all__ = ["RowPosterior"]


@dataclass(frozen=True, eq=False)
class RowPosterior(AveragedPosterior):
    """Posterior of each row: likelihood and prior together."""

    # --- posterior of each row ----------------------------------------------------------------

    def _inputs(
        self, y: Observed, theta: Array, evidence: Parameter
    ) -> tuple[ExactObservations | Observations, Array, Array]:
        """Return observations, theta (n, m, d) and evidence, () or (n, 1), in its precision."""
        theta = working_float(theta)
        if theta.ndim != 3 or theta.shape[-1] != self.n_params:
            raise ValueError(f"theta has shape {theta.shape}; (n, m, {self.n_params}) is needed")
        n = theta.shape[0]
        if not isinstance(y, Observations):
            y = np.asarray(y, dtype=theta.dtype)
            if y.shape != (n, *self.y_shape):
                raise ValueError(f"y has shape {y.shape}, theta has {n} rows")
        power = np.asarray(evidence, dtype=theta.dtype)
        if power.shape not in ((), (n,)):
            raise ValueError(f"evidence has shape {power.shape}; a number or ({n},) is needed")
        self.check_rows(n)
        observed = y if isinstance(y, Observations) else ExactObservations(y)
        return observed, theta, power[:, None] if power.ndim else power

    def log_posterior(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the log density of each row's posterior, up to a constant.

        Parameters
        ----------
        y : array of shape (n,) or (n, q), or Observations
            Standardised observations.
        theta : array of shape (n, m, d)
            Particles of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.

        Returns
        -------
        array of shape (n, m)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().log_posterior(np.array([1.0]), np.zeros((1, 1, 2))).shape
        (1, 1)
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            return power * observed.logpdf(self, theta) + self.log_prior(theta)

    def score(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the gradient of `log_posterior` in theta.

        Parameters
        ----------
        y : array of shape (n,) or (n, q), or Observations
            Standardised observations.
        theta : array of shape (n, m, d)
            Particles of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.

        Returns
        -------
        array of shape (n, m, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().score(np.array([1.0]), np.zeros((1, 1, 2))).shape
        (1, 1, 2)
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            return power[..., None] * observed.score(self, theta) + self.prior_score(theta)

    def curvature(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return a curvature of minus `log_posterior` in theta.

        Parameters
        ----------
        y : array of shape (n,) or (n, q), or Observations
            Standardised observations.
        theta : array of shape (n, m, d)
            Particles of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.

        Returns
        -------
        array of shape (n, m, d)
            Minus the diagonal of `hessian`, or for the likelihood what `curvature_kind` declares.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().curvature(np.array([1.0]), np.zeros((1, 1, 2))).shape
        (1, 1, 2)
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            likelihood = observed.curvature(self, theta)
            return power[..., None] * likelihood + self.prior_curvature(theta)

    def score_and_curvature(
        self, y: Observed, theta: Array, evidence: Parameter = 1.0, n_threads: int = 1
    ) -> tuple[Array, Array]:
        """Return `score` and `curvature` together; for float32 particles by the compiled core.

        Parameters
        ----------
        y : array of shape (n,) or (n, q), or Observations
            Standardised observations.
        theta : array of shape (n, m, d)
            Particles of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        score : array of shape (n, m, d)
        curvature : array of shape (n, m, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().score_and_curvature(np.array([1.0]), np.zeros((1, 1, 2)))[0].shape
        (1, 1, 2)
        """
        self._inputs(y, theta, evidence)
        compiled = None
        if theta.dtype == np.float32 and not isinstance(y, Observations):
            compiled = self.compiled(y, evidence)
        if compiled is None:
            return self.score(y, theta, evidence), self.curvature(y, theta, evidence)
        theta = np.ascontiguousarray(theta)
        score, curvature = np.empty_like(theta), np.empty_like(theta)
        compiled.derivatives(particles=theta, score=score, curvature=curvature, n_threads=n_threads)
        return score, curvature

    def compiled(self, y: Array, evidence: Parameter = 1.0) -> CompiledPosterior | None:  # noqa: ARG002
        """Return the posteriors of the rows in the compiled core.

        Parameters
        ----------
        y : array of shape (n,)
            Standardised y.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.

        Returns
        -------
        CompiledPosterior or None
            None if the core does not have them.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().compiled(np.zeros(3)) is None
        False
        """
        return None

    def hessian(self, y: Observed, theta: Array, evidence: Parameter = 1.0) -> Array:
        """Return the Hessian of `log_posterior` in theta.

        Parameters
        ----------
        y : array of shape (n,) or (n, q), or Observations
            Standardised observations.
        theta : array of shape (n, m, d)
            Particles of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.

        Returns
        -------
        array of shape (n, m, d, d)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().hessian(np.array([1.0]), np.zeros((1, 1, 2))).shape
        (1, 1, 2, 2)
        """
        observed, theta, power = self._inputs(y, theta, evidence)
        with np.errstate(over="ignore"):
            hessian = power[..., None, None] * observed.hessian(self, theta)
            diagonal = np.arange(self.n_params)
            hessian[..., diagonal, diagonal] -= self.prior_curvature(theta)
        return hessian

    def fisher(self, theta: Array, evidence: Parameter = 1.0, y: Observed | None = None) -> Array:
        """Return evidence times the diagonal of the Fisher information of the likelihood.

        Parameters
        ----------
        theta : array of shape (n, d)
            Parameters of each row.
        evidence : float or array of shape (n,), default=1.0
            Power of the likelihood: number of observations that a row represents.
        y : array or Observations, optional
            Observations, for their measurement errors.

        Returns
        -------
        array of shape (n, d)
            Less than for exact y where y has a measurement error.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.responses import Normal
        >>> Normal().fisher(np.zeros((1, 2)))
        array([[1., 2.]])
        """
        theta = working_float(theta)
        power = np.asarray(evidence, dtype=theta.dtype)
        with np.errstate(over="ignore"):
            likelihood = self.likelihood_fisher(theta)
            if isinstance(y, Observations) and y.noise is not None:
                likelihood = y.fisher(self, theta)
            return (power[:, None] if power.ndim else power) * likelihood
