"""Predictions that keep what they promise, judged by rows that the model has not seen.

`Calibration` corrects predictive distributions; conformal intervals and sets hold y as often as
they say, whatever the model is worth; `OODReference` turns OOD scores into p-values. All work from
predictive distributions and y, so also from out-of-fold predictions.
"""

from wgboost.calibration.classifier import ConformalClassifier
from wgboost.calibration.factors import Calibration
from wgboost.calibration.folds import Fold, held_out, out_of_fold, split_folds
from wgboost.calibration.intervals import (
    conformal_interval,
    cross_conformal_interval,
    interval_at,
    interval_scores,
)
from wgboost.calibration.level import conformal_level, rows_needed
from wgboost.calibration.ood import OODReference, aligned_scores
from wgboost.calibration.regressor import ConformalRegressor
from wgboost.calibration.sets import (
    class_scores,
    conformal_sets,
    cross_conformal_sets,
    scores_of_classes,
    sets_at,
)

__all__ = [
    "Calibration",
    "ConformalClassifier",
    "ConformalRegressor",
    "Fold",
    "OODReference",
    "aligned_scores",
    "class_scores",
    "conformal_interval",
    "conformal_level",
    "conformal_sets",
    "cross_conformal_interval",
    "cross_conformal_sets",
    "held_out",
    "interval_at",
    "interval_scores",
    "out_of_fold",
    "rows_needed",
    "scores_of_classes",
    "sets_at",
    "split_folds",
]
