"""Folds of a bag: rows to train on and rows to validate with, for each member."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wgboost.folds.splitting import check_splits, count_groups, split_folds
from wgboost.selection.spec import Member
from wgboost.training.posterior_data import PosteriorData
from wgboost.typing import Array

__all__ = ["bag_folds", "is_time_ordered"]

_SMALL = 2000  # rows
_FOLDS = 10, 5  # below this many rows, and from there on


def bag_folds(
    estimator: Member, cv: Any, data: PosteriorData, groups: Any, seed: int
) -> list[tuple[Array, Array]]:
    """Return the rows to train on and to validate with for every fold.

    Rows of weight zero are in no fold. A number as `cv` makes folds of groups, or of distinct rows
    with all their copies.
    """
    counted, units = data.counted, data.to_split
    if groups is not None:
        groups = np.asarray(groups)
        count_groups(groups, len(data))
    if cv is None:
        n = len(units) if groups is None else count_groups(groups[counted], counted.size)
        cv = max(2, min(_FOLDS[len(units) >= _SMALL], n))
    y = np.asarray(data.y)
    if groups is None and not isinstance(cv, Iterable) and not hasattr(cv, "split"):
        found = split_folds(estimator, cv, len(units), y[units.first], None, seed)
        splits = [(units.rows_of(train), units.rows_of(test)) for train, test in found]
        check_splits(splits, cv)
        return splits
    listed = isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")
    every = np.arange(len(data)) if listed else counted
    some = None if groups is None else groups[every]
    found = split_folds(estimator, cv, every.size, y[every], some, seed)
    splits = [(every[train], every[test]) for train, test in found]
    splits = [tuple(np.intersect1d(part, counted) for part in one) for one in splits]  # type: ignore[misc]
    check_splits(splits, cv)
    return splits


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
