"""Metrics of predictive distributions.

Each function takes a `Mixture` and y of shape (n,) or (n, q) in the user's units, and returns the
weighted mean of a score over rows. Smaller is better unless the docstring says otherwise. Classes
are given by their labels, or by codes 0 to k - 1 if the mixture has no `classes`. `get_scorer`
makes scorers for scikit-learn's model selection.
"""

from wgboost.metrics.calibration import (
    calibration_curve,
    calibration_error,
    pit,
    reliability_curve,
)
from wgboost.metrics.distances import energy_distance, mmd, sliced_wasserstein
from wgboost.metrics.intervals import coverage, interval_score, interval_width
from wgboost.metrics.metric import Metric, SummaryLine
from wgboost.metrics.ood import (
    OOD_METHODS,
    ood_average_precision,
    ood_pvalue,
    ood_roc_auc,
    ood_scores,
)
from wgboost.metrics.particles import as_particle_metric, log_predictive
from wgboost.metrics.point_scores import auc, mae, pinball
from wgboost.metrics.rank import concordance
from wgboost.metrics.registry import METRICS, as_metric
from wgboost.metrics.scorers import Scorer, get_scorer, make_scorer
from wgboost.metrics.scores import (
    accuracy,
    brier,
    crps,
    energy_score,
    error_rate,
    log_loss,
    nll,
    rmse,
)
from wgboost.metrics.summaries import Summary, summary

__all__ = [
    "METRICS",
    "OOD_METHODS",
    "Metric",
    "Scorer",
    "Summary",
    "SummaryLine",
    "accuracy",
    "as_metric",
    "as_particle_metric",
    "auc",
    "brier",
    "calibration_curve",
    "calibration_error",
    "concordance",
    "coverage",
    "crps",
    "energy_distance",
    "energy_score",
    "error_rate",
    "get_scorer",
    "interval_score",
    "interval_width",
    "log_loss",
    "log_predictive",
    "mae",
    "make_scorer",
    "mmd",
    "nll",
    "ood_average_precision",
    "ood_pvalue",
    "ood_roc_auc",
    "ood_scores",
    "pinball",
    "pit",
    "reliability_curve",
    "rmse",
    "sliced_wasserstein",
    "summary",
]
