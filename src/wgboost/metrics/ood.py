"""Scores of rows that are unlike the training data, and how well they tell."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from wgboost.metrics.checks import check_scores
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["OOD_METHODS", "ood_average_precision", "ood_pvalue", "ood_roc_auc", "ood_scores"]

OOD_METHODS = ("max_variance", "mutual_information", "epistemic")
"""What `ood_scores` can say of the particles' disagreement."""


def ood_scores(dist: Mixture, method: str | None = None) -> Array:
    """Return how much the particles of each row disagree, (n,): larger is further from the data.

    Parameters
    ----------
    dist
        Predictive distributions.
    method : "max_variance", "mutual_information", "epistemic" or None
        "max_variance": the largest variance over particles of a class probability (the paper's
        score is its inverse); without classes of a coordinate of theta, in standardised units.
        "mutual_information": of y and particle, in nats; see `Mixture.mutual_information`.
        "epistemic": the variance over particles of their means, or of their medians where the
        response has no mean; of several columns the sum of these, each in units of the column's
        variance in the training data; of classes the mutual information. None is "max_variance"
        for classes and "epistemic" for all else.
    """
    if not isinstance(dist, Mixture):
        raise TypeError(f"dist={dist!r} must be a predictive distribution, as of predict_dist")
    if method is None:
        method = "max_variance" if dist.response.nominal else "epistemic"
    check_choice("method", method, OOD_METHODS)
    if method == "mutual_information":
        return dist.mutual_information()
    if method == "max_variance":
        return _largest_variance(dist)
    spread = dist.epistemic()
    if not dist.response.y_shape:
        return spread
    total: Array = (spread / np.square(dist.units.scale)).sum(axis=1)
    return total


def _largest_variance(dist: Mixture) -> Array:
    response = dist.response

    def largest(theta: Array, weights: Array | None) -> Array:
        values = response.probabilities(theta) if response.nominal else theta  # (r, m, k)
        if weights is None:
            spread: Array = values.var(axis=1).max(axis=1)
            return spread
        share = weights[..., None]
        apart = values - (share * values).sum(axis=1, keepdims=True)
        weighted: Array = (share * np.square(apart)).sum(axis=1).max(axis=1)
        return weighted

    return dist.over_rows(largest)


def ood_pvalue(scores: Any, reference: Any) -> Array:
    """Return how rare such a large score is among rows of the training distribution, (n,).

    p = (1 + number of reference scores >= score) / (1 + number of reference scores). A row that is
    exchangeable with the reference rows has p <= a with probability at most a, for every a, and
    close to a where scores have no ties: p is uniform. The smallest p is 1 / (1 + n).

    Parameters
    ----------
    scores
        Scores (n,) of new rows, larger meaning further from the training data.
    reference
        Scores of rows from the training distribution that the model has not seen.
    """
    new, known = check_scores("scores", scores), np.sort(check_scores("reference", reference))
    at_least = known.size - np.searchsorted(known, new, side="left")
    share: Array = (1 + at_least) / (1 + known.size)
    return share


def ood_average_precision(score_in: Any, score_out: Any) -> float:
    """Return how well a score tells rows of the training distribution from others.

    The average precision (area under the precision-recall curve, as a sum of precision times the
    step in recall) of finding the in-distribution rows, the positives, by a small score; tied
    rows enter together. 1 is perfect, the share of in-distribution rows is chance.

    Parameters
    ----------
    score_in, score_out
        Scores of rows from the training distribution and of other rows, larger meaning further
        from the training data; infinite ones are allowed.
    """
    positive, rank = _ranked(score_in, score_out)
    return float(average_precision_score(positive, -rank))


def ood_roc_auc(score_in: Any, score_out: Any) -> float:
    """Return the probability that a row from elsewhere has a larger score than one from inside.

    The area under the ROC curve; ties count one half. 1 is perfect, 0.5 is chance. Arguments as
    in `ood_average_precision`.
    """
    positive, rank = _ranked(score_in, score_out)
    return float(roc_auc_score(positive, -rank))


def _ranked(score_in: Any, score_out: Any) -> tuple[Array, Array]:
    """Return which rows are inside, as 1 and 0, and ranks of scores: infinities have an order."""
    parts = [check_scores("score_in", score_in), check_scores("score_out", score_out)]
    rank = np.unique(np.concatenate(parts), return_inverse=True)[1]
    return np.repeat([1, 0], [len(part) for part in parts]), rank
