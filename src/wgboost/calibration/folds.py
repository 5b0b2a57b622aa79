"""Models that have not seen some of the rows, for all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    StratifiedShuffleSplit,
)
from sklearn.pipeline import Pipeline

from wgboost.data.rows import count_rows, take_rows
from wgboost.metrics.estimates import distribution_of
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_integer, check_number

__all__ = ["Fold", "held_out", "out_of_fold"]

_PREDICTED_WITH = ("offset", "exposure")


@dataclass(frozen=True, eq=False)
class Fold:
    """A model, and rows that it has not seen.

    Attributes
    ----------
    estimator
        Fitted to all other rows.
    rows : Array
        Indices of the rows.
    X, y
        Those rows.
    beside : dict
        What goes along with them, by keyword, where it was given: `sample_weight`, `offset`, ...
    """

    estimator: Any
    rows: Array
    X: Any
    y: Any
    beside: Mapping[str, Any]

    def dist(self) -> Mixture:
        """Return the predictive distributions of the rows, with their offset or exposure."""
        known = {k: v for k, v in self.beside.items() if k in _PREDICTED_WITH}
        return distribution_of(self.estimator, self.X, **known)


def out_of_fold(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, groups: Any = None, random_state: Any = None,
    **beside: Any,
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
        of whole groups; or what scikit-learn's model selection takes, such as
        ``TimeSeriesSplit()``.
    groups : array (n,), optional
        Rows of one group are in one fold.
    random_state : int or None
        Of the order of rows.
    **beside : array (n,) or number, optional
        What `fit` takes beside X and y: `sample_weight`, `offset`, `exposure`, `y_std`.
    """
    n = _checked(X, y)
    for train, test in _splits(estimator, cv, n, y, groups, random_state):
        yield _fitted(estimator, X, y, n, train, test, beside)


def held_out(
    estimator: Any, X: Any, y: Any, *, fraction: float = 0.25, groups: Any = None,
    random_state: Any = None, **beside: Any,
) -> Fold:  # fmt: skip
    """Return a clone fitted without a share of the rows, and those rows; see `out_of_fold`."""
    check_number("calibration_fraction", fraction, above=0, high=0.99)
    n = _checked(X, y)
    if groups is not None:
        chosen: Any = GroupShuffleSplit
    else:
        chosen = StratifiedShuffleSplit if _stratifies(estimator, y) else ShuffleSplit
    split = chosen(n_splits=1, test_size=fraction, random_state=random_state)
    train, test = next(split.split(np.zeros(n), _labels(y), groups))
    return _fitted(estimator, X, y, n, train, test, beside)


def _checked(X: Any, y: Any) -> int:
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


def _stratifies(estimator: Any, y: Any) -> bool:
    """Whether classes can be shared out; one that is alone cannot."""
    if not is_classifier(estimator):
        return False
    _, counts = np.unique(_labels(y).astype(str), return_counts=True)
    return bool(counts.min() > 1)


def _splits(
    estimator: Any, cv: Any, n: int, y: Any, groups: Any, random_state: Any
) -> Iterator[tuple[Array, Array]]:
    if hasattr(cv, "split"):
        splits = cv.split(np.zeros(n), _labels(y), groups)
    elif np.ndim(cv) > 0 or hasattr(cv, "__next__"):
        splits = iter(cv)
    else:
        check_integer("cv", cv, low=2)
        kind: Any = StratifiedKFold if is_classifier(estimator) else KFold
        if groups is not None:
            kind = GroupKFold
        settings: dict[str, Any] = {"shuffle": True, "random_state": random_state}
        splits = kind(cv, **settings).split(np.zeros(n), _labels(y), groups)
    for train, test in splits:
        yield np.asarray(train), np.asarray(test)


def _fitted(
    estimator: Any, X: Any, y: Any, n: int, train: Array, test: Array, beside: Mapping[str, Any]
) -> Fold:
    given = {k: v for k, v in beside.items() if v is not None}
    for name, value in given.items():
        if np.ndim(value) > 0 and len(value) != n:
            raise ValueError(f"{name} has {len(value)} rows, X has {n}")

    def of(rows: Array) -> dict[str, Any]:
        return {k: v if np.ndim(v) == 0 else take_rows(v, rows) for k, v in given.items()}

    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    fit_with = {prefix + name: value for name, value in of(train).items()}
    model = clone(estimator).fit(take_rows(X, train), take_rows(y, train), **fit_with)
    return Fold(model, test, take_rows(X, test), take_rows(y, test), of(test))
