"""Folds in the order of time: every model was trained on rows before those that judge it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgboost.typing import Array

__all__ = ["is_time_ordered"]


def is_time_ordered(splits: Sequence[tuple[Array, Array]]) -> bool:
    """Return whether no model is trained on rows that judge itself or a later one.

    That is so of `TimeSeriesSplit`, and of no folds that each row is in one of. A single split is
    none: there is no order in it.

    Parameters
    ----------
    splits : sequence of (train, test)
        Indices of rows to train on and of rows that judge.
    """
    if len(splits) < 2:
        return False
    later = np.empty(0, dtype=np.intp)
    for train, test in reversed(splits):
        later = np.union1d(later, test)
        if np.intersect1d(train, later).size:
            return False
    return True
