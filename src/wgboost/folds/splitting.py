"""Folds of rows: which rows a model is trained on and which it is tested on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from wgboost.data.rows import count_rows
from wgboost.typing import Array
from wgboost.validation import check_integer

__all__ = ["check_splits", "checked_rows", "count_groups", "split_folds"]


def checked_rows(X: Any, y: Any) -> int:
    """Return the number of rows of X and y; raise if they have not the same."""
    if y is None:
        raise ValueError("a model requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise TypeError(f"y={y!r} is text; rows are taken of y, so give the column itself")
    n = count_rows(X)
    if count_rows(y) != n:
        raise ValueError(f"X has {n} rows, y has {count_rows(y)}")
    return n


def _sizes(y: Any) -> Array:
    """Return the number of rows of each class."""
    return np.unique(np.asarray(y), return_counts=True)[1]


def split_folds(
    estimator: Any, cv: Any, n: int, y: Any, groups: Any, random_state: Any,
    *, stratified: bool = True,
) -> Iterator[tuple[Array, Array]]:  # fmt: skip
    """Yield indices of the rows to train and to test on.

    Parameters
    ----------
    estimator : estimator
        Folds of a classifier are stratified.
    cv : int, splitter or iterable
        As in `out_of_fold`.
    n : int
        Number of rows.
    y : array (n,)
        Outcomes.
    groups : array (n,) or None
        Labels of groups.
    random_state : int, RandomState or None
        Seed of the order of rows.
    stratified : bool, default=True
        As in `out_of_fold`.

    Yields
    ------
    train, test : array
        Indices of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.folds import split_folds
    >>> splits = split_folds(LinearRegression(), 2, 4, np.zeros(4), None, 0)
    >>> [test.size for _, test in splits]
    [2, 2]
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        splits = cv.split(np.zeros(n), np.asarray(y), groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        splits = _pairs(cv)
    else:
        check_integer("cv", cv, low=2)
        if cv > n:
            raise ValueError(f"cv={cv} folds of n_samples={n}; give fewer folds, or more rows")
        shared = stratified and is_classifier(estimator) and _sizes(y).max() >= cv
        kind: Any = StratifiedKFold if shared else KFold
        if groups is not None:
            kind, n_groups = GroupKFold, count_groups(groups, n)
            if cv > n_groups:
                raise ValueError(
                    f"cv={cv} folds of {n_groups} groups; give fewer folds, or leave groups out"
                )
        settings: dict[str, Any] = {"shuffle": True, "random_state": random_state}
        with warnings.catch_warnings():
            # What a fold's model has not met has no probability there: that is dealt with.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = iter(list(kind(cv, **settings).split(np.zeros(n), np.asarray(y), groups)))
    for i, (train, test) in enumerate(splits):
        yield _indices(train, n, i), _indices(test, n, i)


def check_splits(splits: Sequence[tuple[Array, Array]], cv: Any) -> None:
    """Raise ValueError unless every fold has rows to train on and others to test on."""
    if not splits:
        raise ValueError(f"cv={cv!r} has no folds; one at least is needed")
    for i, (train, test) in enumerate(splits):
        both = np.intersect1d(train, test).size
        if not train.size or not test.size or both:
            raise ValueError(
                f"fold {i} of cv={cv!r} has {train.size} rows to train on, {test.size} to test on "
                f"and {both} in both; some, some and none are needed"
            )


def _pairs(cv: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for i, one in enumerate(cv):
        if not isinstance(one, (tuple, list)) or len(one) != 2:
            raise TypeError(
                f"fold {i} of cv is {one!r}; a pair (rows to train on, rows to test on) is needed"
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
        raise TypeError(f"groups cannot be sorted: {error}; use labels of one kind") from error


def _indices(rows: Any, n: int, fold: int) -> Array:
    """Return indices of rows that are given as such, or as a mask."""
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
            f"fold {fold} of cv has rows of dtype {given.dtype} and shape {given.shape}; indices "
            "are a list of integers, or a mask of True and False"
        )
    outside = (given < -n) | (given >= n)
    if outside.any():
        raise ValueError(
            f"fold {fold} of cv has the row {given[outside][0]}; there are {n}, 0 to {n - 1}"
        )
    return np.where(given < 0, given + n, given).astype(np.intp)
