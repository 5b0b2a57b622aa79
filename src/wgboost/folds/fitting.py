"""Models that have not seen some of the rows, for all rows."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
)
from sklearn.pipeline import Pipeline

from wgboost.boosting import Interrupted
from wgboost.data.rows import count_rows, take_rows
from wgboost.folds.splitting import check_splits, checked_rows, count_groups, split_folds
from wgboost.metrics.unwrapping import predict_dist
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["Fold", "held_out", "out_of_fold", "take_fit_params"]

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
    labels = np.unique(np.asarray(y)[train]) if is_classifier(estimator) else np.zeros(0)
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
