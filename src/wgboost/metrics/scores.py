"""Scores of predictive distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wgboost.metrics.checks import add_noise, check_exact_y, check_y_for, weighted_average
from wgboost.predictive import JointMixture, Mixture
from wgboost.predictive.crps import mixture_crps
from wgboost.predictive.energy import energy_scores
from wgboost.responses import MultivariateNormal
from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = [
    "accuracy",
    "brier",
    "crps",
    "energy_score",
    "error_rate",
    "log_loss",
    "nll",
    "rmse",
]


def nll(dist: Mixture, y: Any, *, y_std: Any = None, sample_weight: Any = None) -> float:
    """Compute the negative log likelihood, in nats per row.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,) or (n, q)
        The observations, which may be `censored`.
    y_std : float or array-like of shape (n,), optional
        Standard deviation of the error that y was measured with. The likelihood is then that of the
        measured value.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.nll(dist, [1.0, 3.0]), 4)
    2.1689
    """
    observed = y if isinstance(y, Observations) else check_y_for(dist, y)
    if y_std is not None:
        observed = add_noise(observed, y_std)
    return weighted_average(-dist.log_likelihood(observed), sample_weight)


def log_loss(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the log loss of classes, in nats per row.

    It is the `nll` by the name that is usual for classes.

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
        Smaller is better.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> round(metrics.log_loss(dist, [0, 1]), 4)
    0.2201
    """
    check_y_for(dist, y)
    if not dist.response.nominal:
        raise ValueError(f"the log loss is for classes; for {dist.response.name!r} use nll")
    return nll(dist, y, sample_weight=sample_weight)


def crps(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the continuous ranked probability score, in units of y.

    It is the integral over x of (cdf(x) - 1{y <= x})^2, which is the mean absolute error if the
    distribution is a point. Mixtures of normal, Laplace and Cauchy distributions have a closed
    form. The others need a quadrature that is good to about 1e-7 (counts above 1e9: to about 1e-3).

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
        Smaller is better.

    Raises
    ------
    ValueError
        If y are classes, whose codes have no distance, or has several columns.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.crps(dist, [1.0, 3.0]), 4)
    1.0276
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("the CRPS needs ordered outcomes; for classes use brier or nll")
    if dist.response.y_shape:
        raise ValueError(
            "the CRPS is for one column, dist.marginal(j); for all columns use energy_score"
        )
    return weighted_average(mixture_crps(dist, values), sample_weight)


def energy_score(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the energy score, the CRPS of several columns of y together.

    It is E|Y - y| - E|Y - Y'| / 2 with two independent draws Y and Y' and Euclidean lengths. Every
    column is divided by its unit, `dist.units.scale`. A quadrature is good to about 1e-8. The cost
    grows with the square of the number of particles.

    Parameters
    ----------
    dist : JointMixture
        The predictive distributions of q columns.
    y : array-like of shape (n, q)
        The observations.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> from wgboost import MultivariateNormal, metrics
    >>> from wgboost.predictive import JointMixture
    >>> dist = JointMixture(MultivariateNormal(2), [[[0.0, 0.0, 0.0, 0.0, 0.0]]])
    >>> round(metrics.energy_score(dist, [[0.0, 0.0]]), 4)
    0.3671
    """
    values = check_exact_y(dist, y)
    if not isinstance(dist, JointMixture) or not isinstance(dist.response, MultivariateNormal):
        raise ValueError(
            "the energy score is for 'multivariate_normal'; for a single column it is the crps"
        )
    return weighted_average(energy_scores(dist, values), sample_weight)


def rmse(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the root mean squared error of the predictive mean.

    Parameters
    ----------
    dist : Mixture
        The predictive distributions.
    y : array-like of shape (n,) or (n, q)
        The observations.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; equal by default.

    Returns
    -------
    float
        Smaller is better. The unit is that of y. If y has several columns, each is divided by its
        unit, `dist.units.scale`, and the mean is over the columns too.

    Examples
    --------
    >>> from wgboost import Mixture, Normal, metrics
    >>> dist = Mixture(Normal(), [[[0.0, 0.0]], [[1.0, 0.0]]])
    >>> round(metrics.rmse(dist, [1.0, 3.0]), 4)
    1.5811
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("classes have no mean; use accuracy, brier or nll")
    error = (dist.mean() - values) / dist.units.scale
    if dist.response.y_shape:
        return math.sqrt(weighted_average(np.square(error).mean(axis=1), sample_weight))
    return dist.units.scale * math.sqrt(weighted_average(np.square(error), sample_weight))


def brier(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the Brier score of classes: the sum over classes of (probability - hit)^2.

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
        Between 0 and 2; smaller is better. For two classes it is twice the score of either class.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> round(metrics.brier(dist, [0, 1]), 4)
    0.0865
    """
    probabilities, codes = dist.probabilities(), check_exact_y(dist, y).astype(int)
    probabilities[np.arange(len(codes)), codes] -= 1
    return weighted_average(np.square(probabilities).sum(axis=1), sample_weight)


def _best_class(dist: Mixture) -> Array:
    """Return the code of the most probable class; raise for a y without classes."""
    best: Array = dist.probabilities().argmax(axis=1)
    return best


def accuracy(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the share of rows whose most probable class is right.

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
        Larger is better.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> metrics.accuracy(dist, [0, 0])
    0.5
    """
    return weighted_average(_best_class(dist) == check_exact_y(dist, y), sample_weight)


def error_rate(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Compute the share of rows whose most probable class is wrong.

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
        Smaller is better.

    Examples
    --------
    >>> from wgboost import Categorical, Mixture, metrics
    >>> dist = Mixture(Categorical(), [[[2.0]], [[-1.0]]])
    >>> metrics.error_rate(dist, [0, 0])
    0.5
    """
    return weighted_average(_best_class(dist) != check_exact_y(dist, y), sample_weight)
