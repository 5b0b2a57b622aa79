"""A covariance matrix as a chain of regressions of each column on those before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from wgboost.responses.numerics import clip_exponent, safe_exp
from wgboost.typing import Array

__all__ = ["Chain", "ColumnList", "Triangle", "as_matrix", "dot", "downward"]

ColumnList = list[Array]  # one array for each column of y
Triangle = list[ColumnList]  # [i][j], j < i, or j <= i with a diagonal

_STEEP = 1e4  # bound of slopes: (slope / least scale)^2 is still finite in float32
_FAR = 1e15  # bound of products of slopes
_LARGEST = 1e30  # bound of ratios of variances: a sum of 1e8 of them is finite in float32


def dot(left: ColumnList, right: ColumnList) -> Array:
    """Return the sum of products of two lists of arrays of the same length >= 1."""
    total = left[0] * right[0]
    for one, other in zip(left[1:], right[1:], strict=True):
        total = total + one * other
    return total


def as_matrix(triangle: Triangle) -> Array:
    """Return a lower triangle with a diagonal as an array (..., q, q)."""
    q, one = len(triangle), triangle[0][0]
    matrix = np.zeros((*one.shape, q, q), one.dtype)
    for i, row in enumerate(triangle):
        for j, value in enumerate(row):
            matrix[..., i, j] = value
    return matrix


def downward(triangle: Triangle) -> Triangle:
    """Return the columns of a lower triangle with a diagonal, each from the diagonal down."""
    return [[row[j] for row in triangle[j:]] for j in range(len(triangle))]


@dataclass(frozen=True, eq=False)
class Chain:
    """residual_i = sum_j<i slopes[i][j] residual_j + exp(log_scales[i]) z_i, z standard normal.

    Slopes and log scales are clipped so that their squares are finite.
    """

    log_scales: ColumnList
    slopes: Triangle

    @classmethod
    def of(cls, theta: Array, n_columns: int, start: int) -> Self:
        """Return the chain whose log scales, then slopes by row, are at `start` of theta."""
        log_scales = clip_exponent(theta[..., start : start + n_columns])
        slopes = np.minimum(np.maximum(theta[..., start + n_columns :], -_STEEP), _STEEP)
        by_row = [range(i * (i - 1) // 2, i * (i + 1) // 2) for i in range(n_columns)]
        return cls(
            [log_scales[..., i] for i in range(n_columns)],
            [[slopes[..., k] for k in row] for row in by_row],
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The i, j of all slopes, in their order."""
        return [(i, j) for i, row in enumerate(self.slopes) for j in range(len(row))]

    def root(self) -> Triangle:
        """Return B, lower triangular: z = B residual, and the precision is B^T B."""
        inverse = [np.exp(-log_scale) for log_scale in self.log_scales]
        return [
            [*(-slope * one for slope in row), one]
            for one, row in zip(inverse, self.slopes, strict=True)
        ]

    def unrolled(self) -> Triangle:
        """Return M, lower triangular with a unit diagonal: residual = M (exp(log_scales) z)."""
        moves: Triangle = []
        for row in self.slopes:
            through = (
                dot(row[k:], [moves[j][k] for j in range(k, len(row))]) for k in range(len(row))
            )
            clipped = [np.minimum(np.maximum(move, -_FAR), _FAR) for move in through]
            moves.append([*clipped, np.ones_like(self.log_scales[0])])
        return moves

    def variance_ratios(self) -> ColumnList:
        """Return the variance of column j over the squared scale of column i, for each slope."""
        moves, out = self.unrolled(), []
        with np.errstate(over="ignore"):
            for i, j in self.pairs:
                parts = [
                    move * safe_exp(log_scale - self.log_scales[i])
                    for move, log_scale in zip(moves[j], self.log_scales, strict=False)
                ]
                out.append(np.minimum(dot(parts, parts), _LARGEST))
        return out

    def cov(self) -> Array:
        """Return the covariance matrix, (..., q, q)."""
        scales = np.exp(np.stack(self.log_scales, axis=-1))
        factor = as_matrix(self.unrolled()) * scales[..., None, :]
        product: Array = factor @ np.swapaxes(factor, -1, -2)
        return product

    def follow(self, z: Array) -> Array:
        """Return the residuals (..., q) for standard normal z (..., q)."""
        residual: ColumnList = []
        for i, row in enumerate(self.slopes):
            own = np.exp(self.log_scales[i]) * z[..., i]
            residual.append(own + dot(row, residual) if row else own)
        return np.stack(residual, axis=-1)
