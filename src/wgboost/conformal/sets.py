"""Conformal sets of classes from probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wgboost.conformal.level import check_conformal_confidence, conformal_level, conformal_rank
from wgboost.metrics.checks import check_exact_y, check_scores
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = [
    "SET_SCORES",
    "class_scores",
    "conformal_sets",
    "cross_conformal_sets",
    "scores_of_classes",
    "sets_at",
    "sets_by_folds",
]


def _mass_before(probabilities: Array) -> Array:
    """Return the total probability of all classes that are more probable."""
    order = np.argsort(-probabilities, axis=1, kind="stable")
    ranked = np.take_along_axis(probabilities, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    # Classes of equal probability have the score of the first of them.
    first = np.concatenate([ranked[:, :1] > -1, ranked[:, 1:] < ranked[:, :-1]], axis=1)
    started = np.maximum.accumulate(np.where(first, np.arange(order.shape[1]), 0), axis=1)
    scores = np.empty_like(probabilities)
    np.put_along_axis(scores, order, np.take_along_axis(before, started, axis=1), axis=1)
    return np.maximum(scores, 0)


def _complement(probabilities: Array) -> Array:
    """Return the probability of the other classes, up to rounding."""
    rest: Array = 1 - probabilities
    return rest


SET_SCORES: dict[str, Callable[[Array], Array]] = {
    "adaptive": _mass_before,
    "threshold": _complement,
}
"""Nonconformity scores (n, k) of classes from their probabilities."""


def scores_of_classes(probabilities: Any, conformity: str = "adaptive") -> Array:
    """Compute the nonconformity score of every class of every row.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Class probabilities.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        "adaptive" is the total probability of all more probable classes. "threshold" is
        1 - probability.

    Returns
    -------
    ndarray of shape (n, k)
        Scores.

    Examples
    --------
    >>> from wgboost.conformal import scores_of_classes
    >>> scores_of_classes([[0.5, 0.25, 0.25]])
    array([[0. , 0.5, 0.5]])
    """
    check_choice("conformity", conformity, SET_SCORES)
    shares = np.asarray(probabilities, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] == 0:
        raise ValueError(f"probabilities have shape {shares.shape}; (rows, classes) is needed")
    return SET_SCORES[conformity](shares)


def class_scores(dist: Mixture, y: Any, conformity: str = "adaptive") -> Array:
    """Compute the nonconformity score of the class of each row.

    Parameters
    ----------
    dist : Mixture
        Predictive distributions of n rows.
    y : array-like of shape (n,)
        Codes of the classes.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        As in `scores_of_classes`.

    Returns
    -------
    ndarray of shape (n,)
        Scores.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import class_scores
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Categorical
    >>> dist = Mixture(Categorical(n_classes=2), np.zeros((2, 1, 1)))
    >>> class_scores(dist, [0, 1], conformity="threshold")
    array([0.5, 0.5])
    """
    codes = check_exact_y(dist, y).astype(int)
    each = scores_of_classes(dist.probabilities(), conformity)
    own: Array = each[np.arange(len(codes)), codes]
    return own


def sets_at(probabilities: Any, level: float, conformity: str = "adaptive") -> Array:
    """Compute the sets of classes whose score is at most a level.

    Parameters
    ----------
    probabilities : array-like of shape (n, k)
        Class probabilities.
    level : float
        Largest score, as from `conformal_level`.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        As in `scores_of_classes`.

    Returns
    -------
    ndarray of bool, shape (n, k)
        True for the classes in the set. The most probable class is always in it.

    Examples
    --------
    >>> from wgboost.conformal import sets_at
    >>> sets_at([[0.5, 0.375, 0.125]], 0.5)
    array([[ True,  True, False]])
    """
    inside: Array = scores_of_classes(probabilities, conformity) <= level
    return _with_best(inside, np.asarray(probabilities))


def _with_best(inside: Array, probabilities: Array) -> Array:
    inside[np.arange(len(inside)), probabilities.argmax(axis=1)] = True
    return inside


def conformal_sets(
    dist_calibration: Mixture, y_calibration: Any, dist: Mixture, confidence: float = 0.9,
    *, conformity: str = "adaptive",
) -> Array:  # fmt: skip
    """Compute split conformal sets, which contain y with at least the given probability.

    See `conformal_interval` for the guarantee. No set is empty, so the coverage is larger than the
    confidence if the most probable class alone is right more often than that.

    Parameters
    ----------
    dist_calibration : Mixture
        Predictions of n rows that the model was not trained on.
    y_calibration : array-like of shape (n,)
        Codes of the classes of those rows.
    dist : Mixture
        Predictions of new rows by the same model.
    confidence : float, default=0.9
        A probability between 0 and 1.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        "adaptive" adds classes in the order of their probability until their sum exceeds a level,
        so that sets are larger if the model is uncertain. "threshold" takes all classes above a
        probability, which gives the smallest sets on average.

    Returns
    -------
    ndarray of bool, shape (m, k)
        True for the classes in the set.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import conformal_sets
    >>> from wgboost.predictive import Mixture
    >>> from wgboost.responses import Categorical
    >>> known = Mixture(Categorical(n_classes=2), np.full((9, 1, 1), 2.0))
    >>> conformal_sets(known, [0] * 8 + [1], known[:1], 0.8)
    array([[ True, False]])
    """
    level = conformal_level(class_scores(dist_calibration, y_calibration, conformity), confidence)
    return sets_at(dist.probabilities(), level, conformity)


def cross_conformal_sets(
    probabilities: Sequence[Any], scores: Sequence[Any], confidence: float = 0.9,
    *, conformity: str = "adaptive",
) -> Array:  # fmt: skip
    """Compute CV+ sets of classes from the models of K folds.

    A class is in the set unless its score exceeds those of too many rows. Each row is compared by
    the model that was not trained on it. The guarantee is that of `cross_conformal_interval`. The
    class with the largest mean probability is always in the set.

    Parameters
    ----------
    probabilities : sequence of array-like of shape (m, k)
        Probabilities of the same new rows by the model of each fold.
    scores : sequence of array-like
        Scores of the rows of each fold by its model.
    confidence : float, default=0.9
        A probability between 0 and 1.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        As in `conformal_sets`.

    Returns
    -------
    ndarray of bool, shape (m, k)
        True for the classes in the set.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import cross_conformal_sets
    >>> tables = [[[0.75, 0.25]], [[0.5, 0.5]]]
    >>> scores = [np.linspace(0, 0.5, 10), np.linspace(0, 0.5, 10)]
    >>> cross_conformal_sets(tables, scores, 0.8, conformity="threshold")
    array([[ True, False]])
    """
    if len(probabilities) == 0 or len(probabilities) != len(scores):
        raise ValueError(f"{len(probabilities)} tables with {len(scores)} arrays of scores")
    tables = [np.asarray(table, dtype=np.float64) for table in probabilities]
    if len({table.shape for table in tables}) > 1:
        raise ValueError(f"tables have shapes {[table.shape for table in tables]}; give equal ones")
    new_scores = [scores_of_classes(table, conformity) for table in tables]
    return sets_by_folds(new_scores, scores, confidence, np.mean(tables, axis=0))


def sets_by_folds(
    new_scores: Sequence[Array], scores: Sequence[Any], confidence: float, probabilities: Array
) -> Array:
    """Return sets of classes (n, k) from their scores by the model of each fold, (n, k) each.

    The class with the largest of `probabilities` (n, k) is always in the set.
    """
    known = [np.sort(check_scores("scores", of_fold)) for of_fold in scores]
    rank = conformal_rank(
        sum(of_fold.size for of_fold in known), check_conformal_confidence(confidence)
    )
    smaller = np.zeros(probabilities.shape, dtype=np.int64)  # scores below that of the class
    for table, of_fold in zip(new_scores, known, strict=True):
        smaller += np.searchsorted(of_fold, table, side="left")
    return _with_best(smaller < rank, probabilities)
