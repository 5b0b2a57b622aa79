"""A Gaussian process that is fitted again to other values of y, with the same parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.smooth.blas import one_thread
from wgboost.smooth.cholesky import inverse_diagonal, triangular_solve
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.gp_model import GPData, GPModel
from wgboost.smooth.nystrom_gp import NystromSums
from wgboost.typing import Array

__all__ = ["RefittedProcess"]

_LARGEST_LEVERAGE = 1 - 1e-10  # of a row in its own prediction


@dataclass(frozen=True, eq=False)
class RefittedProcess:
    """Predict y at rows that are left out, by a process with the parameters of another one.

    The predictions are linear in y, so any number of vectors y share one factor.

    Parameters
    ----------
    gp : GPModel
        The process whose parameters are taken.
    rows : GPData
        The rows, without copies merged.
    factor : array of shape (r, r)
        Cholesky factor of the covariance of y, or of the products of features.
    features : array of shape (r, n) or None
        Features of the approximation; None if the process is exact.
    kept : array of shape (n,)
        How much of the residual of a row remains since its own y is known.
    variance : array of shape (n,)
        Variance of the function at each row, given the others, in units of the process.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth import SmoothStart
    >>> from wgboost.smooth.gp_model import GPData, fit_gp
    >>> from wgboost.smooth.refitted_process import RefittedProcess
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> data = GPData.of(X, np.sin(X[:, 0]), None, None)
    >>> gp, _ = fit_gp(SmoothStart(), data, np.array([0]), np.random.default_rng(0))
    >>> refitted = RefittedProcess.of(gp, data, np.random.default_rng(0))
    >>> refitted.left_out(np.cos(X)).shape
    (40, 1)
    """

    gp: GPModel
    rows: GPData
    factor: Array
    features: Array | None
    kept: Array
    variance: Array

    @classmethod
    def of(cls, gp: GPModel, rows: GPData, rng: np.random.Generator) -> RefittedProcess:
        """Return the process of some rows.

        Parameters
        ----------
        gp : GPModel
            The process whose parameters are taken.
        rows : GPData
            The rows, without copies merged.
        rng : numpy.random.Generator
            Draws the rows that an approximation is based on.

        Returns
        -------
        RefittedProcess

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.smooth import SmoothStart
        >>> from wgboost.smooth.gp_model import GPData, fit_gp
        >>> from wgboost.smooth.refitted_process import RefittedProcess
        >>> X = np.linspace(0, 6, 40)[:, None]
        >>> data = GPData.of(X, np.sin(X[:, 0]), None, None)
        >>> gp, _ = fit_gp(SmoothStart(), data, np.array([0]), np.random.default_rng(0))
        >>> len(RefittedProcess.of(gp, data, np.random.default_rng(0)).variance)
        40
        """
        covariance, n = gp.covariance, len(rows.y)
        y, known = rows.standardised(gp.units)
        noise = (covariance.noise + known) / rows.weight
        n_points = len(gp.regression.points)
        with one_thread():
            if isinstance(gp.regression, ExactGP) or n <= n_points:
                factor = ExactGP.fit(covariance, rows.X, y, noise).factor
                own = inverse_diagonal(factor)
                return cls(gp, rows, factor, None, 1 / own, np.maximum(1 / own - noise, 0))
            places = np.sort(rng.permutation(n)[:n_points])
            weight = covariance.noise / noise
            sums = NystromSums.of(covariance, rows.X, y, weight, rows.X[places])
            process = sums.landmarks(covariance.noise)
            features = np.empty((len(process.coefficients), n))
            variance, kept = np.empty(n), np.empty(n)
            for some, block, left in process.features(covariance, rows.X):
                known_share = np.square(triangular_solve(process.factor, block)).sum(axis=0)
                others = 1 - np.minimum(weight[some] * known_share, _LARGEST_LEVERAGE)
                features[:, some], kept[some] = block, 1 / others
                variance[some] = left + covariance.noise * known_share / others
        return cls(gp, rows, process.factor, features, kept, variance)

    def left_out(self, y: Array) -> Array:
        """Return the predictions of each row by the others.

        Parameters
        ----------
        y : array of shape (n, k)
            Vectors that the process is fitted to.

        Returns
        -------
        array of shape (n, k)

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.smooth import SmoothStart
        >>> from wgboost.smooth.gp_model import GPData, fit_gp
        >>> from wgboost.smooth.refitted_process import RefittedProcess
        >>> X = np.linspace(0, 6, 40)[:, None]
        >>> data = GPData.of(X, np.sin(X[:, 0]), None, None)
        >>> gp, shift = fit_gp(SmoothStart(), data, np.array([0]), np.random.default_rng(0))
        >>> refitted = RefittedProcess.of(gp, data, np.random.default_rng(0))
        >>> bool(np.allclose(refitted.left_out(data.y[:, None])[:, 0], shift.location))
        True
        """
        units = self.gp.units
        standard = (y - units.shift) / units.scale
        with one_thread():
            if self.features is None:
                residual = self._solved(standard)
            else:
                weight = self.gp.covariance.noise / self._noise
                residual = standard - self.features.T @ self._solved(
                    self.features @ (weight[:, None] * standard)
                )
        found: Array = units.shift + units.scale * (standard - self.kept[:, None] * residual)
        return found

    @property
    def _noise(self) -> Array:
        known = self.rows.known / self.gp.units.scale**2
        noise: Array = (self.gp.covariance.noise + known) / self.rows.weight
        return noise

    def _solved(self, right: Array) -> Array:
        return triangular_solve(self.factor, triangular_solve(self.factor, right), transposed=True)

    def shift(self) -> LocationScaleShift:
        """Return location and scale of the rows, each given the others.

        Returns
        -------
        LocationScaleShift

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost.smooth import SmoothStart
        >>> from wgboost.smooth.gp_model import GPData, fit_gp
        >>> from wgboost.smooth.refitted_process import RefittedProcess
        >>> X = np.linspace(0, 6, 40)[:, None]
        >>> data = GPData.of(X, np.sin(X[:, 0]), None, None)
        >>> gp, shift = fit_gp(SmoothStart(), data, np.array([0]), np.random.default_rng(0))
        >>> again = RefittedProcess.of(gp, data, np.random.default_rng(0)).shift()
        >>> bool(np.allclose(again.log_scale, shift.log_scale))
        True
        """
        y, _ = self.rows.standardised(self.gp.units)
        units = self.gp.units
        location = self.left_out(units.restore(y)[:, None])[:, 0]
        log_scale = 0.5 * np.log(self.gp.scale.variance(self.variance)) + np.log(units.scale)
        return LocationScaleShift(location, log_scale)
