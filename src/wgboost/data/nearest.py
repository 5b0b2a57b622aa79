"""Distances to the nearest training row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wgboost import _core
from wgboost.typing import Array

__all__ = ["NearestRows"]

_CELLS = 1_000_000  # at most this many values are kept
_ROWS = 1000
_MISMATCH = 0.5  # distance of two categories, and of a missing value from others
_FAR = 1e6  # bound of a coordinate
_LINEAR = 0.3  # weight of the value in units of the spread, added to its rank
_RIDGE = 0.2  # least share of correlations that stays in coordinates
_SAME = 1e-5  # largest distance of a row from itself, rounded


@dataclass(frozen=True, eq=False)
class NearestRows:
    """Measure the distance of rows to the nearest of some training rows.

    The coordinate of a number is the share of training rows below it, plus 0.3 times the number in
    units of the spread of the feature, plus how far it is beyond the training data in these units.
    Most of the correlation between coordinates is then taken out, so that rows are far apart if
    they differ where other rows go together. The distance is the sum of the differences of
    coordinates, where different categories differ by 1/2. A missing value is in the middle of the
    others, and differs from them by another 1/2.

    Parameters
    ----------
    rows : array of shape (r, p)
        Training rows, float32: numbers less `low` in units of `spread`, codes of categories.
    low, high : arrays of shape (p,)
        Smallest and largest training value; infinite for categories.
    spread : array of shape (p,)
        Unit of each feature.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.data.nearest import NearestRows
    >>> low, high, spread = np.array([[0.0], [3.0], [1.0]])
    >>> known = NearestRows.of(np.array([[0.0], [1.0], [2.0], [3.0]]), low, high, spread)
    >>> known.distances(np.array([[1.0], [1.5], [5.0]])).round(3)
    array([0.   , 0.275, 2.725])
    """

    rows: Array  # (r, p) float32
    low: Array  # (p,)
    high: Array  # (p,)
    spread: Array  # (p,)

    @staticmethod
    def choose(X: Array) -> Array:
        """Return the rows of X (n, p) that are kept: all of them, or every k-th if there are many.

        They are at most 1,000 rows and 1,000,000 values.
        """
        most = max(1, min(_ROWS, _CELLS // max(1, X.shape[1])))
        return X[:: max(1, -(-len(X) // most))]

    @classmethod
    def of(cls, X: Array, low: Array, high: Array, spread: Array) -> NearestRows:
        """Keep training rows.

        Parameters
        ----------
        X : array of shape (r, p)
            Raw features, with codes of categories.
        low, high, spread : arrays of shape (p,)
            Range and unit of each feature.

        Returns
        -------
        NearestRows
            The rows.
        """
        none = cls(np.empty((0, X.shape[1]), np.float32), low, high, spread)
        return cls(none._scaled(X), low, high, spread)

    def distances(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return the distance of each row to the nearest training row.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features, with codes of categories.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        array of shape (n,)
            The distances, float64.
        """
        rows = self._scaled(np.asarray(X))
        return self._nearest(self._coordinates(rows), n_threads)[:, 0]

    def left_out(self, X: Any, *, n_threads: int = 1) -> Array:
        """Return the distance of training rows to the nearest other training row.

        They are nearly what distances would be if the row were new: it does not count for the
        shares below other rows, nor for the smallest and the largest value. It does for
        correlations.

        Parameters
        ----------
        X : array of shape (n, p)
            Raw features of training rows, with codes of categories.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        array of shape (n,)
            The distances, float64; infinite without another row.
        """
        rows = self._scaled(np.asarray(X))
        distances = self._nearest(self._coordinates(rows), n_threads)[:, 0]
        kept = distances < _SAME
        excess = self._excess(rows[kept])
        # Without the row, it is closer to others by half a row.
        half = np.array([0.5 / max(1, len(one)) for one in self._sorted], np.float32)
        shrink = np.where(self._categorical, np.float32(0), half)
        if self._mixing is not None:
            shrink[~self._categorical] *= np.diag(self._mixing)
        found = self._nearest(self._coordinates(rows[kept]) + excess, n_threads, shrink)
        own = np.maximum(np.abs(self._mixed(excess)) - shrink, 0).sum(axis=1)
        distances[kept] = np.where(found[:, 0] < own - _SAME, found[:, 0], found[:, 1])
        return distances

    def _excess(self, rows: Array) -> Array:
        """Return how far rows (n, p) that hold the largest or smallest value are beyond others."""
        out = np.zeros_like(rows)
        for f in np.flatnonzero(~self._categorical):
            known = self._sorted[f]
            if len(known) < 2:
                continue
            top = rows[:, f] == known[-1]
            out[top, f] = min(float(known[-1]) - float(known[-2]), _FAR)
            bottom = rows[:, f] == known[0]
            out[bottom, f] -= min(float(known[1]) - float(known[0]), _FAR)
        return out

    @cached_property
    def _sorted(self) -> list[Array]:
        """The values of each feature that are not missing, ascending."""
        return [np.sort(column[~np.isnan(column)]) for column in self.rows.T]

    def _middle(self) -> Array:
        """Return the coordinates (p,) in the middle of the training rows."""
        medians = [np.median(known) if known.size else 0.0 for known in self._sorted]
        middle: Array = np.clip(0.5 + _LINEAR * np.array(medians), -_FAR, _FAR).astype(np.float32)
        return middle

    @property
    def _categorical(self) -> Array:
        categorical: Array = self.low == -np.inf
        return categorical

    def _scaled(self, X: Array) -> Array:
        """Return rows (n, p) in the units of `rows`."""
        numeric = ~self._categorical & np.isfinite(self.low)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = X / np.where(numeric, self.spread, 1.0)
            scaled -= np.where(numeric, self.low / self.spread, 0.0)
        out: Array = np.clip(scaled, -1e30, 1e30).astype(np.float32)
        return out

    def _coordinates(self, rows: Array) -> Array:
        """Return coordinates (n, p) of scaled rows; missing values stay nan."""
        out = np.array(rows)
        with np.errstate(over="ignore", invalid="ignore"):  # infinite values are allowed
            top = (self.high - self.low) / self.spread
        for f in np.flatnonzero(~self._categorical):
            x, known = rows[:, f].astype(np.float64), self._sorted[f]
            below = np.searchsorted(known, rows[:, f]) + np.searchsorted(known, rows[:, f], "right")
            share = below / max(1, 2 * len(known))
            beyond = np.fmax(x - top[f], 0) + np.minimum(x, 0)
            place = share + np.where(np.isfinite(beyond), beyond, 0.0) + _LINEAR * x
            out[:, f] = np.where(np.isnan(x), np.nan, np.clip(place, -_FAR, _FAR))
        return out

    @cached_property
    def _filled(self) -> Array:
        """The coordinates (r, p) of training rows; missing ones are in the middle."""
        return self._complete(self._coordinates(self.rows))

    @cached_property
    def _mixing(self) -> Array | None:
        """The matrix (q, q) that takes correlation out of the coordinates of q numbers.

        Correlations of the training rows are shrunk by a fifth, or by the number of features over
        that of rows if this is more; None if nothing is left. Features keep their deviations.
        """
        r, q = len(self.rows), np.count_nonzero(~self._categorical)
        ridge = max(_RIDGE, q / max(1, r))
        if q < 2 or ridge >= 1:
            return None
        points = self._filled[:, ~self._categorical].astype(np.float64)
        deviation = points.std(axis=0)
        deviation[deviation == 0] = 1.0
        unit = (points - points.mean(axis=0)) / deviation
        shrunk = (1 - ridge) * (unit.T @ unit) / r
        np.fill_diagonal(shrunk, 1.0)
        values, axes = np.linalg.eigh(shrunk)
        mixing: Array = (axes / np.sqrt(values)) @ axes.T * deviation / deviation[:, None]
        return mixing

    def _mixed(self, places: Array) -> Array:
        """Return coordinates, or differences of them, (n, p) without most of their correlation."""
        if self._mixing is None:
            return places
        out, numbers = np.array(places, np.float32), ~self._categorical
        out[:, numbers] = places[:, numbers].astype(np.float64) @ self._mixing
        return out

    def _complete(self, places: Array) -> Array:
        """Return coordinates (n, p) with the middle of a feature where values are missing."""
        middle = np.where(self._categorical, np.float32(-1), self._middle())
        return np.where(np.isnan(places), middle, places)

    def _nearest(self, places: Array, n_threads: int, shrink: Array | None = None) -> Array:
        """Return the two smallest distances (n, 2) of rows with coordinates (n, p)."""
        points, categorical = self._coordinates(self.rows), self._categorical
        gaps = np.isnan(points).any(axis=0) | np.isnan(places).any(axis=0)
        marked = np.flatnonzero(gaps & ~categorical)
        none = np.zeros(len(marked), np.float32)
        shrink = np.zeros(len(categorical), np.float32) if shrink is None else shrink

        def mixed(values: Array) -> Array:
            """Take correlation out, and say in further columns where values are missing."""
            marks = _MISMATCH * np.isnan(values)[:, marked]
            return np.hstack([self._mixed(self._complete(values)), marks]).astype(np.float32)

        found: Array = _core.nearest_distances(
            points=np.ascontiguousarray(mixed(points).T),
            rows=np.ascontiguousarray(mixed(places)),  # columns of X may be contiguous
            categorical=np.r_[categorical, none].astype(np.uint8),
            shrink=np.r_[shrink, none].astype(np.float32),
            mismatch=_MISMATCH, n_threads=n_threads,
        )  # fmt: skip
        return found.astype(np.float64)
