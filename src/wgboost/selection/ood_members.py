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
"""Average precision that OOD members have to add: less in a trial is often nothing later."""

_MOST = 6  # classes that are left out, one after the other
_LEAST = 10  # rows of a class that is
_SCORE = "mutual_information"


def left_out_classes(labels: Array) -> Array:
    """Return up to six classes to leave out, the most frequent first.

    Parameters
    ----------
    labels : array (n,)
        The classes of the rows.

    Returns
    -------
    array
        Labels of classes with at least ten rows; empty if there are only two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.selection import left_out_classes
    >>> left_out_classes(np.repeat([0, 1, 2], [10, 30, 20]))
    array([1, 2, 0])
    """
    classes, sizes = np.unique(labels, return_counts=True)
    if classes.size < 3:
        return classes[:0]
    order = np.argsort(-sizes, kind="stable")[:_MOST]
    return classes[order[sizes[order] >= _LEAST]]


def left_out_class_gain(
    labels: Array,
    split: tuple[Array, Array],
    fitted: Callable[[Array, Array], tuple[Any, Any]],
    X: Callable[[Array], Any],
    *,
    budget: float | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return what OOD members add to the average precision of detecting a left-out class.

    Parameters
    ----------
    labels : array (n,)
        The classes of all rows.
    split : tuple of (train, validation)
        Indices of rows. Models see neither's rows of the class that is left out.
    fitted : callable
        Function of the rows to train on and to validate with that returns a model without and one
        with OOD members.
    X : callable
        Function of rows that returns their features.
    budget : float or None, default=None
        Seconds. No class is left out that would take longer than is left.
    clock : callable, default=time.perf_counter
        Function that returns the time in seconds.

    Returns
    -------
    float
        The mean over classes, 0 if there is none to leave out.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.selection import left_out_class_gain
    >>> two = np.array([0, 1] * 10)
    >>> left_out_class_gain(two, (np.arange(10), np.arange(10, 20)), None, None)
    0.0
    """
    train, watched = split
    known = np.concatenate(split)
    gains: list[float] = []
    begun, longest = clock(), 0.0
    for one in left_out_classes(labels[known]):
        if budget is not None and clock() - begun + longest >= budget:
            break
        before = clock()
        inside, unknown = watched[labels[watched] != one], known[labels[known] == one]
        rows = train[labels[train] != one]
        if not inside.size or np.unique(labels[rows]).size < 2:
            continue
        precision = []
        for model in fitted(rows, inside):
            dists = (model.predict_dist(X(some), calibrated=False) for some in (inside, unknown))
            precision.append(ood_average_precision(*(ood_scores(one, _SCORE) for one in dists)))
        gains.append(precision[1] - precision[0])
        longest = max(longest, clock() - before)
    return float(np.mean(gains)) if gains else 0.0
