"""Models fitted without the rows of a fold."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.pipeline import Pipeline

from wgboost.boosting import Interrupted
from wgboost.data.rows import count_rows, take_rows
from wgboost.folds.splitting import check_row_counts, check_splits, count_groups, split_folds
from wgboost.metrics.metadata import PREDICT_METADATA
from wgboost.metrics.unwrapping import predict_dist
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["Fold", "held_out", "make_fold", "out_of_fold"]


@dataclass(frozen=True, eq=False)
class Fold:
    """Hold a model together with rows that it was not trained on.

    Parameters
    ----------
    estimator : estimator
        A model fitted to all other rows.
    rows : ndarray of int, shape (k,)
        Indices of the rows of the fold.
    train_rows : ndarray of int
        Indices of the rows that the model was fitted to.
    X : array-like, data frame or sparse matrix of shape (k, p)
        Features of the rows of the fold.
    y : array-like of shape (k,)
        Outcomes of the rows of the fold.
    fit_params : mapping of str to array or float
        Fit parameters of these rows by name, such as `sample_weight` and `offset`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.folds import out_of_fold
    >>> X, y = np.arange(6.0)[:, None], np.arange(6.0)
    >>> folds = list(out_of_fold(LinearRegression(), X, y, cv=3, random_state=0))
    >>> [fold.rows.size for fold in folds]
    [2, 2, 2]
    """

    estimator: BaseEstimator
    rows: Array
    train_rows: Array
    X: Any
    y: Any
    fit_params: Mapping[str, Any]

    def take(self, positions: Array) -> Fold:
        """Select some rows of the fold.

        Parameters
        ----------
        positions : ndarray of int
            Positions of the rows in the fold.

        Returns
        -------
        Fold
            The same model with those rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from wgboost.folds import held_out
        >>> X, y = np.arange(8.0)[:, None], np.arange(8.0)
        >>> fold = held_out(LinearRegression(), X, y, fraction=0.25, random_state=0)
        >>> fold.take(np.array([0])).y
        array([6.])
        """
        fit_params = {k: v[positions] if np.ndim(v) > 0 else v for k, v in self.fit_params.items()}
        part = take_rows(self.X, positions), take_rows(self.y, positions)
        return Fold(self.estimator, self.rows[positions], self.train_rows, *part, fit_params)

    def dist(self) -> Mixture:
        """Predict the distributions of the rows, with their offset or exposure.

        Returns
        -------
        Mixture
            One distribution for each row.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> from wgboost.folds import held_out
        >>> X, y = np.arange(8.0)[:, None], np.arange(8.0)
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False)
        >>> held_out(model, X, y, random_state=0).dist()
        <Mixture of normal: 2 rows, 10 particles>
        """
        known = {k: v for k, v in self.fit_params.items() if k in PREDICT_METADATA}
        return predict_dist(self.estimator, self.X, **known)


def out_of_fold(
    estimator: BaseEstimator, X: Any, y: Any, *, cv: Any = 5, groups: Any = None,
    random_state: Any = None, stratified: bool = True, **fit_params: Any,
) -> Iterator[Fold]:  # fmt: skip
    """Fit one clone without the rows of each fold.

    Parameters
    ----------
    estimator : estimator or pipeline
        The estimator to clone, fitted or not.
    X : array-like, data frame or sparse matrix of shape (n, p)
        Features.
    y : array-like of shape (n,)
        Outcomes.
    cv : int, splitter or iterable, default=5
        Number of folds, a scikit-learn splitter, or pairs of training and test indices. A number
        splits shuffled rows, stratified for a classifier, or whole groups if `groups` are given.
    groups : array-like of shape (n,) or None, default=None
        Group labels. The rows of a group are in the same fold.
    random_state : int, RandomState or None, default=None
        Seed of the shuffle.
    stratified : bool, default=True
        Whether the folds of a classifier are stratified. Estimates then vary less, but rows are no
        longer exchangeable, which the guarantees of CV+ need.
    **fit_params : array-like of shape (n,) or float
        Further parameters of `fit`, such as `sample_weight`, `offset`, `exposure` and `y_std`.

    Yields
    ------
    Fold
        A model with the rows that it was not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.folds import out_of_fold
    >>> X, y = np.arange(6.0)[:, None], np.arange(6.0)
    >>> sum(fold.rows.size for fold in out_of_fold(LinearRegression(), X, y, cv=2))
    6
    """
    n = check_row_counts(X, y)
    splits = list(split_folds(estimator, cv, n, y, groups, random_state, stratified=stratified))
    check_splits(splits, cv)
    for train, test in splits:
        yield _fit_fold(estimator, X, y, train, test, fit_params, groups)


def held_out(
    estimator: BaseEstimator, X: Any, y: Any, *, fraction: float = 0.25, groups: Any = None,
    random_state: Any = None, **fit_params: Any,
) -> Fold:  # fmt: skip
    """Fit a clone without a random share of the rows.

    The split is not stratified, because held-out rows would then not be exchangeable with new
    rows. A class may therefore be missing from the training rows.

    Parameters
    ----------
    estimator : estimator or pipeline
        The estimator to clone, fitted or not.
    X : array-like, data frame or sparse matrix of shape (n, p)
        Features.
    y : array-like of shape (n,)
        Outcomes.
    fraction : float, default=0.25
        Share of the rows to hold out.
    groups : array-like of shape (n,) or None, default=None
        Group labels. The rows of a group stay together.
    random_state : int, RandomState or None, default=None
        Seed of the split.
    **fit_params : array-like of shape (n,) or float
        Further parameters of `fit`.

    Returns
    -------
    Fold
        The model with the rows that were held out.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from wgboost.folds import held_out
    >>> X, y = np.arange(8.0)[:, None], np.arange(8.0)
    >>> held_out(LinearRegression(), X, y, fraction=0.25, random_state=0).rows.size
    2
    """
    check_number("calibration_fraction", fraction, above=0, high=0.99)
    n = check_row_counts(X, y)
    if groups is not None:
        n_groups = count_groups(groups, n)
        if n_groups < 2:
            raise ValueError(f"groups have {n_groups} label; at least 2 are needed to hold one out")
    chosen: Any = ShuffleSplit if groups is None else GroupShuffleSplit
    split = chosen(n_splits=1, test_size=fraction, random_state=random_state)
    train, test = next(split.split(np.zeros(n), groups=groups))
    return _fit_fold(estimator, X, y, train, test, fit_params, groups)


def _fit_fold(
    estimator: BaseEstimator, X: Any, y: Any, train: Array, test: Array,
    fit_params: Mapping[str, Any], groups: Any,
) -> Fold:  # fmt: skip
    """Fit a clone to the training rows."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    known = dict(fit_params)
    if groups is not None and "groups" in inspect.signature(last.fit).parameters:
        # Rows held out for early stopping have to be as new to the model as those of the fold.
        several = np.unique(np.asarray(groups)[train]).size > 1
        known |= {"groups": groups} if several else {}
    taken = _take_fit_params(known, count_rows(X), train)
    fit_with = {prefix + name: value for name, value in taken.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Interrupted)
        try:
            model = clone(estimator).fit(take_rows(X, train), take_rows(y, train), **fit_with)
        except ValueError as error:
            _raise_for_one_class(estimator, y, train, error)
            raise
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if getattr(last, "interrupted_", False):  # an unfinished model does not stand for the others
        raise KeyboardInterrupt
    return make_fold(model, X, y, train, test, fit_params)


