"""Folds of rows: which rows a model is trained on and which it is tested on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from wgboost.data.rows import count_rows
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["check_row_counts", "check_splits", "count_groups", "split_folds"]


def check_row_counts(X: Any, y: Any) -> int:
    """Return the number of rows of X and y; raise ValueError if they differ."""
    if y is None:
        raise ValueError("a model requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise TypeError(f"y={y!r} is text; give the values of the column")
    n = count_rows(X)
    if count_rows(y) != n:
        raise ValueError(f"X has {n} rows, y has {count_rows(y)}")
    return n


def split_folds(
    estimator: BaseEstimator, cv: Any, n: int, y: Any, groups: Any, random_state: Any,
    *, stratified: bool = True,
) -> Iterator[tuple[Array, Array]]:  # fmt: skip
    """Yield training and test indices; the parameters are those of `out_of_fold`."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        splits = cv.split(np.zeros(n), np.asarray(y), groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        splits = _pairs(cv)
    else:
        check_integer("cv", cv, low=2)
        if cv > n:
            raise ValueError(f"cv={cv} folds of n_samples={n}; give fewer folds, or more rows")
        shared = stratified and is_classifier(estimator) and _largest_class(y) >= cv
        kind: Any = StratifiedKFold if shared else KFold
        if groups is not None:
            kind, n_groups = GroupKFold, count_groups(groups, n)
            if cv > n_groups:
                raise ValueError(
                    f"cv={cv} folds of {n_groups} groups; give fewer folds, or leave groups out"
                )
        settings: dict[str, Any] = {"shuffle": True, "random_state": random_state}
        with warnings.catch_warnings():
            # A class that is missing from the training rows of a fold has probability 0 there.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = iter(list(kind(cv, **settings).split(np.zeros(n), np.asarray(y), groups)))
    for i, (train, test) in enumerate(splits):
        yield _indices(train, n, i), _indices(test, n, i)


def _largest_class(y: Any) -> int:
    """Return the number of rows of the most frequent class."""
    return int(np.unique(np.asarray(y), return_counts=True)[1].max())


def check_splits(splits: Sequence[tuple[Array, Array]], cv: Any) -> None:
    """Raise ValueError unless every fold has training rows and other test rows."""
    if not splits:
        raise ValueError(f"cv={cv!r} has no folds; at least one is needed")
    for i, (train, test) in enumerate(splits):
        both = np.intersect1d(train, test).size
        if not train.size or not test.size or both:
            raise ValueError(
                f"fold {i} of cv={cv!r} has {train.size} training rows, {test.size} test rows and "
                f"{both} rows in both; training and test rows must be disjoint and not empty"
            )


def _pairs(cv: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for i, one in enumerate(cv):
        if not isinstance(one, (tuple, list)) or len(one) != 2:
            raise TypeError(
                f"fold {i} of cv is {one!r}; a pair (training rows, test rows) is needed"
            )
        yield one[0], one[1]


def count_groups(groups: Any, n: int) -> int:
    """Return the number of different groups of n rows."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups have shape {labels.shape}; ({n},) is needed")
    try:
        return np.unique(labels).size
    except TypeError as error:
        raise TypeError(f"groups cannot be sorted: {error}; use labels of one type") from error


def _indices(rows: Any, n: int, fold: int) -> Array:
    """Return the indices of rows, which may be a mask."""
    given = np.asarray(rows)
    if given.dtype.kind == "b":
        if given.shape != (n,):
            raise ValueError(
                f"fold {fold} of cv has a mask of shape {given.shape}; ({n},) is needed"
            )
        return np.flatnonzero(given)
    if given.size == 0:
        return np.zeros(0, dtype=np.intp)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise TypeError(
            f"fold {fold} of cv has rows of dtype {given.dtype} and shape {given.shape}; give "
            "a list of integers or a boolean mask"
        )
    outside = (given < -n) | (given >= n)
    if outside.any():
        raise ValueError(
            f"fold {fold} of cv has the row {given[outside][0]}; there are {n}, 0 to {n - 1}"
        )
    return np.where(given < 0, given + n, given).astype(np.intp)
