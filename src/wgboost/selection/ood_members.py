"""Whether OOD members would help to tell rows of an unknown class: by classes left out."""

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
    """Return up to six labels to leave out, the most frequent first; none of two classes."""
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
    """Return what OOD members add to the average precision of telling a left-out class.

    Parameters
    ----------
    labels : array (n,)
        The classes of all rows.
    split : rows to train on, rows to watch
        Models see neither's rows of the class that is left out.
    fitted : callable
        Of rows to train on and to watch: a model, and one with OOD members beside it.
    X : callable
        Of rows: their features.
    budget : float, optional
        Seconds; no class is left out that would take longer than is left.

    Returns
    -------
    float
        The mean over classes, 0 if there is none to leave out.
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
