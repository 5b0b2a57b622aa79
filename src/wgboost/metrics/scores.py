"""Scores of predictive distributions, and metrics to watch during training."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score

from wgboost.predictive import JointMixture, Mixture
from wgboost.predictive.crps import normal_crps, numeric_crps
from wgboost.predictive.energy import energy_scores
from wgboost.responses import MultivariateNormal, Normal, Observations, Response, is_censored
from wgboost.typing import Array
from wgboost.validation import check_choice, check_number, check_weight, shown, takes_weight

__all__ = [
    "METRICS",
    "Metric",
    "accuracy",
    "as_metric",
    "brier",
    "coverage",
    "crps",
    "energy_score",
    "error_rate",
    "interval_width",
    "nll",
    "ood_average_precision",
    "pit",
    "rmse",
    "row_mean",
]


def nll(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the negative log likelihood, in nats per row; y may be `censored`."""
    seen = y if isinstance(y, Observations) else _of_rows(dist, dist.response.check(y))
    return row_mean(-dist.log_likelihood(seen), sample_weight)


def crps(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the continuous ranked probability score, in units of y.

    The integral over x of (cdf(x) - 1{y <= x})^2: the mean absolute error if the distribution is
    a point. In closed form for the normal response; otherwise by quadrature between the
    components' quantiles, which leaves out at most 2e-16 of a component's mass at each end. Not
    for classes, whose codes have no distance; see `brier`.
    """
    values = _checked(dist, y)
    if dist.response.nominal:
        raise ValueError("the CRPS needs ordered outcomes; for classes use brier or nll")
    if dist.response.y_shape:
        raise ValueError("the CRPS is of one column, dist.marginal(j); of all: energy_score")
    closed = isinstance(dist.response, Normal)
    scores = normal_crps(dist, values) if closed else numeric_crps(dist, values)
    return row_mean(scores, sample_weight)


def energy_score(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the energy score of several columns of y (n, q): the CRPS of all of them together.

    E|Y - y| - E|Y - Y'| / 2 with two independent draws Y, Y' and Euclidean lengths, where every
    column counts in its unit, `dist.units.scale`, so that no column outweighs the others by the
    choice of its unit. By quadrature, good to about 1e-8; its cost grows with the square of the
    number of particles.
    """
    values = _checked(dist, y)
    if not isinstance(dist, JointMixture) or not isinstance(dist.response, MultivariateNormal):
        raise ValueError(
            "the energy score is for 'multivariate_normal'; for a single column it is the crps"
        )
    return row_mean(energy_scores(dist, values), sample_weight)


def rmse(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the root of the mean squared error of the predictive mean.

    Of several columns the mean is over all of them too, each in its unit, `dist.units.scale`: a
    number without unit.
    """
    values = _checked(dist, y)
    if dist.response.nominal:
        raise ValueError("classes have no mean; use accuracy, brier or nll")
    error = (dist.mean() - values) / dist.units.scale
    if dist.response.y_shape:
        return math.sqrt(row_mean(np.square(error).mean(axis=1), sample_weight))
    return dist.units.scale * math.sqrt(row_mean(np.square(error), sample_weight))


def coverage(dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None) -> float:
    """Return the share of rows with y in the central interval; best near the confidence."""
    values = _checked(dist, y)
    low, high = dist.interval(check_number("confidence", confidence, low=0, high=1))
    return row_mean((values >= low) & (values <= high), sample_weight)


def interval_width(
    dist: Mixture, y: Any = None, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    """Return the mean width of the central interval; y plays no role."""
    del y
    low, high = dist.interval(check_number("confidence", confidence, low=0, high=1))
    return row_mean(high - low, sample_weight)


def pit(dist: Mixture, y: Any, random_state: Any = None) -> Array:
    """Return the probability integral transform cdf(y) of each row, (n,).

    Uniform on [0, 1] if the distributions are right. For a discrete response a uniform draw
    between cdf(y - 1) and cdf(y), by the seed or generator `random_state`.
    """
    values = _checked(dist, y)
    below = dist.cdf(values)
    if not dist.response.discrete:
        return below
    before = dist.cdf(values - 1)
    share = np.random.default_rng(random_state).random(len(dist))
    between: Array = before + share * (below - before)
    return between


def brier(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the Brier score of classes: the sum over classes of (probability - hit)^2.

    Between 0 and 2; for two classes twice the score of either class alone.
    """
    probabilities, codes = dist.probabilities(), _checked(dist, y).astype(int)
    probabilities[np.arange(len(codes)), codes] -= 1
    return row_mean(np.square(probabilities).sum(axis=1), sample_weight)


def accuracy(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the share of rows whose most probable class is y; larger is better."""
    return row_mean(dist.mode() == _checked(dist, y), sample_weight)


def error_rate(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    """Return the share of rows whose most probable class is not y."""
    return row_mean(dist.mode() != _checked(dist, y), sample_weight)


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
    parts = [np.asarray(part, dtype=np.float64) for part in (score_in, score_out)]
    for name, part in zip(("score_in", "score_out"), parts, strict=True):
        if part.ndim != 1 or part.size == 0:
            raise ValueError(f"{name} has shape {part.shape}; one score for each row is needed")
        if np.isnan(part).any():
            raise ValueError(f"{name} is nan at row {int(np.argmax(np.isnan(part)))}")
    # Ranks in place of scores: infinities have an order too.
    rank = np.unique(np.concatenate(parts), return_inverse=True)[1]
    positive = np.repeat([1, 0], [len(part) for part in parts])
    return float(average_precision_score(positive, -rank))


def _checked(dist: Mixture, y: Any) -> Array:
    if isinstance(y, Observations):  # measured with error
        y = y.value
    values = dist.response.check(y)
    if is_censored(values):
        raise ValueError(
            "this metric needs known values of y; nll, concordance and calibration_curve do with "
            "bounds"
        )
    return _of_rows(dist, values)


def _of_rows(dist: Mixture, values: Array) -> Array:
    if len(values) != len(dist):
        raise ValueError(f"y has {len(values)} rows, the distribution {len(dist)}")
    return values


def row_mean(scores: Array, sample_weight: Any) -> float:
    """Return the mean of scores (n,); rows of weight zero count for nothing, even if infinite."""
    weight = check_weight(sample_weight, len(scores))
    if weight is None:
        return float(np.mean(scores))
    wide = weight.astype(np.float64)
    return float(np.average(scores[wide > 0], weights=wide[wide > 0]))


@dataclass(frozen=True)
class Metric:
    """A named score of what was predicted to watch during training; smaller is better."""

    name: str
    function: Callable[..., Any]  # of distributions, or of particles, and y

    def __call__(self, predicted: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score as a number; a function without `sample_weight` goes without it."""
        if sample_weight is not None and takes_weight(self.function):
            value = self.function(predicted, y, sample_weight=sample_weight)
        else:
            value = self.function(predicted, y)
        if np.ndim(value) != 0:
            raise ValueError(f"the metric {self.name} returned shape {np.shape(value)}, no number")
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the metric {self.name} returned {shown(value)}; a number is needed, smaller is "
                "better"
            ) from error


METRICS: dict[str, Metric] = {
    "nll": Metric("nll", nll),
    "crps": Metric("crps", crps),
    "rmse": Metric("rmse", rmse),
    "energy_score": Metric("energy_score", energy_score),
    "brier": Metric("brier", brier),
    "error_rate": Metric("error_rate", error_rate),
    "accuracy": Metric("error_rate", error_rate),  # watched as its complement
}


def as_metric(metric: Any, response: Response) -> Metric:
    """Return the metric that a name or a function stands for; None is the NLL.

    A function takes (dist, y), and `sample_weight` if it can, and returns a number, smaller being
    better. Raises ValueError for a name that is unknown, or that makes no sense for the response.
    """
    if metric is None:
        return METRICS["nll"]
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric(getattr(metric, "__name__", type(metric).__name__), metric)
    check_choice("eval_metric", metric, METRICS)
    sensible = ["nll", "crps", "rmse"]
    if response.nominal:
        sensible = ["nll", "brier", "error_rate", "accuracy"]
    elif response.y_shape:
        sensible = ["nll", "rmse", "energy_score"]
    check_choice(f"metric for the response {response.name!r}", metric, sensible)
    return METRICS[metric]
