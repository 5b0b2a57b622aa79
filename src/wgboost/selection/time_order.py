"""Folds in the order of time: every model is trained on rows before its test rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgboost.typing import Array

__all__ = ["is_time_ordered"]


def is_time_ordered(splits: Sequence[tuple[Array, Array]]) -> bool:
    """Return whether no model is trained on rows that test itself or a later model.

    `TimeSeriesSplit` is such an order. K-fold splits are not, and neither is a single split.

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> is_time_ordered(list(TimeSeriesSplit(3).split(np.zeros((8, 1)))))
    True
    """
    if len(splits) < 2:
        return False
    later = np.empty(0, dtype=np.intp)
    for train, test in reversed(splits):
        later = np.union1d(later, test)
        if np.intersect1d(train, later).size:
            return False
    return True
