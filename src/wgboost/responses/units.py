"""Units in which y is standardised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.typing import Array
from wgboost.validation import format_value

__all__ = [
    "ColumnUnits",
    "Units",
    "mean_and_deviation",
    "mean_as_scale",
    "median_and_quartiles",
]


_CERTAIN = 0.026  # standardised deviation that a normal model of equal y predicts
_LARGEST = 1e300


@dataclass(frozen=True)
class Units:
    """Convert y between the user's units and standardised units.

    y = shift + scale * standardised y.

    Parameters
    ----------
    shift : float, default=0.0
        Value of y that is 0 in standardised units.
    scale : float, default=1.0
        Length of one standardised unit, > 0.

    Examples
    --------
    >>> from wgboost.responses import Units
    >>> units = Units(shift=10.0, scale=2.0)
    >>> float(units.standardise(14.0)), float(units.restore(2.0))
    (2.0, 14.0)
    """

    shift: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.shift) and np.isfinite(self.scale) and self.scale > 0):
            raise ValueError(
                f"shift={format_value(self.shift)} must be finite and "
                f"scale={format_value(self.scale)} finite and > 0"
            )

    def standardise(self, y: Array) -> Array:
        """Return y in standardised units.

        Parameters
        ----------
        y : array_like
            Values in the user's units.

        Returns
        -------
        array
            Values in standardised units, of the same shape.

        Examples
        --------
        >>> from wgboost.responses import Units
        >>> float(Units(10.0, 2.0).standardise(14.0))
        2.0
        """
        return (np.asarray(y) - self.shift) / self.scale

    def restore(self, y: Array) -> Array:
        """Return y in the user's units.

        Parameters
        ----------
        y : array_like
            Values in standardised units.

        Returns
        -------
        array
            Values in the user's units, of the same shape.

        Examples
        --------
        >>> from wgboost.responses import Units
        >>> float(Units(10.0, 2.0).restore(2.0))
        14.0
        """
        return self.shift + self.scale * np.asarray(y)


@dataclass(frozen=True, eq=False)
class ColumnUnits(Units):
    """Convert several columns of y between units.

    Parameters
    ----------
    shift : array_like of shape (q,)
        Value of each column that is 0 in standardised units.
    scale : array_like of shape (q,)
        Length of one standardised unit of each column, > 0.

    Examples
    --------
    >>> from wgboost.responses import ColumnUnits
    >>> ColumnUnits([0.0, 1.0], [1.0, 2.0]).restore([1.0, 1.0])
    array([1., 3.])
    """

    shift: Any
    scale: Any

    def __post_init__(self) -> None:
        each = [Units(*pair) for pair in zip(self.shift, self.scale, strict=True)]
        for name in ("shift", "scale"):
            values = np.array([getattr(one, name) for one in each], dtype=np.float64)
            values.flags.writeable = False  # the object is frozen
            object.__setattr__(self, name, values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnUnits):
            return NotImplemented
        return np.array_equal(self.shift, other.shift) and np.array_equal(self.scale, other.scale)

    def __hash__(self) -> int:
        return hash((self.shift.tobytes(), self.scale.tobytes()))

    @classmethod
    def joined(cls, columns: Sequence[Units]) -> ColumnUnits:
        """Join the units of single columns.

        Parameters
        ----------
        columns : sequence of Units
            Units of each column, in order.

        Returns
        -------
        ColumnUnits
            Units of all columns.

        Examples
        --------
        >>> from wgboost.responses import ColumnUnits, Units
        >>> ColumnUnits.joined([Units(), Units(1.0, 2.0)]).scale
        array([1., 2.])
        """
        return cls([one.shift for one in columns], [one.scale for one in columns])

    def __getitem__(self, j: int) -> Units:
        return Units(float(self.shift[j]), float(self.scale[j]))


def mean_and_deviation(y: Array, weight: Any = None) -> Units:
    """Return the weighted mean and population standard deviation of y, in float64.

    Rows of weight zero are ignored. If all other rows are equal, the shift is their value, and the
    scale is chosen so that a model of n such rows predicts a deviation of about max(1, |y|) / n.
    """
    values, share = _weighted_rows(y, weight)
    low, high = float(values.min()), float(values.max())
    if low == high:
        n = values.size if weight is None else max(1.0, float(np.sum(weight, dtype=np.float64)))
        return Units(low, min(max(1.0, abs(low)) / _CERTAIN / n, _LARGEST))
    # Relative to the middle of the range and in units of half of it, so that neither y + 1e8
    # nor y * 1e200 loses digits.
    middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    relative = (values - middle) / half if half > 0 else np.zeros_like(values)
    mean = float(share @ relative)
    deviation = float(np.sqrt(share @ (relative - mean) ** 2)) * half
    return Units(middle + mean * half, deviation if deviation > 0 else 1.0)


def median_and_quartiles(y: Array, weight: Any = None) -> Units:
    """Return the weighted median of y and its interquartile range / 1.35, in float64.

    For a normal y that is the standard deviation, but outliers do not affect it. If the quartiles
    are equal, the standard deviation replaces it.
    """
    spread = mean_and_deviation(y, weight)
    values, share = _weighted_rows(y, weight)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(share[order])
    places = np.searchsorted(reached, reached[-1] * np.array([0.25, 0.5, 0.75]))
    low, middle, high = values[order[places]]
    scale = high / 1.35 - low / 1.35
    return Units(float(middle), float(scale) if scale > 0 else spread.scale)


def mean_as_scale(y: Array, weight: Any = None) -> Units:
    """Return the weighted mean of y >= 0 as the scale, in float64; 1 if it is 0."""
    values, share = _weighted_rows(y, weight)
    largest = float(values.max())
    # Relative to the largest value: no overflow of the sum, no underflow of a small mean.
    mean = float(share @ (values / largest)) * largest if largest > 0 else 0.0
    return Units(0.0, mean if mean > 0 else 1.0)


def _weighted_rows(y: Array, weight: Any) -> tuple[Array, Array]:
    """Return y of the rows whose weight is not zero, and their shares of the weight."""
    values = np.asarray(y, dtype=np.float64)
    if weight is None:
        return values, np.full(values.shape, 1.0 / values.size)
    share = np.asarray(weight, dtype=np.float64)
    if share.shape != values.shape:
        raise ValueError(f"the weights have shape {share.shape}, y has {values.shape}")
    values, share = values[share > 0], share[share > 0]
    if values.size == 0:
        raise ValueError("all sample weights are zero; at least one must be positive")
    share = share / share.max()
    return values, share / share.sum()