def make_fold(
    model: BaseEstimator, X: Any, y: Any, train: Array, test: Array, fit_params: Mapping[str, Any]
) -> Fold:
    """Return a fitted model with its test rows; X, y and `fit_params` are those of all rows."""
    taken = _take_fit_params(fit_params, count_rows(X), test)
    return Fold(model, test, train, take_rows(X, test), take_rows(y, test), taken)


def _raise_for_one_class(estimator: BaseEstimator, y: Any, train: Array, error: ValueError) -> None:
    """Raise ValueError if all training rows of a classifier are of one class."""
    labels = np.unique(np.asarray(y)[train]) if is_classifier(estimator) else np.zeros(0)
    if labels.size == 1:
        raise ValueError(
            f"all {train.size} training rows are of the class {labels.tolist()[0]!r}, which may be "
            f"why the estimator raised: {error}; use more training rows, by a smaller "
            "calibration_fraction or more folds, or give more rows of other classes"
        ) from error


def _take_fit_params(fit_params: Mapping[str, Any], n: int, rows: Array) -> dict[str, Any]:
    """Return the fit parameters of some of n rows; those that are None are left out."""
    given = {k: np.asarray(v) for k, v in fit_params.items() if v is not None}
    for name, value in given.items():
        if value.ndim > 0 and len(value) != n:
            raise ValueError(f"{name} has {len(value)} rows, X has {n}")
    return {k: v[rows] if v.ndim > 0 else v.item() for k, v in given.items()}
