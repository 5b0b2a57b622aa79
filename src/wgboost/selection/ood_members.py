"""Test whether OOD members help to detect an unknown class, by leaving classes out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wgboost.metrics import ood_average_precision, ood_scores
from wgboost.typing import Array

__all__ = ["MIN_OOD_GAIN", "left_out_class_gain", "left_out_classes"]

MIN_OOD_GAIN = 0.05
"""Average precision that OOD members have to add. A smaller gain in a trial is often chance."""

_MAX_CLASSES = 6  # that are left out in turn
_MIN_ROWS = 10  # of a class that is left out
_SCORE = "mutual_information"


def left_out_classes(labels: Array) -> Array:
    """Return up to six classes of at least ten rows, the most frequent first; none of two.

    Examples
    --------
    >>> left_out_classes(np.repeat([0, 1, 2], [10, 30, 20]))
    array([1, 2, 0])
    """
    classes, sizes = np.unique(labels, return_counts=True)
    if classes.size < 3:
        return classes[:0]
    order = np.argsort(-sizes, kind="stable")[:_MAX_CLASSES]
    return classes[order[sizes[order] >= _MIN_ROWS]]


def left_out_class_gain(
    labels: Array,
    split: tuple[Array, Array],
    fit: Callable[[Array, Array], tuple[Any, Any]],
    X: Callable[[Array], Any],
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return what OOD members add to the average precision of detecting a left-out class.

    The result is the mean over classes, and 0 if there is no class to leave out.

    Parameters
    ----------
    labels : array (n,)
        The classes of all rows.
    split : tuple of (train, validation)
        Indices of rows. Models have no row of the class that is left out.
    fit : callable
        Returns, for rows to train on and to validate with, a model without OOD members and one
        with them.
    X : callable
        Returns the features of rows.
    budget : float or None
        Seconds. No class is left out that would take longer than is left.
    clock : callable
        Returns the time in seconds.
    """
    train, validation = split
    known = np.concatenate(split)
    gains: list[float] = []
    start, longest = clock(), 0.0
    for one in left_out_classes(labels[known]):
        if budget is not None and clock() - start + longest >= budget:
            break
        before = clock()
        inside = validation[labels[validation] != one]
        unknown = known[labels[known] == one]
        rows = train[labels[train] != one]
        if not inside.size or np.unique(labels[rows]).size < 2:
            continue
        precision = []
        for model in fit(rows, inside):
            dists = (model.predict_dist(X(some), calibrated=False) for some in (inside, unknown))
            precision.append(ood_average_precision(*(ood_scores(one, _SCORE) for one in dists)))
        gains.append(precision[1] - precision[0])
        longest = max(longest, clock() - before)
    return float(np.mean(gains)) if gains else 0.0
