"""Metrics as scikit-learn's model selection takes them: larger is better.

A scorer is called with (estimator, X, y): ``cross_val_score(model, X, y,
scoring=get_scorer("crps"))``, and so in GridSearchCV.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from wgboost.metrics import calibration, intervals, scores
from wgboost.metrics.checks import check_confidence
from wgboost.metrics.estimates import distribution_of, encoded
from wgboost.metrics.ordering import concordance
from wgboost.metrics.watching import Metric
from wgboost.predictive import Mixture
from wgboost.validation import check_choice, nearest_name, takes_weight

__all__ = ["SCORERS", "Scorer", "get_scorer", "make_scorer"]


@dataclass(frozen=True)
class Scorer:
    """A metric of the distributions that an estimator predicts; larger is better.

    Parameters
    ----------
    name
        What it is called in messages.
    function
        A metric (dist, y), perhaps with `sample_weight`.
    greater_is_better
        Whether the metric itself is so; otherwise the scorer returns minus its value.
    """

    name: str
    function: Callable[..., Any]
    greater_is_better: bool = False

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted estimator, or pipeline, on the rows of X."""
        if sample_weight is not None and not takes_weight(self.function):
            raise TypeError(f"the metric {self.name!r} takes no sample_weight")
        metric = Metric(self.name, self.function)
        value = metric(distribution_of(estimator, X), encoded(estimator, y), sample_weight)
        return value if self.greater_is_better else -value


def make_scorer(function: Any, *, greater_is_better: bool = False, **settings: Any) -> Scorer:
    """Return a scorer of a metric of one's own, a function of (dist, y).

    Parameters
    ----------
    function
        Takes (dist, y), and `sample_weight` if it can; classes y come as codes.
    greater_is_better
        Whether a larger value of the function is better.
    **settings
        Further arguments of the function.
    """
    if not callable(function):
        raise TypeError(f"{function!r} must be a function of (dist, y); get_scorer takes names")
    name = getattr(function, "__name__", type(function).__name__)
    with_settings = partial(function, **settings) if settings else function
    return Scorer(name, with_settings, greater_is_better)


def _coverage_gap(
    dist: Mixture, y: Any, confidence: float = 0.9, *, sample_weight: Any = None
) -> float:
    share = intervals.coverage(dist, y, confidence, sample_weight=sample_weight)
    return abs(share - check_confidence(confidence))


SCORERS: dict[str, Scorer] = {
    "nll": Scorer("nll", scores.nll),
    "crps": Scorer("crps", scores.crps),
    "energy_score": Scorer("energy_score", scores.energy_score),
    "rmse": Scorer("rmse", scores.rmse),
    "interval_score": Scorer("interval_score", intervals.interval_score),
    "interval_width": Scorer("interval_width", intervals.interval_width),
    "coverage": Scorer("coverage", _coverage_gap),
    "calibration_error": Scorer("calibration_error", calibration.calibration_error),
    "concordance": Scorer("concordance", concordance, greater_is_better=True),
    "log_loss": Scorer("log_loss", scores.log_loss),
    "brier": Scorer("brier", scores.brier),
    "accuracy": Scorer("accuracy", scores.accuracy, greater_is_better=True),
}


def get_scorer(name: str, **settings: Any) -> Scorer:
    """Return the scorer of a metric of this package.

    Parameters
    ----------
    name
        A key of `SCORERS`. Metrics of which less is better are negated; "coverage" is minus the
        distance of the coverage from the confidence.
    **settings
        Further arguments of the metric: ``get_scorer("interval_score", confidence=0.8)``.
    """
    scorer = SCORERS[check_choice("scorer", name, SCORERS)]
    if not settings:
        return scorer
    valid = list(inspect.signature(scorer.function).parameters)[2:]
    for setting in settings:
        if setting not in valid or setting == "sample_weight":
            raise TypeError(
                f"the metric {name!r} has no setting {setting!r}{nearest_name(setting, valid)}"
            )
    return Scorer(name, partial(scorer.function, **settings), scorer.greater_is_better)
