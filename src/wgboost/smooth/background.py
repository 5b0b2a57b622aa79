"""A smooth function of x with a scale: what boosting starts at and goes on from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.responses import LocationScaleShift, Units
from wgboost.responses.units import mean_and_deviation, median_and_quartiles
from wgboost.smooth.blas import one_thread
from wgboost.smooth.choosing import candidates
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.landmarks import Landmarks, Sums
from wgboost.smooth.process import Process, likely_noise
from wgboost.smooth.scale import Scale, constant_density
from wgboost.smooth.settings import SmoothStart
from wgboost.smooth.tuning import Sample
from wgboost.typing import Array

__all__ = ["Background", "SmoothRows", "distinct", "fit_background"]

_FEWEST = 10  # rows
_OUTLIER = 10.0  # spreads from the median: further out a y counts as if it were there
_SURE = 2.0  # standard errors by which the background has to be better than a constant


@dataclass(frozen=True, eq=False)
class SmoothRows:
    """Training rows as a smooth model sees them; all of them count."""

    X: Array  # (n, p)
    y: Array  # (n,)
    weight: Array  # (n,), as many in sum as rows of equal weight would say as much; a row of
    # weight 2 counts as it would if it were there twice
    known: Array  # (n,) variance of the error that y was measured with
    place: Array | None = None  # of every row that was given among these; None: they are these

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array | None, noise: Array | None) -> SmoothRows:
        """Return rows; noise (n,) is the standard deviation of that error.

        A row that is there again, its y too, is one row with the weight of all: left out beside a
        copy of itself, it would seem to be predicted without an error.
        """
        share: Array = np.ones(len(y)) if weight is None else weight.astype(np.float64)
        known = np.zeros(len(y)) if noise is None else np.square(noise)
        first, place = distinct(np.column_stack([X, y, known]))
        if len(first) == len(y):
            return cls(X, y, share * (share.sum() / np.square(share).sum()), known)
        share = np.bincount(place, weights=share)
        share *= share.sum() / np.square(share).sum()
        return cls(X[first], y[first], share, known[first], place)

    def of_given(self, shift: LocationScaleShift) -> LocationScaleShift:
        """Return what is known of these rows for the rows that were given."""
        if self.place is None:
            return shift
        return LocationScaleShift(shift.location[self.place], shift.log_scale[self.place])

    def units(self) -> Units:
        """Return the units in which y has mean 0 and deviation 1, outliers drawn in."""
        return mean_and_deviation(self._drawn_in(), self.weight)

    def seen(self, units: Units) -> tuple[Array, Array]:
        """Return y and the variance of its error in these units, outliers drawn in."""
        return units.standardise(self._drawn_in()), self.known / units.scale**2

    def _drawn_in(self) -> Array:
        middle = median_and_quartiles(self.y, self.weight)
        far = _OUTLIER * middle.scale
        return np.clip(self.y, middle.shift - far, middle.shift + far)


@dataclass(frozen=True, eq=False)
class Background:
    """The location and the scale of y at x: a smooth function, and what it leaves."""

    covariance: Covariance
    regression: Process | Landmarks
    units: Units  # in which the regression has seen y
    scale: Scale

    def at(self, X: Array) -> LocationScaleShift:
        """Return location and scale at new rows."""
        with one_thread():
            return self._shift(*self.regression.at(self.covariance, X))

    def unsure(self, shift: LocationScaleShift) -> Array:
        """Return the variance (n,) of the function where it is this, in units of y's there."""
        variance = np.exp(2 * (shift.log_scale - np.log(self.units.scale)))
        share: Array = np.clip(1 - self.scale.noise / variance, 0, 1)
        return share

    def left_out(self, rows: SmoothRows) -> LocationScaleShift:
        """Return location and scale at each training row, given the others."""
        with one_thread():
            return rows.of_given(self._shift(*_left_out(self, rows)))

    def _shift(self, mean: Array, of_f: Array) -> LocationScaleShift:
        log_scale = 0.5 * np.log(self.scale.variance(of_f)) + np.log(self.units.scale)
        return LocationScaleShift(self.units.restore(mean), log_scale)

    def check(self, n_features: int) -> None:
        """Raise ValueError unless a background from a file can be used."""
        kinds: list[tuple[Any, tuple[type, ...]]] = [
            (self.covariance, (Covariance,)), (self.regression, (Process, Landmarks)),
            (self.units, (Units,)), (self.scale, (Scale,)),
        ]  # fmt: skip
        for part, allowed in kinds:
            if type(part) not in allowed:  # ColumnUnits are Units, too
                raise ValueError(f"the smooth start has a {type(part).__name__} out of place")
        if not all(type(value) is float for value in (self.units.shift, self.units.scale)):
            raise ValueError("the units of the smooth start are not numbers")
        self.covariance.check(n_features)
        self.regression.check(len(self.covariance.columns))
        for name, value in (("noise", self.scale.noise), ("share", self.scale.share)):
            if not (isinstance(value, float) and 0 < value < np.inf):
                raise ValueError(f"the {name} of the smooth start is no positive number")


