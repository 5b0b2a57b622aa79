"""Conformal prediction: intervals and sets of classes with guaranteed coverage.

The functions take predictive distributions and y. The estimators wrap any model that predicts
distributions or class probabilities.
"""

from wgboost.conformal.classifier import ConformalClassifier
from wgboost.conformal.intervals import (
    conformal_interval,
    cross_conformal_interval,
    interval_at,
    interval_scores,
)
from wgboost.conformal.level import conformal_level, rows_needed
from wgboost.conformal.regressor import ConformalRegressor
from wgboost.conformal.sets import (
    class_scores,
    conformal_sets,
    cross_conformal_sets,
    scores_of_classes,
    sets_at,
)

__all__ = [
    "ConformalClassifier",
    "ConformalRegressor",
    "class_scores",
    "conformal_interval",
    "conformal_level",
    "conformal_sets",
    "cross_conformal_interval",
    "cross_conformal_sets",
    "interval_at",
    "interval_scores",
    "rows_needed",
    "scores_of_classes",
    "sets_at",
]
