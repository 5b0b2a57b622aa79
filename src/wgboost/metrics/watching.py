"""Metrics to watch during training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.metrics.ordering import concordance
from wgboost.metrics.point_scores import auc, mae, pinball
from wgboost.metrics.scores import brier, crps, energy_score, error_rate, log_loss, nll, rmse
from wgboost.predictive import Mixture
from wgboost.responses import Response
from wgboost.validation import accepts_sample_weight, check_choice, format_value

__all__ = ["METRICS", "Metric", "as_metric"]


@dataclass(frozen=True)
class Metric:
    """A named score of what was predicted to watch during training; smaller is better."""

    name: str
    function: Callable[..., Any]  # of distributions, or of particles, and y

    def __call__(self, predicted: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score as a number; a function without `sample_weight` goes without it."""
        if sample_weight is not None and accepts_sample_weight(self.function):
            value = self.function(predicted, y, sample_weight=sample_weight)
        else:
            value = self.function(predicted, y)
        if np.ndim(value) != 0:
            raise ValueError(f"the metric {self.name} returned shape {np.shape(value)}, no number")
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"the metric {self.name} returned {format_value(value)}; a number is needed, "
                "smaller is better"
            ) from error


def _discordance(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    return 1 - concordance(dist, y, sample_weight=sample_weight)


def _area_above(dist: Mixture, y: Any, *, sample_weight: Any = None) -> float:
    return 1 - auc(dist, y, sample_weight=sample_weight)


# Metrics of which more is better are watched as their complements.
METRICS: dict[str, Metric] = {
    "nll": Metric("nll", nll),
    "crps": Metric("crps", crps),
    "rmse": Metric("rmse", rmse),
    "mae": Metric("mae", mae),
    "pinball": Metric("pinball", pinball),
    "concordance": Metric("discordance", _discordance),
    "energy_score": Metric("energy_score", energy_score),
    "log_loss": Metric("log_loss", log_loss),
    "brier": Metric("brier", brier),
    "error_rate": Metric("error_rate", error_rate),
    "accuracy": Metric("error_rate", error_rate),
    "auc": Metric("one_minus_auc", _area_above),
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
    sensible = ["nll", "crps", "rmse", "mae", "pinball", "concordance"]
    if response.nominal:
        sensible = ["nll", "log_loss", "brier", "error_rate", "accuracy", "auc"]
    elif response.y_shape:
        sensible = ["nll", "rmse", "energy_score"]
    check_choice(f"eval_metric for the response {response.name!r}", metric, sensible)
    return METRICS[metric]
