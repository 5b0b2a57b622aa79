"""Draws of functions from the posterior of a Gaussian process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from wgboost.slicing import row_slices
from wgboost.smooth.blas import one_thread
from wgboost.smooth.cholesky import cholesky_factor, triangular_solve
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.tuning import Sample, Steps, parameter_bounds, start_logs
from wgboost.typing import Array

__all__ = ["PosteriorDraws", "tune_covariance"]

_KERNEL = "matern52"
_STEPS = Steps(60, 1e-4)
_STARTS = 0.0, 1.0  # logs of the factors by which lengths start shorter
_FREQUENCIES = 128  # of a draw from the prior
_DEGREES = 5  # of freedom of the spectral density of a Matérn kernel of smoothness 5/2
_ROWS = 4096  # at a time
_COLUMNS = 3  # outputs that choose the parameters


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """Hold functions of x that are draws from the posterior of a Gaussian process.

    Each function is a draw from the prior, by random Fourier features, plus the correction that
    makes it agree with noisy observations (Matheron's rule).

    Parameters
    ----------
    covariance : Covariance
        Covariance of the process.
    frequencies : array of shape (draws, frequencies, q)
        Frequencies of the features, per length of each column.
    phases : array of shape (draws, frequencies)
        Phases of the features.
    amplitudes : array of shape (draws, frequencies, outputs)
        Coefficients of the features.
    slopes : array of shape (draws, 1 + q, outputs)
        Coefficients of the linear terms.
    points : array of shape (r, q + 1)
        Observed rows, as inputs of the kernel.
    terms : array of shape (r, 1 + q)
        Linear terms of the observed rows.
    coefficients : array of shape (r, draws, outputs)
        Weights of the observed rows in the correction.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.posterior_draws import PosteriorDraws, tune_covariance
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.sin(3 * X) + 0.1 * rng.standard_normal((40, 1))
    >>> covariance = tune_covariance(X, y, np.ones(40), np.zeros(1, dtype=int))
    >>> draws = PosteriorDraws.of(covariance, X, y, np.ones(40), 5, rng)
    >>> draws.at(X).shape
    (40, 5, 1)
    """

    covariance: Covariance
    frequencies: Array
    phases: Array
    amplitudes: Array
    slopes: Array
    points: Array
    terms: Array
    coefficients: Array

    @classmethod
    def of(
        cls, covariance: Covariance, X: Array, y: Array, weight: Array, n_draws: int,
        rng: np.random.Generator,
    ) -> PosteriorDraws:  # fmt: skip
        """Draw functions given y (n, outputs) of rows X (n, p).

        The noise of a row is that of the covariance divided by its weight.
        """
        n, outputs, q = len(X), y.shape[1], len(covariance.columns)
        frequencies = rng.standard_normal((n_draws, _FREQUENCIES, q))
        frequencies /= np.sqrt(rng.chisquare(_DEGREES, (n_draws, _FREQUENCIES, 1)) / _DEGREES)
        phases = rng.uniform(0, 2 * np.pi, (n_draws, _FREQUENCIES))
        size = np.sqrt(2 * covariance.amplitude / _FREQUENCIES)
        amplitudes = size * rng.standard_normal((n_draws, _FREQUENCIES, outputs))
        slopes = rng.standard_normal((n_draws, 1 + q, outputs))
        points, terms, _ = covariance.kernel_inputs(X)
        empty = np.zeros((n, n_draws, outputs))
        prior = cls(
            covariance, frequencies, phases, amplitudes, slopes, points, terms, coefficients=empty
        )
        noise = covariance.noise / weight
        error = np.sqrt(noise)[:, None, None] * rng.standard_normal(empty.shape)
        with one_thread():
            matrix = covariance.between(points, points) + terms @ terms.T
            matrix.flat[:: n + 1] += noise
            factor = cholesky_factor(matrix)
            gap = (y[:, None] - prior.at(X, corrected=False) - error).reshape(n, -1)
            solved = triangular_solve(factor, triangular_solve(factor, gap), transposed=True)
        found = solved.reshape(empty.shape)
        return cls(covariance, frequencies, phases, amplitudes, slopes, points, terms, found)

    def at(self, X: Array, *, corrected: bool = True) -> Array:
        """Return the functions (n, draws, outputs) at rows X (n, p).

        Without the correction they are draws from the prior.
        """
        r, n_draws, outputs = self.coefficients.shape
        found = np.empty((len(X), n_draws, outputs))
        with one_thread():
            for rows in row_slices(len(X), _ROWS):
                points, terms, _ = self.covariance.kernel_inputs(X[rows])
                for i in range(n_draws):
                    waves = np.cos(points[:, :-1] @ self.frequencies[i].T + self.phases[i])
                    found[rows, i] = waves @ self.amplitudes[i] + terms @ self.slopes[i]
                if corrected:
                    known = self.covariance.between(points, self.points) + terms @ self.terms.T
                    added = known @ self.coefficients.reshape(r, -1)
                    found[rows] += added.reshape(-1, n_draws, outputs)
        return found


def tune_covariance(
    X: Array, y: Array, weight: Array, n_levels: Array, near: Covariance | None = None
) -> Covariance | None:
    """Return the covariance of the largest marginal likelihood of all outputs together.

    Parameters
    ----------
    X : array of shape (n, p)
        Rows.
    y : array of shape (n, outputs)
        Standardised outputs. More than three are represented by their first principal components.
    weight : array of shape (n,)
        How often each row counts.
    n_levels : array of shape (p,)
        Number of levels of categorical features, 0 for numeric ones.
    near : Covariance or None, default=None
        A covariance whose columns are taken, and whose parameters the search begins at.

    Returns
    -------
    Covariance or None
        None if no feature varies.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.posterior_draws import tune_covariance
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.sin(3 * X) + 0.1 * np.random.default_rng(0).standard_normal((40, 1))
    >>> covariance = tune_covariance(X, y, np.ones(40), np.zeros(1, dtype=int))
    >>> bool(0.05 < covariance.noise**0.5 < 0.2)
    True
    """
    columns = Columns.fit(X, n_levels)
    if not len(columns):
        return None
    starts = [start_logs(columns.n_lengths, shorter) for shorter in _STARTS]
    if near is not None and len(near.logs) == len(starts[0]):
        starts = [near.logs]
    sample = Sample(columns, X, _main_columns(y), np.zeros(len(X)), weight)
    bounds = parameter_bounds(columns.n_lengths)

    def loss(logs: Array) -> tuple[float, Array]:
        total, gradient = sample.loss(_KERNEL, logs)
        return total / len(X), gradient / len(X)

    best = None
    with one_thread():
        for start in starts:
            found = minimize(
                loss, start, jac=True, method="L-BFGS-B", bounds=bounds,
                options={"maxiter": _STEPS.max_iter, "ftol": _STEPS.tolerance},
            )  # fmt: skip
            if best is None or found.fun < best.fun:
                best = found
    return None if best is None else Covariance(columns, _KERNEL, best.x)


def _main_columns(y: Array) -> Array:
    """Return y (n, outputs), or its first principal components with the same variance each."""
    if y.shape[1] <= _COLUMNS:
        return y
    left, _, _ = np.linalg.svd(y - y.mean(axis=0), full_matrices=False)
    main: Array = left[:, :_COLUMNS] * np.sqrt(len(y))
    return main