def distinct(table: Array) -> tuple[Array, Array]:
    """Return where the distinct rows of a table stand first, in order, and which each row is."""
    # As bytes: NaN is equal to NaN then, and -0 + 0 is 0.
    rows = np.ascontiguousarray(np.where(np.isnan(table), np.nan, table + 0.0))
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[place.ravel()]


def fit_background(
    settings: SmoothStart,
    rows: SmoothRows,
    n_levels: Array,
    rng: np.random.Generator,
    like: Background | None = None,
) -> tuple[Background, LocationScaleShift] | None:
    """Return the background, and what it is at training rows that were left out.

    None if a constant predicts those as well. n_levels (p,) are the levels of categories, 0 for
    numbers. With `like` columns, kernel and lengths are those of another background, found on some
    of the rows.
    """
    if len(rows.y) < _FEWEST or (rows.y == rows.y[0]).all():
        return None
    units = rows.units()
    with one_thread():
        if like is None:
            columns = Columns.fit(rows.X, n_levels)
            if not len(columns):
                return None
            sample = Sample(columns, rows.X, *rows.seen(units), rows.weight)
            tried = candidates(settings, sample, rng)
        else:
            tried = [like.covariance]
        places = np.sort(rng.permutation(len(rows.y))[: settings.landmarks])
        best: tuple[Background, LocationScaleShift] | None = None
        most = 0.0
        y, known = rows.seen(units)
        constant = constant_density(y, rows.weight, known)
        for covariance in tried:
            found = _regression(settings, covariance, rows, units, places)
            mean, of_f = _left_out(found, rows)
            scale = found.scale.fitted(y - mean, of_f, rows.weight, known)
            gains = scale.log_density(y - mean, of_f, known) - constant
            gain = float(np.average(gains, weights=rows.weight))
            error = np.linalg.norm(rows.weight * (gains - gain)) / rows.weight.sum()
            if gain > max(most, _SURE * error):
                found, most = replace(found, scale=scale), gain
                best = found, rows.of_given(found._shift(mean, of_f))
    return best


def _left_out(background: Background, rows: SmoothRows) -> tuple[Array, Array]:
    """Return mean and variance of the function at each training row, given the others."""
    y, known = rows.seen(background.units)
    covariance = background.covariance
    noise = (covariance.noise + known) / rows.weight
    return background.regression.left_out(covariance, rows.X, y, noise)


def _regression(
    settings: SmoothStart, covariance: Covariance, rows: SmoothRows, units: Units,
    places: Array,
) -> Background:  # fmt: skip
    """Return the background with the scale that the regression believes in."""
    (y, known), n = rows.seen(units), len(rows.y)
    # More rows than tuning looked at may explain more: less is noise then. Errors that are
    # known of each row do not change with it.
    again = n > settings.tuning_rows and not known.any()
    regression: Process | Landmarks
    if n <= settings.exact_rows:
        if again:
            covariance = covariance.with_noise(likely_noise(covariance, rows.X, y, rows.weight))
        regression = Process.fit(covariance, rows.X, y, (covariance.noise + known) / rows.weight)
    else:
        weight = rows.weight * covariance.noise / (covariance.noise + known)
        sums = Sums.of(covariance, rows.X, y, weight, rows.X[places])
        if again:
            covariance = covariance.with_noise(sums.likely_noise(covariance.noise))
        regression = sums.landmarks(covariance.noise)
    return Background(covariance, regression, units, Scale(covariance.noise, 1.0))
