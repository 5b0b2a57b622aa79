"""Scores of predictive distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wgboost.metrics.checks import add_noise, check_exact_y, check_y, weighted_average
from wgboost.predictive import JointMixture, Mixture
from wgboost.predictive.crps import mixture_crps
from wgboost.predictive.energy import energy_scores
from wgboost.responses import MultivariateNormal, Observations
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
    """Return the negative log likelihood, in nats per row; y may be `censored`.

    y_std, a number or (n,), is the standard deviation of the error that y was measured with: the
    likelihood is then that of what was measured.
    """
    seen = y if isinstance(y, Observations) else check_y(dist, y)
    if y_std is not None:
        seen = add_noise(seen, y_std)
    return weighted_average(-dist.log_likelihood(seen), sample_weight)


def log_loss(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the log loss of classes, in nats per row: their `nll` by its other name."""
    check_y(dist, y)
    if not dist.response.nominal:
        raise ValueError(f"the log loss is for classes; for {dist.response.name!r} use nll")
    return nll(dist, y, sample_weight=sample_weight)


def crps(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the continuous ranked probability score, in units of y.

    The integral over x of (cdf(x) - 1{y <= x})^2: the mean absolute error if the distribution is
    a point. In closed form for the normal and the Laplace response; otherwise by one quadrature
    for all particles, good to about 1e-7 (counts above 1e9 to about 1e-3). Not for
    classes, whose codes have no distance; see `brier`.
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("the CRPS needs ordered outcomes; for classes use brier or nll")
    if dist.response.y_shape:
        raise ValueError("the CRPS is of one column, dist.marginal(j); of all: energy_score")
    return weighted_average(mixture_crps(dist, values), sample_weight)


def energy_score(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the energy score of several columns of y (n, q): the CRPS of all of them together.

    E|Y - y| - E|Y - Y'| / 2 with two independent draws Y, Y' and Euclidean lengths, where every
    column counts in its unit, `dist.units.scale`, so that no column outweighs the others by the
    choice of its unit. By quadrature, good to about 1e-8; its cost grows with the square of the
    number of particles.
    """
    values = check_exact_y(dist, y)
    if not isinstance(dist, JointMixture) or not isinstance(dist.response, MultivariateNormal):
        raise ValueError(
            "the energy score is for 'multivariate_normal'; for a single column it is the crps"
        )
    return weighted_average(energy_scores(dist, values), sample_weight)


def rmse(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the root of the mean squared error of the predictive mean.

    Of several columns the mean is over all of them too, each in its unit, `dist.units.scale`: a
    number without unit.
    """
    values = check_exact_y(dist, y)
    if dist.response.nominal:
        raise ValueError("classes have no mean; use accuracy, brier or nll")
    error = (dist.mean() - values) / dist.units.scale
    if dist.response.y_shape:
        return math.sqrt(weighted_average(np.square(error).mean(axis=1), sample_weight))
    return dist.units.scale * math.sqrt(weighted_average(np.square(error), sample_weight))


def brier(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the Brier score of classes: the sum over classes of (probability - hit)^2.

    Between 0 and 2; for two classes twice the score of either class alone.
    """
    probabilities, codes = dist.probabilities(), check_exact_y(dist, y).astype(int)
    probabilities[np.arange(len(codes)), codes] -= 1
    return weighted_average(np.square(probabilities).sum(axis=1), sample_weight)


def _best_class(dist: Mixture) -> Array:
    """Return the code of the most probable class; raise for a y without classes."""
    best: Array = dist.probabilities().argmax(axis=1)
    return best


def accuracy(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the share of rows whose most probable class is y; larger is better."""
    return weighted_average(_best_class(dist) == check_exact_y(dist, y), sample_weight)


def error_rate(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the share of rows whose most probable class is not y."""
    return weighted_average(_best_class(dist) != check_exact_y(dist, y), sample_weight)
