"""Models fitted without the rows of a fold."""

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
    """Hold a model together with rows that it was not trained on.

    Parameters
    ----------
    estimator : estimator
        A model fitted to all other rows.
    rows : array (k,)
        Indices of the rows of the fold.
    seen : array
        Indices of the rows that the model was fitted to.
    X : array, data frame or sparse matrix (k, p)
        Features of the rows of the fold.
    y : array (k,)
        Outcomes of the rows of the fold.
    fit_params : mapping
        What belongs to these rows, by keyword: `sample_weight`, `offset`, ...

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
        """Return a fold of a fitted model.

        Parameters
        ----------
        model : estimator
            A fitted model.
        X : array, data frame or sparse matrix (n, p)
            Features of all rows.
        y : array (n,)
            Outcomes of all rows.
        seen : array
            Indices of the rows that the model was fitted to.
        rows : array (k,)
            Indices of the rows of the fold.
        fit_params : mapping
            What belongs to all rows, by keyword.

        Returns
        -------
        Fold
            The model with the rows of the fold.
        """
        along = take_fit_params(fit_params, count_rows(X), rows)
        return cls(model, rows, seen, take_rows(X, rows), take_rows(y, rows), along)

    def take(self, some: Array) -> Fold:
        """Return some of the rows of the fold.

        Parameters
        ----------
        some : array
            Positions of the rows in the fold.

        Returns
        -------
        Fold
            The same model with those rows.
        """
        fit_params = {k: v[some] if np.ndim(v) > 0 else v for k, v in self.fit_params.items()}
        part = take_rows(self.X, some), take_rows(self.y, some)
        return Fold(self.estimator, self.rows[some], self.seen, *part, fit_params)

    def dist(self) -> Mixture:
        """Return the predictive distributions of the rows, with their offset or exposure.

        Returns
        -------
        Mixture
            One distribution for each row.
        """
        known = {k: v for k, v in self.fit_params.items() if k in _PREDICTED_WITH}
        return predict_dist(self.estimator, self.X, **known)


def out_of_fold(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, groups: Any = None, random_state: Any = None,
    stratified: bool = True, **fit_params: Any,
) -> Iterator[Fold]:  # fmt: skip
    """Yield clones that are each fitted without the rows of one fold.

    Parameters
    ----------
    estimator : estimator or pipeline
        What to clone; it may be fitted or not.
    X : array, data frame or sparse matrix (n, p)
        Features.
    y : array (n,)
        Outcomes.
    cv : int, splitter or iterable, default=5
        Number of folds, a splitter of scikit-learn, or pairs of indices to train and to test on. A
        number makes folds of rows in random order, for a classifier with equal shares of the
        classes, or of whole groups if `groups` are given.
    groups : array (n,) or None, default=None
        Labels of groups. Rows of one group are in one fold.
    random_state : int, RandomState or None, default=None
        Seed of the order of rows.
    stratified : bool, default=True
        Whether folds of a classifier have equal shares of the classes. Estimates from such folds
        vary less, but the rows are no longer exchangeable, which the guarantees of CV+ need.
    **fit_params : array (n,) or number
        What `fit` takes besides X and y: `sample_weight`, `offset`, `exposure`, `y_std`.

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
    n = checked_rows(X, y)
    splits = list(split_folds(estimator, cv, n, y, groups, random_state, stratified=stratified))
    check_splits(splits, cv)
    for train, test in splits:
        yield _fitted(estimator, X, y, n, train, test, fit_params, groups)


def held_out(
    estimator: Any, X: Any, y: Any, *, fraction: float = 0.25, groups: Any = None,
    random_state: Any = None, **fit_params: Any,
) -> Fold:  # fmt: skip
    """Return a clone fitted without a share of the rows, and those rows.

    Rows are held out at random, or by whole groups, and never in equal shares of classes: the rows
    held out would then not be exchangeable with new rows. So a class may be missing from the
    training rows.

    Parameters
    ----------
    estimator : estimator or pipeline
        What to clone; it may be fitted or not.
    X : array, data frame or sparse matrix (n, p)
        Features.
    y : array (n,)
        Outcomes.
    fraction : float, default=0.25
        Share of the rows to hold out.
    groups : array (n,) or None, default=None
        Labels of groups, whose rows stay together.
    random_state : int, RandomState or None, default=None
        Seed of the draw.
    **fit_params : array (n,) or number
        What `fit` takes besides X and y.

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
