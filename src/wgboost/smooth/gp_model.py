"""A Gaussian process with its scale, at which boosting starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.responses import Units
from wgboost.responses.location_scale_shift import LocationScaleShift
from wgboost.responses.units import mean_and_deviation, median_and_quartiles
from wgboost.smooth.blas import one_thread
from wgboost.smooth.candidates import candidate_covariances
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP, most_likely_noise
from wgboost.smooth.nystrom_gp import NystromGP, NystromSums
from wgboost.smooth.scale import Scale, constant_density
from wgboost.smooth.settings import SmoothStart
from wgboost.smooth.tuning import Sample
from wgboost.typing import Array

__all__ = ["GPData", "GPModel", "distinct", "fit_gp"]

_MIN_ROWS = 10  # rows
_MAX_SPREADS = 10.0  # y is clipped at this distance from the median
_N_STANDARD_ERRORS = 2.0  # by which the process must be better than a constant


@dataclass(frozen=True, eq=False)
class GPData:
    """Training rows of a Gaussian process, with copies merged.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth.gp_model import GPData
    >>> data = GPData.of(np.array([[0.0], [1.0], [1.0]]), np.array([0.0, 2.0, 2.0]), None, None)
    >>> data.y
    array([0., 2.])
    """

    X: Array  # (n, p)
    y: Array  # (n,)
    weight: Array  # (n,), the sum is the effective number of rows; weight 2 is the row twice
    known: Array  # (n,) variance of the known error of y
    place: Array | None = None  # index among these of each row that was given; None: no copies

    @classmethod
    def of(
        cls, X: Array, y: Array, weight: Array | None, noise: Array | None, *, merge: bool = True
    ) -> GPData:
        """Return the rows X (n, p) with y (n,), with copies merged.

        `weight` (n,) are sample weights, `noise` (n,) is the standard deviation of the known error
        of y. Equal rows with the same y become one row with the weight of all: a left-out row with
        a copy in the data would seem to be predicted without an error. `merge=False` keeps them.
        """
        share: Array = np.ones(len(y)) if weight is None else weight.astype(np.float64)
        known = np.zeros(len(y)) if noise is None else np.square(noise)
        first, place = distinct(np.column_stack([X, y, known])) if merge else (y, None)
        if place is None or len(first) == len(y):
            return cls(X, y, share * (share.sum() / np.square(share).sum()), known)
        share = np.bincount(place, weights=share)
        share *= share.sum() / np.square(share).sum()
        return cls(X[first], y[first], share, known[first], place)

    def expand(self, shift: LocationScaleShift) -> LocationScaleShift:
        """Return location and scale of all given rows from those of the distinct rows."""
        if self.place is None:
            return shift
        return LocationScaleShift(shift.location[self.place], shift.log_scale[self.place])

    def units(self) -> Units:
        """Return the units in which y has mean 0 and deviation 1, with outliers clipped."""
        return mean_and_deviation(self._clipped(), self.weight)

    def standardised(self, units: Units) -> tuple[Array, Array]:
        """Return y and the variance of its known error (n,) in units, with outliers clipped."""
        return units.standardise(self._clipped()), self.known / units.scale**2

    def _clipped(self) -> Array:
        middle = median_and_quartiles(self.y, self.weight)
        far = _MAX_SPREADS * middle.scale
        return np.clip(self.y, middle.shift - far, middle.shift + far)


@dataclass(frozen=True, eq=False)
class GPModel:
    """Location and scale of y as smooth functions of x.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.smooth import SmoothStart
    >>> from wgboost.smooth.gp_model import GPData, fit_gp
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> data = GPData.of(X, np.sin(X[:, 0]), None, None)
    >>> gp, shift = fit_gp(SmoothStart(), data, np.zeros(1, dtype=int), np.random.default_rng(0))
    >>> bool(np.abs(gp.at(X).location - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    covariance: Covariance
    regression: ExactGP | NystromGP
    units: Units  # units of y in the regression
    scale: Scale

    def at(self, X: Array) -> LocationScaleShift:
        """Return location and scale at new rows X (n, p)."""
        with one_thread():
            return self._shift(*self.regression.at(self.covariance, X))

    def epistemic_share(self, shift: LocationScaleShift) -> Array:
        """Return the variance of the function as a share (n,) of the variance of y."""
        variance = np.exp(2 * (shift.log_scale - np.log(self.units.scale)))
        share: Array = np.clip(1 - self.scale.noise / variance, 0, 1)
        return share

    def function_variance(self, shift: LocationScaleShift) -> Array:
        """Return the variance (n,) of the function, in squared units of y."""
        variance: Array = self.epistemic_share(shift) * np.exp(2 * shift.log_scale)
        return variance

    def leave_one_out(self, rows: GPData) -> LocationScaleShift:
        """Return location and scale at each training row, given the others."""
        with one_thread():
            return rows.expand(self._shift(*_leave_one_out(self, rows)))

    def _shift(self, mean: Array, f_variance: Array) -> LocationScaleShift:
        log_scale = 0.5 * np.log(self.scale.variance(f_variance)) + np.log(self.units.scale)
        return LocationScaleShift(self.units.restore(mean), log_scale)

    def check(self, n_features: int) -> None:
        """Raise ValueError unless a process from a file can be used with so many features."""
        kinds: list[tuple[Any, tuple[type, ...]]] = [
            (self.covariance, (Covariance,)), (self.regression, (ExactGP, NystromGP)),
            (self.units, (Units,)), (self.scale, (Scale,)),
        ]  # fmt: skip
        for part, allowed in kinds:
            if type(part) not in allowed:  # ColumnUnits are Units, too
                raise ValueError(f"the smooth start has an unexpected {type(part).__name__}")
        if not all(type(value) is float for value in (self.units.shift, self.units.scale)):
            raise ValueError("the units of the smooth start are not numbers")
        self.covariance.check(n_features)
        self.regression.check(len(self.covariance.columns))
        for name, value in (("noise", self.scale.noise), ("share", self.scale.share)):
            if not (isinstance(value, float) and 0 < value < np.inf):
                raise ValueError(f"the {name} of the smooth start is not a positive number")


def distinct(table: Array) -> tuple[Array, Array]:
    """Return the indices of the distinct rows of a table, in order, and the one of each row."""
    # Rows are compared as bytes: NaN equals NaN there, and -0 + 0 is 0.
    rows = np.ascontiguousarray(np.where(np.isnan(table), np.nan, table + 0.0))
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[place.ravel()]


def fit_gp(
    settings: SmoothStart,
    rows: GPData,
    n_levels: Array,
    rng: np.random.Generator,
    like: GPModel | None = None,
) -> tuple[GPModel, LocationScaleShift] | None:
    """Fit a Gaussian process with its scale.

    Parameters
    ----------
    settings : SmoothStart
        Settings of the process.
    rows : GPData
        Training rows.
    n_levels : array (p,)
        Number of levels of categorical features, 0 for numeric ones.
    rng : numpy.random.Generator
        Source of the draws of rows.
    like : GPModel or None, default=None
        A process whose columns, kernel and lengths are taken over.

    Returns
    -------
    tuple of (GPModel, LocationScaleShift) or None
        The process, and its leave-one-out location and scale at the training rows. None if a
        constant predicts left-out rows as well.
    """
    if len(rows.y) < _MIN_ROWS or (rows.y == rows.y[0]).all():
        return None
    units = rows.units()
    with one_thread():
        if like is None:
            columns = Columns.fit(rows.X, n_levels)
            if not len(columns):
                return None
            sample = Sample(columns, rows.X, *rows.standardised(units), rows.weight)
            tried = candidate_covariances(settings, sample, rng)
        else:
            tried = [like.covariance]
        places = np.sort(rng.permutation(len(rows.y))[: settings.landmarks])
        best: tuple[GPModel, LocationScaleShift] | None = None
        most = 0.0
        y, known = rows.standardised(units)
        constant = constant_density(y, rows.weight, known)
        for covariance in tried:
            found = _regression(settings, covariance, rows, units, places)
            mean, f_variance = _leave_one_out(found, rows)
            scale = found.scale.fitted(y - mean, f_variance, rows.weight, known)
            gains = scale.log_density(y - mean, f_variance, known) - constant
            gain = float(np.average(gains, weights=rows.weight))
            error = np.linalg.norm(rows.weight * (gains - gain)) / rows.weight.sum()
            if gain > max(most, _N_STANDARD_ERRORS * error):
                found, most = replace(found, scale=scale), gain
                best = found, rows.expand(found._shift(mean, f_variance))
    return best


def _leave_one_out(gp: GPModel, rows: GPData) -> tuple[Array, Array]:
    """Return mean and variance of the function at each training row, given the others."""
    y, known = rows.standardised(gp.units)
    covariance = gp.covariance
    noise = (covariance.noise + known) / rows.weight
    return gp.regression.leave_one_out(covariance, rows.X, y, noise)


def _regression(
    settings: SmoothStart, covariance: Covariance, rows: GPData, units: Units,
    places: Array,
) -> GPModel:  # fmt: skip
    """Return the process with the scale of its own noise."""
    (y, known), n = rows.standardised(units), len(rows.y)
    # With more rows than in tuning, the process may explain more, and the noise is smaller. Known
    # errors of rows do not change.
    again = n > settings.tuning_rows and not known.any()
    regression: ExactGP | NystromGP
    if n <= settings.exact_rows:
        if again:
            covariance = covariance.with_noise(
                most_likely_noise(covariance, rows.X, y, rows.weight)
            )
        regression = ExactGP.fit(covariance, rows.X, y, (covariance.noise + known) / rows.weight)
    else:
        weight = rows.weight * covariance.noise / (covariance.noise + known)
        sums = NystromSums.of(covariance, rows.X, y, weight, rows.X[places])
        if again:
            covariance = covariance.with_noise(sums.most_likely_noise(covariance.noise))
        regression = sums.landmarks(covariance.noise)
    return GPModel(covariance, regression, units, Scale(covariance.noise, 1.0))
