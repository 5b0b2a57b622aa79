"""How good predictive distributions are, given what happened.

Each function takes a `Mixture` and y (n,), or (n, q), in the user's units (classes as codes 0 to
k - 1), and returns the weighted mean over rows of a score; smaller is better except where it says
otherwise.
"""

from wgboost.metrics.censoring import calibration_curve, concordance
from wgboost.metrics.distances import energy_distance, mmd, sliced_wasserstein
from wgboost.metrics.particles import as_particle_metric, log_predictive
from wgboost.metrics.scores import (
    METRICS,
    Metric,
    accuracy,
    as_metric,
    brier,
    coverage,
    crps,
    energy_score,
    error_rate,
    interval_width,
    nll,
    ood_average_precision,
    pit,
    rmse,
)

__all__ = [
    "METRICS",
    "Metric",
    "accuracy",
    "as_metric",
    "as_particle_metric",
    "brier",
    "calibration_curve",
    "concordance",
    "coverage",
    "crps",
    "energy_distance",
    "energy_score",
    "error_rate",
    "interval_width",
    "log_predictive",
    "mmd",
    "nll",
    "ood_average_precision",
    "pit",
    "rmse",
    "sliced_wasserstein",
]
