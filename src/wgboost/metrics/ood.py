"""Scores of out-of-distribution rows, and metrics of such scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from wgboost.metrics.checks import check_scores
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = [
    "OOD_METHODS",
    "combined",
    "disagreement_share",
    "novelty",
    "ood_average_precision",
    "ood_pvalue",
    "ood_roc_auc",
    "ood_scores",
]

OOD_METHODS = (
    "combined", "novelty", "support", "distance", "max_variance", "mutual_information", "epistemic",
)  # fmt: skip
"""Names of the scores."""

_OF_DISTANCE = "combined", "novelty", "distance"
_LACK, _DISTANCE, _SHARE = 0.03, 0.01, 0.01
"""Usual lack of support, least distance and usual disagreement."""


def ood_scores(dist: Mixture, method: str | None = None, *, distance: Any = None) -> Array:
    """Compute how unlike the training data each row is.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    method : str or None, default=None
        One of:

        - "support" is 1 - s, where the support s says how close the row is to training rows in the
          features of the splits;
        - "distance" is the distance d to the nearest training row, relative to the usual one;
        - "novelty" is log(1 + (1 - s) / 0.03) + log(1.03 / (0.03 + s)) + log(1 + 100 d);
        - "combined" is the novelty + log(1 + 100 v) / 4 with the disagreement v of the particles:
          the mutual information for classes, else the variance of their means as a share of that
          of y;
        - "max_variance" is the largest variance over particles of a class probability (the score of
          the paper is its inverse), or without classes of a coordinate of theta in standardised
          units;
        - "mutual_information" is that of y and particle, in nats;
        - "epistemic" is the variance over particles of their means, or of their medians if the
          response has no mean; for several columns the sum over columns, each in units of its
          variance in the training data; for classes the mutual information.

        The default is "combined" with a distance and support. Otherwise it is "max_variance" for
        classes and "epistemic" for numbers.
    distance : array-like of shape (n,), optional
        Distance of the rows to the nearest training row, ``model.ood_score(X, "distance")``.

    Returns
    -------
    ndarray of shape (n,)
        Larger is further from the training data.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> metrics.ood_scores(Mixture(Normal(), [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [4.0, 0.0]]]))
    array([0.25, 4.  ])
    """
    if not isinstance(dist, Mixture):
        raise TypeError(f"dist={dist!r} must be a distribution from predict_dist")
    if method is None:
        usual = "max_variance" if dist.response.nominal else "epistemic"
        method = usual if dist.row_support is None or distance is None else "combined"
    check_choice("method", method, OOD_METHODS)
    if method in _OF_DISTANCE and distance is None:
        raise ValueError(
            f'method="{method}" needs the distances of the rows: model.ood_score(X, "{method}") '
            "computes them if the model was fitted with TreeLearner(support=True), the default; "
            f"scores of distributions alone: {_names(OOD_METHODS[4:])}"
        )
    if method == "distance":
        return _check_distance(distance, len(dist))
    if method in ("combined", "novelty", "support"):
        return _of_support(dist, method, distance)
    if method == "mutual_information":
        return dist.mutual_information()
    if method == "max_variance":
        return _largest_variance(dist)
    spread = dist.disagreement()
    if not dist.response.y_shape:
        return spread
    total: Array = (spread / np.square(dist.units.scale)).sum(axis=1)
    return total


def novelty(support: Array, distance: Array) -> Array:
    """Compute the score "novelty".

    Parameters
    ----------
    support : array of shape (n,)
        Support of rows, from 0 to 1.
    distance : array of shape (n,)
        Distance to the nearest training row, relative to the usual one.

    Returns
    -------
    array of shape (n,)
        The scores; 0 is the least.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.metrics.ood import novelty
    >>> novelty(np.array([1.0, 0.5]), np.array([0.0, 1.0])).round(2)
    array([0.  , 8.15])
    """
    lack = np.log1p((1 - support) / _LACK) - np.log((support + _LACK) / (1 + _LACK))
    score: Array = lack + np.log1p(distance / _DISTANCE)
    return score


def combined(novel: Array, share: Array) -> Array:
    """Compute the score "combined".

    Parameters
    ----------
    novel : array of shape (n,)
        The novelty of rows.
    share : array of shape (n,)
        Their `disagreement_share`.

    Returns
    -------
    array of shape (n,)
        The scores; 0 is the least.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.metrics.ood import combined
    >>> combined(np.array([0.0, 8.0]), np.array([0.0, 0.5])).round(2)
    array([0.  , 8.98])
    """
    score: Array = novel + np.log1p(share / _SHARE) / 4
    return score


def disagreement_share(dist: Mixture) -> Array:
    """Compute the disagreement of the particles.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.

    Returns
    -------
    array of shape (n,)
        For classes the mutual information, for numbers a share of the variance of y, from 0 to 1.

    Examples
    --------
    >>> from wgboost import Mixture, Normal
    >>> from wgboost.metrics.ood import disagreement_share
    >>> disagreement_share(Mixture(Normal(), [[[0.0, 0.0], [2.0, 0.0]]]))
    array([0.5])
    """
    share = dist.disagreement()
    if dist.response.nominal:
        return share
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(share / dist.var(), nan=1.0, posinf=1.0)
    return share.mean(axis=1) if share.ndim > 1 else share


def _names(methods: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in methods)


def _check_distance(distance: Any, n: int) -> Array:
    """Return distances (n,) in float64; raise ValueError where one is no finite number >= 0."""
    values = check_scores("distance", distance)
    remedy = 'model.ood_score(X, "distance") of the same rows gives them'
    if len(values) != n:
        raise ValueError(f"distance has {len(values)} numbers, dist has {n} rows; {remedy}")
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"distance is {values[row]} at row {row}; finite numbers >= 0 are needed: {remedy}"
        )
    return values


def _of_support(dist: Mixture, method: str, distance: Any) -> Array:
    """Return the scores (n,) that the support of rows is a part of."""
    if dist.row_support is None:
        raise ValueError(
            "the support of the rows is not known; choose another method: "
            f"{_names(OOD_METHODS[4:])}"
        )
    if method == "support":
        lack: Array = 1 - dist.row_support
        return lack
    score = novelty(dist.row_support, _check_distance(distance, len(dist)))
    return score if method == "novelty" else combined(score, disagreement_share(dist))


def _largest_variance(dist: Mixture) -> Array:
    """Return the largest variance over particles of a probability or coordinate, (n,)."""
    response = dist.response

    def largest(theta: Array, weights: Array | None) -> Array:
        values = response.probabilities(theta) if response.nominal else theta  # (r, m, k)
        if weights is None:
            spread: Array = values.var(axis=1).max(axis=1)
            return spread
        share = weights[..., None]
        deviations = values - (share * values).sum(axis=1, keepdims=True)
        weighted: Array = (share * np.square(deviations)).sum(axis=1).max(axis=1)
        return weighted

    return dist.over_rows(largest)


def ood_pvalue(scores: Any, reference: Any) -> Array:
    """Compute how rare such a large score is among rows of the training distribution.

    p = (1 + number of reference scores >= score) / (1 + number of reference scores). A row that is
    exchangeable with the reference rows has p <= a with probability at most a, for every a. The
    smallest p is 1 / (1 + number of reference scores).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores of new rows; larger is further from the training data.
    reference : array-like of shape (r,)
        Scores of rows from the training distribution that the model was not fitted on.

    Returns
    -------
    ndarray of shape (n,)
        The p-values.

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.ood_pvalue([0.5, 9.0], [0.0, 1.0, 2.0])
    array([0.75, 0.25])
    """
    new, known = check_scores("scores", scores), np.sort(check_scores("reference", reference))
    at_least = known.size - np.searchsorted(known, new, side="left")
    share: Array = (1 + at_least) / (1 + known.size)
    return share


def ood_average_precision(score_in: Any, score_out: Any) -> float:
    """Compute the average precision of finding in-distribution rows by a small score.

    Parameters
    ----------
    score_in : array-like of shape (a,)
        Scores of rows from the training distribution, the positives. Infinite scores are allowed.
    score_out : array-like of shape (b,)
        Scores of other rows; larger is further from the training data.

    Returns
    -------
    float
        1 is perfect; the share of in-distribution rows is chance.

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.ood_average_precision([0.0, 1.0], [2.0, 3.0])
    1.0
    """
    positive, rank = _ranked(score_in, score_out)
    return float(average_precision_score(positive, -rank))


def ood_roc_auc(score_in: Any, score_out: Any) -> float:
    """Compute the probability that an out-of-distribution row has the larger score.

    It is the area under the ROC curve; ties count one half.

    Parameters
    ----------
    score_in : array-like of shape (a,)
        Scores of rows from the training distribution. Infinite scores are allowed.
    score_out : array-like of shape (b,)
        Scores of other rows; larger is further from the training data.

    Returns
    -------
    float
        1 is perfect, 0.5 is chance.

    Examples
    --------
    >>> from wgboost import metrics
    >>> metrics.ood_roc_auc([0.0, 1.0], [0.5, 3.0])
    0.75
    """
    positive, rank = _ranked(score_in, score_out)
    return float(roc_auc_score(positive, -rank))


def _ranked(score_in: Any, score_out: Any) -> tuple[Array, Array]:
    """Return 1 for rows of `score_in` and 0 for others, and ranks, which are finite."""
    parts = [check_scores("score_in", score_in), check_scores("score_out", score_out)]
    rank = np.unique(np.concatenate(parts), return_inverse=True)[1]
    return np.repeat([1, 0], [len(part) for part in parts]), rank
