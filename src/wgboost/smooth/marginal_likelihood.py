"""Marginal likelihood of rows under a Gaussian process, and its gradient."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from wgboost.smooth.cholesky import triangular_solve
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.kernels import blocks, correlate
from wgboost.typing import Array

__all__ = ["MarginalLikelihood"]

_JITTER = 1e-9  # share of the amplitude that is added to the diagonal


class MarginalLikelihood:
    """Minus the log marginal likelihood of n rows, a function of the logs of a covariance.

    It is the sum over the outputs of y, which share the covariance.

    The likelihood of a row of weight w is raised to the power w. The variance of y given f is then
    the noise over w, and a power of the noise corrects the normalising constant.

    Only the lower triangles of symmetric matrices are computed, in memory that all calls share:
    fresh pages would cost more than the arithmetic.
    """

    def __init__(self, columns: Columns, X: Array, y: Array, known: Array, weight: Array) -> None:
        """Take the fields of a `Sample`."""
        self.columns = columns
        self.values = columns.apply(X)
        self.within = columns.within(self.values)
        self.y, self.known, self.weight = y.reshape(len(y), -1), known, weight
        self._matrix, self._correlations, self._slopes = (
            np.empty((len(y), len(y))) for _ in range(3)
        )

    def __call__(self, kernel: str, logs: Array) -> tuple[float, Array]:
        """Return the loss and its gradient in the logs, without constants.

        The loss is 1e300 if the covariance of y is not positive definite.
        """
        covariance = Covariance(self.columns, kernel, logs)
        points, terms = self.values / covariance.lengths, covariance.linear(self.within)
        noise = covariance.noise + self.known
        self._fill(covariance, points, terms, noise / self.weight)
        # LAPACK reads columns where NumPy has rows: the lower triangle is its upper one.
        factor, info = lapack.dpotrf(self._matrix.T, lower=0, clean=0, overwrite_a=1)
        if info:
            return 1e300, np.zeros_like(logs)
        half = triangular_solve(factor.T, self.y)
        weights = triangular_solve(factor.T, half, transposed=True)
        outputs = self.y.shape[1]
        constant = np.log(factor.diagonal()).sum() - 0.5 * (1 - self.weight) @ np.log(noise)
        loss = 0.5 * np.vdot(half, half) + outputs * constant
        of_terms = triangular_solve(factor.T, terms)
        inverse = lapack.dpotri(factor, lower=0, overwrite_c=1)[0].T
        gradient = np.empty_like(logs)
        along = terms.T @ weights
        gradient[1] = outputs * np.vdot(of_terms, of_terms) - np.vdot(along, along)
        squares = np.square(weights).sum(axis=1)
        by_noise = (outputs * inverse.diagonal() - squares) / self.weight
        by_noise -= outputs * (1 - self.weight) / noise
        gradient[2] = covariance.noise * by_noise.sum()
        gradient[0], each = self._derivatives(inverse, weights, points)
        each *= covariance.amplitude
        gradient[0] *= covariance.amplitude
        gradient[3:] = np.bincount(self.columns.group, each, minlength=self.columns.n_lengths)
        return float(loss), gradient

    def _fill(self, covariance: Covariance, points: Array, terms: Array, noise: Array) -> None:
        """Compute the covariance of y, and keep the correlations and their slopes."""
        n = len(points)
        for rows in blocks(n, n):
            some = rows, slice(rows.stop)
            correlations, matrix = self._correlations[some], self._matrix[some]
            slopes = self._slopes[some]
            correlate(covariance.kernel, points[rows], points[: rows.stop], correlations, slopes)
            own = np.arange(rows.start, rows.stop)
            self._correlations[own, own] = 1 + _JITTER
            np.matmul(terms[rows], terms[: rows.stop].T, out=matrix)
            matrix += covariance.amplitude * correlations
        self._matrix.flat[:: n + 1] += noise

    def _derivatives(self, inverse: Array, weights: Array, points: Array) -> tuple[float, Array]:
        """Return the derivatives in the logs of the amplitude and of each column's length.

        Both are divided by the amplitude. They are sums over all pairs of weights weights' less the
        inverse of each output, times correlations or 2 slopes * (difference of the column)^2.
        """
        n, total = len(points), 0.0
        touched, products = np.zeros(n), np.zeros(points.shape[1])
        for rows in blocks(n, n):
            some = rows, slice(rows.stop)
            pull = weights[rows] @ weights[: rows.stop].T
            own = inverse[some]  # above its blocks the memory has never been written to
            own *= weights.shape[1]
            pull -= own
            # The diagonal counts once, and what is above it counts in the lower triangle.
            square = pull[:, rows.start :]
            square *= np.tri(len(square))
            np.fill_diagonal(square, 0.5 * square.diagonal())
            total += float(np.vdot(pull, self._correlations[some]))
            pull *= self._slopes[some]
            touched[rows] += pull.sum(axis=1)
            touched[: rows.stop] += pull.sum(axis=0)
            products += np.einsum("ij,ij->j", points[rows], pull @ points[: rows.stop])
        return -2 * total, 2 * (touched @ np.square(points)) - 4 * products
