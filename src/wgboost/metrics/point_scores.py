"""Metrics of point predictions: median, quantiles and the order of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from wgboost.metrics.checks import check_exact_y, row_weights, weighted_average
from wgboost.predictive import Mixture
from wgboost.predictive.table import QUANTILES
from wgboost.validation import check_levels

__all__ = ["auc", "mae", "pinball"]


def _need_numbers(dist: Mixture, what: str) -> None:
    if dist.response.nominal:
        raise ValueError(f"the {what} needs ordered outcomes; for classes use brier or nll")
    if dist.response.y_shape:
        raise ValueError(f"the {what} is for one column, dist.marginal(j)")


def mae(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the mean absolute error of the predictive median, in units of y.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        Smaller is better. The median is the prediction that makes it smallest.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> float(metrics.mae(Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]]), [1.0, 3.0]))
    1.5
    """
    values = check_exact_y(dist, y)
    _need_numbers(dist, "mean absolute error")
    return weighted_average(np.abs(values - dist.median()), sample_weight)


def pinball(dist: Mixture, y: Any, q: Any = QUANTILES, *, sample_weight: Any = None) -> float:
    """Compute the pinball loss of quantiles, in units of y.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,)
        The observations.
    q : float or list of floats, default=(0.05, 0.5, 0.95)
        Levels of the quantiles. The loss is the mean over levels.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        The mean of q (y - quantile) where y is above the quantile and of (1 - q) (quantile - y)
        where it is below; smaller is better.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> float(metrics.pinball(dist, [1.0, 3.0], 0.5))  # half of the mean absolute error
    0.75
    """
    values = check_exact_y(dist, y)
    _need_numbers(dist, "pinball loss")
    levels = np.atleast_1d(check_levels("q", q))[None]
    error = values[:, None] - dist.ppf(levels)
    loss = np.maximum(levels * error, (levels - 1) * error).mean(axis=1)
    return weighted_average(loss, sample_weight)


def auc(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the area under the ROC curve.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions of classes.
    y : array-like of shape (n,)
        The labels, or codes if `dist` has no labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        The probability that a row of the second class has a larger predicted probability of it
        than a row of the first. With more classes it is the mean of each class against the others,
        over the classes in y. Larger is better.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]], [[0.5]]])
    >>> float(metrics.auc(dist, [0, 1, 0]))
    1.0
    """
    codes, shares = check_exact_y(dist, y).astype(int), dist.probabilities()
    weight = row_weights(sample_weight, len(dist))
    counted = weight > 0
    present = np.unique(codes[counted])
    if present.size < 2:
        raise ValueError(
            f"the AUC compares rows of different classes and y has {present.size}; give rows of "
            "at least two classes, as StratifiedKFold does"
        )
    if shares.shape[1] == 2:
        present = present[1:]
    areas = [
        roc_auc_score((codes == k)[counted], shares[counted, k], sample_weight=weight[counted])
        for k in present
    ]
    return float(np.mean(areas))
