"""Lengths, amplitude and noise: those of the largest marginal likelihood on some rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance, distances, shape, slope
from wgboost.smooth.triangles import solved
from wgboost.typing import Array

__all__ = ["Sample", "start_logs"]

_STEADY = 1e-9  # of the amplitude, on the diagonal
_BOUNDS = (
    (-4.0, 5.0),
    (-7.0, 4.0),
    (-8.1, 1.0),
)  # logs of amplitude, linear, noise; y is standardised
_LENGTH_BOUNDS = -3.0, 8.0
_MEANS = 0.0, np.log(0.3), np.log(0.1)
_SPREADS = 1.5, 1.5, 3.0
_LENGTH, _LENGTH_SPREAD = 2.5, 0.7  # in units of the root of their number; of its log
_NOISY = -1.0  # log of the noise to start with
_ENOUGH = 1e-5  # nats of a row: a step that gains less is the last


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows whose marginal likelihood chooses the parameters of a covariance."""

    columns: Columns
    X: Array  # (n, p)
    y: Array  # (n,)
    known: Array  # (n,) variance of the error that y was measured with
    spread: Array  # (n,) variance of the noise of each row over that of the model

    def take(self, rows: Array) -> Sample:
        """Return some of the rows."""
        return replace(
            self, X=self.X[rows], y=self.y[rows], spread=self.spread[rows], known=self.known[rows]
        )

    def tuned(self, kernel: str, logs: Array, steps: int) -> Array:
        """Return the logs of the parameters (3 + lengths,) after so many steps from others."""
        values = self.columns.apply(self.X)
        within = self.columns.within(values)
        bounds = [*_BOUNDS, *[_LENGTH_BOUNDS] * self.columns.n_lengths]

        def of_a_row(logs: Array) -> tuple[float, Array]:
            # By row: the first step of the search is as long as the gradient.
            loss, gradient = self._loss(kernel, logs, values, within)
            return loss / len(self.y), gradient / len(self.y)

        found = minimize(
            of_a_row, logs, jac=True, method="L-BFGS-B", bounds=bounds,
            options={"maxiter": steps, "ftol": _ENOUGH},
        )  # fmt: skip
        logs_found: Array = found.x
        return logs_found

    def loss(self, kernel: str, logs: Array) -> tuple[float, Array]:
        """Return minus the log marginal likelihood, less the log prior of logs, and its gradient.

        Constants are left out.
        """
        values = self.columns.apply(self.X)
        return self._loss(kernel, logs, values, self.columns.within(values))

    def _loss(self, kernel: str, logs: Array, values: Array, within: Array) -> tuple[float, Array]:
        n = len(self.y)
        covariance = Covariance(self.columns, kernel, logs)
        points, terms = values / covariance.lengths, covariance.linear(within)
        squares = distances(points, points)
        squares.flat[:: n + 1] = 0
        fading = covariance.amplitude * shape(kernel, squares)
        fading.flat[:: n + 1] *= 1 + _STEADY
        linear = terms @ terms.T
        matrix = fading + linear
        noise = covariance.noise * self.spread
        matrix.flat[:: n + 1] += noise + self.known
        factor, info = lapack.dpotrf(matrix, lower=1, clean=1, overwrite_a=1)
        if info:  # not positive definite: no place to be
            return 1e300, np.zeros_like(logs)
        half = solved(factor, self.y)
        weights = solved(factor, half, transposed=True)
        inverse, _ = lapack.dpotri(factor, lower=1)
        pull = np.tril(inverse) + np.tril(inverse, -1).T
        np.subtract(np.multiply.outer(weights, weights), pull, out=pull)
        gradient = np.empty_like(logs)
        gradient[0] = -np.vdot(pull, fading)
        gradient[1] = -np.vdot(pull, linear)
        gradient[2] = -pull.diagonal() @ noise
        # Twice the sum over pairs of pull * slope * (difference of the column)^2.
        pull *= covariance.amplitude * slope(kernel, squares)
        each = 2 * (pull.sum(axis=1) @ np.square(points))
        each -= 2 * np.einsum("ij,ij->j", points, pull @ points)
        gradient[3:] = np.bincount(self.columns.group, each, minlength=self.columns.n_lengths)
        loss = 0.5 * half @ half + np.log(factor.diagonal()).sum()
        means, spreads = _prior(self.columns.n_lengths)
        away = (logs - means) / spreads
        return float(loss + 0.5 * away @ away), gradient + away / spreads


def _prior(n_lengths: int) -> tuple[Array, Array]:
    """Return means and standard deviations of the logs of all parameters."""
    length = np.log(_LENGTH * np.sqrt(max(1, n_lengths)))
    means = np.array([*_MEANS, *[length] * n_lengths])
    return means, np.array([*_SPREADS, *[_LENGTH_SPREAD] * n_lengths])


def start_logs(n_lengths: int) -> Array:
    """Return where to start: the most probable parameters before any y is seen, but more noise.

    From too little the search runs off to the bounds.
    """
    logs = _prior(n_lengths)[0]
    logs[2] = _NOISY
    return logs
