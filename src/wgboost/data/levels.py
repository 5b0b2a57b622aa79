"""The levels of categorical columns and their codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wgboost.data.binning import MAX_BINS
from wgboost.data.frames import Column
from wgboost.typing import Array

__all__ = ["Levels"]

_EXACT = 2.0**53  # integers below are exact


@dataclass(frozen=True)
class Levels:
    """Levels of a categorical column and their codes 0, 1, ..., n_codes - 1.

    If there are more than 255 levels, the 254 most frequent have the first codes. Trees group the
    others; see `LevelGroups`. In models of earlier versions these share the code 254.
    """

    values: tuple[str, ...] | tuple[float, ...]  # ascending
    codes: tuple[int, ...]

    @classmethod
    def find(cls, column: Column, weight: Array | None) -> Levels:
        """Return the levels of rows of positive weight. Weights decide which levels are rare."""
        there = ~column.missing if weight is None else ~column.missing & (weight > 0)
        values, which = np.unique(_decimal(column.values[there]), return_inverse=True)
        if values.dtype != object and values.size and np.abs(values).max() >= _EXACT:
            raise ValueError(
                f"a category is the number {np.abs(values).max():.0f}, and from 2^53 on numbers "
                "that differ may look equal; give such categories as text"
            )
        codes = np.arange(len(values))
        if len(values) > MAX_BINS:
            mass = np.bincount(which, None if weight is None else weight[there])
            rare = np.sort(np.argsort(-mass, kind="stable")[MAX_BINS - 1 :])
            codes -= np.searchsorted(rare, codes)
            codes[rare] = np.arange(MAX_BINS - 1, len(values))
        return cls(tuple(values.tolist()), tuple(codes.tolist()))

    @property
    def n_codes(self) -> int:
        """Number of codes, at least 1."""
        return max(self.codes, default=0) + 1

    @cached_property
    def text(self) -> bool:
        """Whether levels are text. False for a column without values."""
        return any(isinstance(value, str) for value in self.values)

    @cached_property
    def _code_of(self) -> dict[str | float, float]:
        return dict(zip(self.values, map(float, self.codes), strict=True))

    def encode(self, values: Array) -> Array:
        """Return codes as floats (n,), NaN for unknown levels and missing values."""
        if values.dtype == object:
            codes = self._code_of
            return np.array([codes.get(value, np.nan) for value in values], dtype=np.float64)
        if not self.values or self.text:  # only missing values
            return np.full(len(values), np.nan)
        levels, values = np.asarray(self.values, dtype=np.float64), _decimal(values)
        at = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
        return np.where(levels[at] == values, np.asarray(self.codes, dtype=np.float64)[at], np.nan)


def _decimal(values: Array) -> Array:
    """Return numbers as float64 of the same decimals, so that 0.1 is the same in float32."""
    if values.dtype != np.float32:
        return values
    unique, which = np.unique(values, return_inverse=True)
    return np.array([float(str(one)) for one in unique], dtype=np.float64)[which]
