"""Metrics to watch during training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.metrics.scores import brier, crps, energy_score, error_rate, nll, rmse
from wgboost.responses import Response
from wgboost.validation import check_choice, shown, takes_weight

__all__ = ["METRICS", "Metric", "as_metric"]


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
