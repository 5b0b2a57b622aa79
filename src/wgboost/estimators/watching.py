"""The metric that early stopping goes by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wgboost import metrics
from wgboost.predictive import Mixture
from wgboost.responses import Response
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["Metric", "as_metric"]


def _error(dist: Mixture, y: Array, sample_weight: Array | None = None) -> float:
    return 1.0 - metrics.accuracy(dist, y, sample_weight=sample_weight)


_REGRESSION: dict[str, Callable[..., float]] = {
    "nll": metrics.nll,
    "rmse": metrics.rmse,
    "crps": metrics.crps,
}
_CLASSES: dict[str, Callable[..., float]] = {
    "nll": metrics.nll,
    "brier": metrics.brier,
    "error": _error,
}


@dataclass(frozen=True)
class Metric:
    """A named function of (distribution, y, sample_weight); smaller is better."""

    name: str
    function: Callable[..., Any]
    weighted: bool = True

    def __call__(self, dist: Mixture, y: Array, weight: Array | None) -> float:
        """Return the metric of predictions for y in the user's units."""
        if self.weighted:
            return float(self.function(dist, y, sample_weight=weight))
        return float(self.function(dist, y))


def as_metric(metric: Any, response: Response) -> Metric:
    """Return the metric of a name, or of a function (dist, y) -> float, smaller is better."""
    if callable(metric):
        return Metric(getattr(metric, "__name__", "metric"), metric, weighted=False)
    known = _CLASSES if response.nominal else _REGRESSION
    return Metric(str(metric), known[check_choice("eval_metric", metric, known)])
