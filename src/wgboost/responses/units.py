"""The units in which a model sees y."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["ColumnUnits", "Units", "mean_and_deviation"]


@dataclass(frozen=True)
class Units:
    """y = shift + scale * standardised y.

    Parameters
    ----------
    shift, scale
        Origin and unit length; the scale is positive.
    """

    shift: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.shift) and np.isfinite(self.scale) and self.scale > 0):
            raise ValueError(
                f"shift={self.shift!r} must be finite and scale={self.scale!r} finite and > 0"
            )

    def standardise(self, y: Array) -> Array:
        """Return y of the user's units in standardised units."""
        return (np.asarray(y) - self.shift) / self.scale

    def restore(self, y: Array) -> Array:
        """Return y of standardised units in the user's units."""
        return self.shift + self.scale * np.asarray(y)


@dataclass(frozen=True, eq=False)
class ColumnUnits(Units):
    """Units of each column of y.

    Parameters
    ----------
    shift, scale
        One origin and one unit length for each column, (q,) both.
    """

    shift: Any
    scale: Any

    def __post_init__(self) -> None:
        each = [Units(*pair) for pair in zip(self.shift, self.scale, strict=True)]
        for name in ("shift", "scale"):
            values = np.array([getattr(one, name) for one in each], dtype=np.float64)
            values.flags.writeable = False  # the object is frozen, so is what it holds
            object.__setattr__(self, name, values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnUnits):
            return NotImplemented
        return np.array_equal(self.shift, other.shift) and np.array_equal(self.scale, other.scale)

    def __hash__(self) -> int:
        return hash((self.shift.tobytes(), self.scale.tobytes()))

    @classmethod
    def joined(cls, columns: Sequence[Units]) -> ColumnUnits:
        """Return the units of columns that have these."""
        return cls([one.shift for one in columns], [one.scale for one in columns])

    def __getitem__(self, j: int) -> Units:
        return Units(float(self.shift[j]), float(self.scale[j]))


def mean_and_deviation(y: Array, weight: Any = None) -> Units:
    """Return the weighted mean and population standard deviation of y, in float64.

    Rows of weight zero count for nothing. If all rows that count are equal, the shift is their
    value and the scale 1.
    """
    values = np.asarray(y, dtype=np.float64)
    if weight is None:
        share = np.full(values.shape, 1.0 / values.size)
    else:
        share = np.asarray(weight, dtype=np.float64)
        if share.shape != values.shape:
            raise ValueError(f"the weights have shape {share.shape}, y has {values.shape}")
        values, share = values[share > 0], share[share > 0]
        if values.size == 0:
            raise ValueError("all sample weights are zero; at least one row has to count")
        share = share / share.max()
        share = share / share.sum()
    low, high = float(values.min()), float(values.max())
    if low == high:
        return Units(low, 1.0)
    # Relative to the middle of the range and in units of half of it: neither y + 1e8 nor
    # y * 1e200 loses digits.
    middle, half = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low
    relative = (values - middle) / half if half > 0 else np.zeros_like(values)
    mean = float(share @ relative)
    deviation = float(np.sqrt(share @ (relative - mean) ** 2)) * half
    return Units(middle + mean * half, deviation if deviation > 0 else 1.0)
