"""Exact Gaussian process regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize_scalar

from wgboost.slicing import row_slices
from wgboost.smooth.cholesky import (
    check_packed,
    cholesky_factor,
    inverse_diagonal,
    pack,
    triangular_solve,
    unpack,
)
from wgboost.smooth.covariance import Covariance
from wgboost.typing import Array

__all__ = ["ExactGP", "check_arrays", "minimise_noise", "most_likely_noise"]

_ROWS = 1024  # rows at a time


@dataclass(frozen=True, eq=False)
class ExactGP:
    """Posterior of f given y = f(x) + noise at n training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.columns import Columns
    >>> from wgboost.smooth.covariance import Covariance
    >>> from wgboost.smooth.exact_gp import ExactGP
    >>> X = np.arange(5.0)[:, None]
    >>> covariance = Covariance(Columns.fit(X, np.zeros(1, dtype=int)), "rbf", np.zeros(4))
    >>> mean, variance = ExactGP.fit(covariance, X, X[:, 0], np.full(5, 1e-6)).at(covariance, X)
    >>> bool(np.abs(mean - X[:, 0]).max() < 0.01)
    True
    """

    points: Array  # (n, q + 1), see KernelInputs
    terms: Array  # (n, 1 + q)
    triangle: Array  # packed Cholesky factor of the covariance of y
    coefficients: Array  # (n,) inverse of that covariance times y

    @classmethod
    def fit(cls, covariance: Covariance, X: Array, y: Array, noise: Array) -> ExactGP:
        """Return the process given rows X (n, p) with y (n,) and the variance (n,) of its noise."""
        points, terms, _ = covariance.kernel_inputs(X)
        matrix = _signal(covariance, points, terms)
        matrix.flat[:: len(y) + 1] += noise
        factor = cholesky_factor(matrix)
        coefficients = triangular_solve(factor, triangular_solve(factor, y), transposed=True)
        return cls(points, terms, pack(factor), coefficients)

    @cached_property
    def factor(self) -> Array:
        """The Cholesky factor (n, n)."""
        return unpack(self.triangle, len(self.points))

    def at(self, covariance: Covariance, X: Array) -> tuple[Array, Array]:
        """Return mean and variance (n,) of f at new rows X (n, p)."""
        mean, variance = np.empty(len(X)), np.empty(len(X))
        for rows in row_slices(len(X), _ROWS):
            points, terms, extra_variance = covariance.kernel_inputs(X[rows])
            known = covariance.between(self.points, points)
            known += self.terms @ terms.T
            mean[rows] = self.coefficients @ known
            prior = covariance.amplitude + np.square(terms).sum(axis=1) + extra_variance
            variance[rows] = prior - np.square(triangular_solve(self.factor, known)).sum(axis=0)
        return mean, np.maximum(variance, 0)

    def leave_one_out(
        self,
        covariance: Covariance,  # noqa: ARG002
        X: Array,  # noqa: ARG002
        y: Array,
        noise: Array,
    ) -> tuple[Array, Array]:
        """Return mean and variance (n,) of f at each training row, given the others.

        The variance of y given the others is one over the diagonal of the inverse. `covariance` and
        X are for `NystromGP`.
        """
        own = inverse_diagonal(self.factor)
        return y - self.coefficients / own, np.maximum(1 / own - noise, 0)

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless a process from a file can be used with so many columns."""
        n = len(self.points)
        check_arrays(
            (self.points, (n, n_columns + 1)),
            (self.terms, (n, 1 + n_columns)),
            (self.coefficients, (n,)),
        )
        check_packed("the factor", self.triangle, n)


def _signal(covariance: Covariance, points: Array, terms: Array) -> Array:
    matrix = covariance.between(points, points)
    matrix += terms @ terms.T
    return matrix


def most_likely_noise(covariance: Covariance, X: Array, y: Array, weight: Array) -> float:
    """Return the noise of the largest marginal likelihood; weight (n,) is how often rows count.

    A common factor of all variances is optimised as well.
    """
    signal = _signal(covariance, *covariance.kernel_inputs(X)[:2])
    n, total = len(y), weight.sum()

    def loss(noise: float) -> float:
        matrix = signal.copy()
        matrix.flat[:: n + 1] += noise / weight
        factor = cholesky_factor(matrix)
        half = triangular_solve(factor, y)
        loss = total * np.log(half @ half) - (n - total) * np.log(noise)
        return float(0.5 * loss + np.log(factor.diagonal()).sum())

    return minimise_noise(loss, covariance.noise)


def minimise_noise(loss: Callable[[float], float], near: float) -> float:
    """Return the noise of the least loss, within a factor of e^4 of a first guess."""
    found = minimize_scalar(
        lambda log: loss(float(np.exp(log))),
        bounds=(np.log(near) - 4, np.log(near) + 4),
        method="bounded",
        options={"xatol": 0.05},
    )
    return float(np.exp(found.x))


def check_arrays(*parts: tuple[Array, tuple[int, ...]]) -> None:
    """Raise ValueError unless these are finite float64 arrays of these shapes."""
    for array, shape in parts:
        good = isinstance(array, np.ndarray) and array.dtype == np.float64
        if not good or array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"the smooth start lacks finite numbers of shape {shape}")
