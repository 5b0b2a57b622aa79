"""Multivariate normal response with unknown mean and covariance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from wgboost.responses.chain import Chain, ColumnList, Triangle, as_matrix, dot, downward
from wgboost.responses.coordinate_priors import (
    CoordinatePrior,
    InverseGammaPrior,
    NormalPrior,
    Parameter,
)
from wgboost.responses.multivariate import Multivariate
from wgboost.responses.normal import Normal
from wgboost.responses.numerics import coordinates
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["MultivariateNormal"]


@dataclass(frozen=True, eq=False)
class MultivariateNormal(Multivariate):
    """Model several columns of y as jointly normal, as a chain of q normal regressions.

    Column i is normal given the columns before it: its residual y_i - mean_i has the mean sum_j<i
    slope_ij (y_j - mean_j) and the scale exp(log_scale_i). theta = (mean_0, ..., log_scale_0, ...,
    slope_1_0, slope_2_0, slope_2_1, ...), q + q + q (q - 1) / 2 numbers. One column is the
    distribution of `Normal`.

    Parameters
    ----------
    n_dims : int, optional
        Number q of columns; None takes it from y of an estimator.
    prior_mean : float or array of shape (n,), default=0.0
        Mean of the normal prior of every mean, for columns standardised to mean 0 and standard
        deviation 1. An array gives each row its own prior.
    prior_scale : float or array of shape (n,), default=10.0
        Standard deviation of that prior.
    prior_shape : float or array of shape (n,), default=0.01
        Shape of the inverse-gamma prior of every scale.
    prior_rate : float or array of shape (n,), default=0.01
        Rate of the inverse-gamma prior of every scale.
    prior_slope_scale : float or array of shape (n,), default=10.0
        Standard deviation of the normal prior of every slope, of mean 0.

    Notes
    -----
    theta is the Cholesky factor of the precision, scaled to a unit diagonal. With z_i =
    exp(-log_scale_i) (residual_i - sum_j slope_ij residual_j) the log density is -sum_i
    (log_scale_i + z_i^2 / 2). Means and slopes enter z linearly, so that the log density is concave
    in each coordinate. Every theta gives a valid covariance, and nothing has to be factorised. The
    curvature is the Fisher information, not the diagonal of the Hessian: the entries of that for
    slopes and log scales are squared residuals, which are near zero in many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses import MultivariateNormal
    >>> MultivariateNormal(n_dims=2).cov(np.array([0.0, 0.0, 0.0, 0.0, 0.5]))
    array([[1.  , 0.5 ],
           [0.5 , 1.25]])
    """

    prior_mean: Parameter = 0.0
    prior_scale: Parameter = 10.0
    prior_shape: Parameter = 0.01
    prior_rate: Parameter = 0.01
    prior_slope_scale: Parameter = 10.0

    name: ClassVar[str] = "multivariate_normal"
    documentation: ClassVar[tuple[str, str, str]] = (
        "(n, q) numbers",
        "means, log scales, slopes of each column on those before",
        "columns that vary together; `marginal(j)` is one of them",
    )
    positive: ClassVar[tuple[str, ...]] = (
        "prior_scale", "prior_shape", "prior_rate", "prior_slope_scale",
    )  # fmt: skip
    sufficient: ClassVar[bool] = True
    curvature_kind: ClassVar[Literal["hessian", "fisher", "damped"]] = "damped"

    # --- coordinates --------------------------------------------------------------------------

    @property
    def param_names(self) -> tuple[str, ...]:
        """Names of the coordinates of theta."""
        (q,) = self.y_shape
        own = [f"{name}_{j}" for name in ("mean", "log_scale") for j in range(q)]
        return (*own, *(f"slope_{i}_{j}" for i in range(q) for j in range(i)))

    @property
    def n_params(self) -> int:
        """Number d of coordinates of theta."""
        (q,) = self.y_shape
        return 2 * q + q * (q - 1) // 2

    @property
    def dispersion(self) -> dict[int, float]:
        """The log scales: all of them together multiply the covariance."""
        (q,) = self.y_shape
        return dict.fromkeys(range(q, 2 * q), 1.0)

    def coordinate_priors(self, dtype: Any) -> tuple[CoordinatePrior, ...]:
        """Return the priors of means, of log scales and of slopes."""
        (q,) = self.y_shape
        names = ("prior_mean", "prior_scale", "prior_shape", "prior_rate", "prior_slope_scale")
        mean, scale, shape, rate, slope = (
            self.column(getattr(self, name), dtype) for name in names
        )
        own = [NormalPrior(mean, scale)] * q + [InverseGammaPrior(shape, rate)] * q
        return (*own, *[NormalPrior(0.0, slope)] * (self.n_params - 2 * q))

    def natural(self, theta: Array, units: Units) -> dict[str, Array]:
        """Return means and standard deviations in the user's units, and correlations."""
        mean, cov = units.restore(self.mean(theta)), self.cov(theta)
        deviation = np.sqrt(np.diagonal(cov, axis1=-2, axis2=-1))
        scale = units.scale * deviation
        named = {f"mean_{j}": mean[..., j] for j in range(mean.shape[-1])}
        named |= {f"scale_{j}": scale[..., j] for j in range(mean.shape[-1])}
        for i, j in self._chain(theta).pairs:
            named[f"correlation_{i}_{j}"] = cov[..., i, j] / deviation[..., i] / deviation[..., j]
        return named

    def _chain(self, theta: Array) -> Chain:
        (q,) = self.y_shape
        return Chain.of(np.asarray(theta), q, q)

    # --- likelihood ---------------------------------------------------------------------------

    def _residuals(self, y: Array, theta: Array) -> tuple[ColumnList, ColumnList, Triangle]:
        """Return y - mean, z = B (y - mean), and B."""
        root = self._chain(theta).root()
        residual = [y[..., j] - theta[..., j] for j in range(len(root))]
        return residual, [dot(row, residual[: len(row)]) for row in root], root

    def logpdf(self, y: Array, theta: Array) -> Array:
        """Return the log density of all columns together."""
        _, z, _ = self._residuals(np.asarray(y), theta)
        constant = len(z) * (0.5 * math.log(2 * math.pi))
        total: Array = -0.5 * dot(z, z) - sum(self._chain(theta).log_scales) - constant
        return total

    def likelihood_score(self, y: Array, theta: Array) -> Array:
        """Return the gradient of logpdf in theta."""
        residual, z, root = self._residuals(y, theta)
        means = [dot(column, z[j:]) for j, column in enumerate(downward(root))]
        slopes = (z[i] * root[i][i] * residual[j] for i in range(len(z)) for j in range(i))
        return coordinates(*means, *(one * one - 1 for one in z), *slopes)

    def likelihood_hessian(self, y: Array, theta: Array) -> Array:
        """Return the Hessian of logpdf in theta."""
        shape = np.broadcast_shapes(np.shape(y)[:-1], theta.shape[:-1])
        theta = np.broadcast_to(theta, (*shape, theta.shape[-1]))
        residual, z, root = self._residuals(y, theta)
        q, d = len(z), self.n_params
        hessian = np.zeros((*z[0].shape, d, d), z[0].dtype)
        first = 2 * q  # the coordinate of the column's first slope
        for i in range(q):
            # The gradient of z_i: in the means up to its own, in its log scale, in its slopes.
            where = [*range(i + 1), q + i, *range(first, first + i)]
            by_slope = (-root[i][i] * residual[j] for j in range(i))
            gradient = coordinates(*(-part for part in root[i]), -z[i], *by_slope)
            hessian[..., *np.ix_(where, where)] -= gradient[..., :, None] * gradient[..., None, :]
            # z_i times its Hessian: entries with the log scale, and of mean and slope.
            second = z[i][..., None] * gradient
            hessian[..., q + i, where] += second
            hessian[..., where, q + i] += second
            hessian[..., q + i, q + i] += z[i] * z[i]
            for j in range(i):
                hessian[..., j, first + j] -= z[i] * root[i][i]
                hessian[..., first + j, j] -= z[i] * root[i][i]
            first += i
        return hessian

    def likelihood_curvature(self, y: Array, theta: Array) -> Array:
        """Return the Fisher information, or the damped Hessian's diagonal if larger."""
        residual, z, root = self._residuals(y, theta)
        fisher = self.likelihood_fisher(theta)
        q, share = len(z), 1 / self.damping
        curvature = np.empty((*z[0].shape, self.n_params), z[0].dtype)
        curvature[..., :q] = fisher[..., :q]  # the Hessian's too
        slopes = (root[i][i] * residual[j] for i in range(q) for j in range(i))
        squares = (*(2 * one * one for one in z), *(slope * slope for slope in slopes))
        for k, square in enumerate(squares, start=q):
            np.maximum(fisher[..., k], share * square, out=curvature[..., k])
        return curvature

    def likelihood_fisher(self, theta: Array) -> Array:
        """Return the diagonal of the Fisher information of one observation."""
        chain = self._chain(theta)
        means = [dot(column, column) for column in downward(chain.root())]
        scales = [np.full_like(means[0], 2)] * len(means)
        return coordinates(*means, *scales, *chain.variance_ratios())

    def mean(self, theta: Array) -> Array:
        """Return the mean of y, (..., q)."""
        (q,) = self.y_shape
        return np.asarray(theta)[..., :q]

    def cov(self, theta: Array) -> Array:
        """Return the covariance matrix of y, (..., q, q)."""
        return self._chain(theta).cov()

    def entropy(self, theta: Array) -> Array:
        """Return the entropy of y in nats."""
        log_scales = self._chain(theta).log_scales
        constant = 0.5 * len(log_scales) * math.log(2 * math.pi * math.e)
        total: Array = np.add.reduce(log_scales) + constant
        return total

    def rvs(self, theta: Array, rng: np.random.Generator) -> Array:
        """Return one draw (..., q) of y for each theta."""
        mean = self.mean(theta)
        return mean + self._chain(theta).follow(rng.standard_normal(mean.shape))

    def marginal(self, theta: Array, column: int) -> tuple[Normal, Array]:
        """Return the normal response of one column alone, and its theta (..., 2)."""
        mean, var = self.mean(theta)[..., column], self.var(theta)[..., column]
        return Normal(), coordinates(mean, 0.5 * np.log(var))

    # --- averages over rows -------------------------------------------------------------------

    def statistics(self, y: Array, weight: Array | None = None) -> Array:
        """Return the weighted mean of y and, below it, its covariance matrix, (1 + q, q)."""
        y = np.asarray(y, dtype=np.float64)
        share = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        share = share / share.sum()
        mean = share @ y
        return np.vstack([mean, (share[:, None] * (y - mean)).T @ (y - mean)])

    def _moments(self, theta: Array, statistics: Array) -> tuple[Array, Array, Array]:
        """Return the root of the precision, and mean and second moments of the residuals."""
        root = as_matrix(self._chain(theta).root())  # (m, q, q)
        residual = (statistics[0] - self.mean(theta))[..., None]
        return root, residual, residual * np.swapaxes(residual, 1, 2) + statistics[1:]

    def statistics_score(self, theta: Array, statistics: Array) -> Array:
        """Return the mean over rows of likelihood_score at common particles (m, d)."""
        root, residual, second = self._moments(theta, statistics)
        means = np.swapaxes(root, 1, 2) @ (root @ residual)
        products = root @ second  # the mean of z_i times residual_j
        squares = np.sum(products * root, axis=2)
        i, j = np.tril_indices(root.shape[1], k=-1)
        slopes = root[:, i, i] * products[:, i, j]
        return np.concatenate([means[..., 0], squares - 1, slopes], axis=1)

    def statistics_curvature(self, theta: Array, statistics: Array) -> Array:
        """Return the curvature of the mean over rows at common particles (m, d)."""
        root, _, second = self._moments(theta, statistics)
        squares = np.sum((root @ second) * root, axis=2)
        i, j = np.tril_indices(root.shape[1], k=-1)
        slopes = root[:, i, i] ** 2 * second[:, j, j]
        curvature = np.array(self.likelihood_fisher(theta))
        own = np.concatenate([2 * squares, slopes], axis=1) / self.damping
        np.maximum(curvature[:, root.shape[1] :], own, out=curvature[:, root.shape[1] :])
        return curvature
