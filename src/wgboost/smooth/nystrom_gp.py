"""Gaussian process regression of many rows by the Nyström approximation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas

from wgboost.slicing import row_slices
from wgboost.smooth.cholesky import check_packed, cholesky_factor, pack, triangular_solve, unpack
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import check_arrays, minimise_noise
from wgboost.typing import Array

__all__ = ["NystromGP", "NystromSums"]

_ROWS = 1024  # rows at a time
_JITTER = 0.01  # share of the noise that is added to the diagonal of the landmarks' covariance
_LEAST_JITTER = 1e-11  # share of the amplitude
_LARGEST_LEVERAGE = 1 - 1e-10  # of a row in its own prediction


@dataclass(frozen=True, eq=False)
class NystromGP:
    """Posterior of f by its values at m landmarks, given y at any number of rows.

    With L the Cholesky factor of the covariance of the landmarks, the features of x are L^-1
    k(landmarks, x) and the linear terms: r = m + 1 + q in all, with independent standard normal
    coefficients. The variance of f(x) given the landmarks is added to that of the features.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.columns import Columns
    >>> from wgboost.smooth.covariance import Covariance
    >>> from wgboost.smooth.nystrom_gp import NystromSums
    >>> X = np.arange(9.0)[:, None]
    >>> covariance = Covariance(Columns.fit(X, np.zeros(1, dtype=int)), "rbf", np.zeros(4))
    >>> gp = NystromSums.of(covariance, X, X[:, 0], np.ones(9), X[::2]).landmarks(1e-4)
    >>> gp.at(covariance, X)[0].shape
    (9,)
    """

    points: Array  # (m, q + 1), see KernelInputs
    whitening: Array  # packed factor L
    triangle: Array  # packed factor of the features' products, plus the noise on the diagonal
    coefficients: Array  # (r,)

    @cached_property
    def whitener(self) -> Array:
        """The factor (m, m) of the landmarks' covariance."""
        return unpack(self.whitening, len(self.points))

    @cached_property
    def factor(self) -> Array:
        """The factor (r, r) of the features' products."""
        return unpack(self.triangle, len(self.coefficients))

    def features(self, covariance: Covariance, X: Array) -> Iterator[tuple[slice, Array, Array]]:
        """Yield rows, their features (r, k) and the variance (k,) they leave, a block at a time."""
        return _features(covariance, self.points, self.whitener, X)

    def at(self, covariance: Covariance, X: Array) -> tuple[Array, Array]:
        """Return mean and variance (n,) of f at new rows X (n, p)."""
        mean, variance = np.empty(len(X)), np.empty(len(X))
        for rows, features, left in self.features(covariance, X):
            mean[rows] = self.coefficients @ features
            known = np.square(triangular_solve(self.factor, features)).sum(axis=0)
            variance[rows] = left + covariance.noise * known
        return mean, variance

    def leave_one_out(
        self, covariance: Covariance, X: Array, y: Array, noise: Array
    ) -> tuple[Array, Array]:
        """Return mean and variance (n,) of f at each training row, given the others.

        The y of a row is left out; a landmark stays where it is. `noise` (n,) is the variance of
        each y around f.
        """
        mean, variance = np.empty(len(X)), np.empty(len(X))
        for rows, features, left in self.features(covariance, X):
            weight = covariance.noise / noise[rows]
            known = np.square(triangular_solve(self.factor, features)).sum(axis=0)
            others = 1 - np.minimum(weight * known, _LARGEST_LEVERAGE)
            mean[rows] = y[rows] - (y[rows] - self.coefficients @ features) / others
            variance[rows] = left + covariance.noise * known / others
        return mean, variance

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless landmarks from a file can be used with so many columns."""
        m = len(self.points)
        r = m + 1 + n_columns
        check_arrays((self.points, (m, n_columns + 1)), (self.coefficients, (r,)))
        check_packed("the landmarks' factor", self.whitening, m)
        check_packed("the factor", self.triangle, r)


@dataclass(frozen=True, eq=False)
class NystromSums:
    """Sums over all rows for the ridge regression on landmarks; they do not depend on the noise."""

    points: Array
    whitening: Array
    products: Array  # (r, r) of the features, weighted; the lower triangle
    moments: Array  # (r,) of features and y
    square: float  # of y
    total: float  # weight of all rows

    @classmethod
    def of(
        cls, covariance: Covariance, X: Array, y: Array, weight: Array, landmarks: Array
    ) -> NystromSums:
        """Return the sums over rows (n, p), a block at a time; landmarks are some rows (m, p)."""
        points = covariance.kernel_inputs(landmarks).points
        matrix, m = covariance.between(points, points), len(landmarks)
        jitter = max(_JITTER * covariance.noise, _LEAST_JITTER * covariance.amplitude)
        matrix.flat[:: m + 1] += jitter
        whitener = cholesky_factor(matrix)
        r = m + points.shape[1]
        products, moments, root = np.zeros((r, r), order="F"), np.zeros(r), np.sqrt(weight)
        for rows, features, _ in _features(covariance, points, whitener, X):
            features *= root[rows]
            products = blas.dsyrk(1.0, features.T, 1.0, products, trans=1, lower=1, overwrite_c=1)
            moments += features @ (root * y)[rows]
        return cls(
            points,
            pack(whitener),
            products,
            moments,
            float(weight @ np.square(y)),
            float(weight.sum()),
        )

    def _solved(self, noise: float) -> tuple[Array, Array]:
        matrix = self.products.copy(order="F")
        matrix.flat[:: len(matrix) + 1] += noise
        factor = cholesky_factor(matrix)
        return factor, triangular_solve(factor, self.moments)

    def most_likely_noise(self, near: float) -> float:
        """Return the noise of the largest marginal likelihood.

        A common factor of all variances is optimised as well.
        """

        def loss(noise: float) -> float:
            factor, half = self._solved(noise)
            residual = (self.square - half @ half) / noise
            determinant = (self.total - len(half)) * np.log(noise)
            determinant += 2 * np.log(factor.diagonal()).sum()
            return float(0.5 * (self.total * np.log(residual) + determinant))

        return minimise_noise(loss, near)

    def landmarks(self, noise: float) -> NystromGP:
        """Return the regression."""
        factor, half = self._solved(noise)
        coefficients = triangular_solve(factor, half, transposed=True)
        return NystromGP(self.points, self.whitening, pack(factor), coefficients)


def _features(
    covariance: Covariance, landmarks: Array, whitener: Array, X: Array
) -> Iterator[tuple[slice, Array, Array]]:
    for rows in row_slices(len(X), _ROWS):
        points, terms, extra_variance = covariance.kernel_inputs(X[rows])
        white = triangular_solve(whitener, covariance.between(landmarks, points))
        left = covariance.amplitude - np.square(white).sum(axis=0)
        yield rows, np.concatenate([white, terms.T]), np.maximum(left, 0) + extra_variance
