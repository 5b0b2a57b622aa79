"""Models that have not seen some of the rows, for all rows."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline

from wgboost.boosting import Interrupted
from wgboost.data.rows import count_rows, take_rows
from wgboost.metrics.estimates import predict_dist
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer, check_number

__all__ = [
    "Fold",
    "check_splits",
    "checked_rows",
    "count_groups",
    "held_out",
    "out_of_fold",
    "split_folds",
    "take_fit_params",
]

_PREDICTED_WITH = ("offset", "exposure")


@dataclass(frozen=True, eq=False)
class Fold:
    """A model, and rows that it has not seen.

    Attributes
    ----------
    estimator
        Fitted to all other rows.
    rows, seen : Array
        Indices of these rows, and of those that the model was fitted to.
    X, y
        Those rows.
    fit_params : dict
        What goes along with them, by keyword, where it was given: `sample_weight`, `offset`, ...
    """

    estimator: Any
    rows: Array
    seen: Array
    X: Any
    y: Any
    fit_params: Mapping[str, Any]

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any, seen: Array, rows: Array, fit_params: Mapping[str, Any]
    ) -> Fold:
        """Return a fitted model with rows of X and y that it has not seen."""
        along = take_fit_params(fit_params, count_rows(X), rows)
        return cls(model, rows, seen, take_rows(X, rows), take_rows(y, rows), along)

    def take(self, some: Array) -> Fold:
        """Return some of the rows, by their place in the fold."""
        fit_params = {k: v[some] if np.ndim(v) > 0 else v for k, v in self.fit_params.items()}
        part = take_rows(self.X, some), take_rows(self.y, some)
        return Fold(self.estimator, self.rows[some], self.seen, *part, fit_params)

    def dist(self) -> Mixture:
        """Return the predictive distributions of the rows, with their offset or exposure."""
        known = {k: v for k, v in self.fit_params.items() if k in _PREDICTED_WITH}
        return predict_dist(self.estimator, self.X, **known)


def out_of_fold(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, groups: Any = None, random_state: Any = None,
    stratified: bool = True, **fit_params: Any,
) -> Iterator[Fold]:  # fmt: skip
    """Yield K models, each a clone fitted without the rows of its fold, one after the other.

    Parameters
    ----------
    estimator
        An estimator, fitted or not, or a pipeline.
    X, y
        Rows, as arrays, frames, series or sparse matrices.
    cv : int or splitter
        The number of folds, of rows in random order, of classes in equal shares, or with `groups`
        of whole groups; or a splitter of scikit-learn, or pairs of indices to train and to test on.
    groups : array (n,), optional
        Rows of one group are in one fold.
    random_state : int or None
        Of the order of rows.
    stratified : bool
        False: a number of folds is of rows by chance alone, classes or not. What is estimated from
        folds varies less where they have equal shares of classes, but rows are then no longer
        exchangeable: what is guaranteed of folds, as CV+ is, needs folds that know nothing of y.
    **fit_params : array (n,) or number, optional
        What `fit` takes besides X and y: `sample_weight`, `offset`, `exposure`, `y_std`.
    """
    n = checked_rows(X, y)
    splits = list(split_folds(estimator, cv, n, y, groups, random_state, stratified=stratified))
    check_splits(splits, cv)
    for train, test in splits:
        yield _fitted(estimator, X, y, n, train, test, fit_params, groups)


def held_out(
    estimator: Any, X: Any, y: Any, *, fraction: float = 0.25, groups: Any = None,
    random_state: Any = None, **fit_params: Any,
) -> Fold:  # fmt: skip
    """Return a clone fitted without a share of the rows, and those rows; see `out_of_fold`.

    Rows are held out by chance alone, or by whole groups, never in equal shares of classes: the
    rows held out would have the training rows' shares and new rows would not, so they would not be
    exchangeable with new rows. A model may so have met none of a class that is held out.
    """
    check_number("calibration_fraction", fraction, above=0, high=0.99)
    n = checked_rows(X, y)
    if groups is not None:
        n_groups = count_groups(groups, n)
        if n_groups < 2:
            raise ValueError(
                f"groups have {n_groups} label; two at least are needed to hold one out"
            )
    chosen: Any = ShuffleSplit if groups is None else GroupShuffleSplit
    split = chosen(n_splits=1, test_size=fraction, random_state=random_state)
    train, test = next(split.split(np.zeros(n), groups=groups))
    return _fitted(estimator, X, y, n, train, test, fit_params, groups)


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


def _labels(y: Any) -> Array:
    return np.asarray(y)


def _sizes(y: Any) -> Array:
    """Return the number of rows of each class."""
    return np.unique(_labels(y), return_counts=True)[1]


def split_folds(
    estimator: Any, cv: Any, n: int, y: Any, groups: Any, random_state: Any,
    *, stratified: bool = True,
) -> Iterator[tuple[Array, Array]]:  # fmt: skip
    """Yield indices of n rows to train and to test on, as `out_of_fold` takes them."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        splits = cv.split(np.zeros(n), _labels(y), groups)
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
            splits = iter(list(kind(cv, **settings).split(np.zeros(n), _labels(y), groups)))
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


def _fitted(
    estimator: Any, X: Any, y: Any, n: int, train: Array, test: Array,
    fit_params: Mapping[str, Any], groups: Any = None,
) -> Fold:  # fmt: skip
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    known = dict(fit_params)
    if groups is not None and "groups" in inspect.signature(last.fit).parameters:
        # Rows that a model holds out to stop by have to be as new to it as those of the fold.
        several = np.unique(np.asarray(groups)[train]).size > 1
        known |= {"groups": groups} if several else {}
    fit_with = {prefix + name: value for name, value in take_fit_params(known, n, train).items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Interrupted)
        try:
            model = clone(estimator).fit(take_rows(X, train), take_rows(y, train), **fit_with)
        except ValueError as error:
            _raise_for_one_class(estimator, y, train, error)
            raise
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if getattr(last, "interrupted_", False):  # a model cut short says nothing about the others
        raise KeyboardInterrupt
    return Fold.of(model, X, y, train, test, fit_params)


def _raise_for_one_class(estimator: Any, y: Any, train: Array, error: ValueError) -> None:
    """Raise ValueError if the rows that a classifier could not be fitted to are of one class."""
    labels = np.unique(_labels(y)[train]) if is_classifier(estimator) else np.zeros(0)
    if labels.size == 1:
        raise ValueError(
            f"the {train.size} rows to train on are all of the class {labels.tolist()[0]!r}, which "
            f"may be why the estimator says: {error}; let it train on more rows, by a smaller "
            "calibration_fraction or more folds, or give more rows of other classes"
        ) from error


def take_fit_params(fit_params: Mapping[str, Any], n: int, rows: Array) -> dict[str, Any]:
    """Return what goes along with some of n rows, where it was given."""
    given = {k: np.asarray(v) for k, v in fit_params.items() if v is not None}
    for name, value in given.items():
        if value.ndim > 0 and len(value) != n:
            raise ValueError(f"{name} has {len(value)} rows, X has {n}")
    return {k: v[rows] if v.ndim > 0 else v.item() for k, v in given.items()}
