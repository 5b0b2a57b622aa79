"""Estimators that choose their settings by successive halving over folds."""

from wgboost.selection.classifier import WGBClassifierCV
from wgboost.selection.fold_values import cross_validated_rounds, cross_validated_values
from wgboost.selection.ood_members import MIN_OOD_GAIN, left_out_class_gain, left_out_classes
from wgboost.selection.ood_references import bag_ood_references, mix_with_neighbours
from wgboost.selection.recipes import (
    FEW,
    MANY,
    Recipes,
    checked_recipes,
    classifier_recipes,
    ood_recipe,
    regressor_recipes,
)
from wgboost.selection.regressor import WGBRegressorCV
from wgboost.selection.shared_starts import SharedStarts
from wgboost.selection.successive_halving import (
    FoldResult,
    StoppedError,
    best_recipe,
    fit_folds,
    fold_values,
    mean_value,
    next_fit,
    successive_halving,
    unbiased_value,
)
from wgboost.selection.time_order import is_time_ordered

__all__ = [
    "FEW",
    "MANY",
    "MIN_OOD_GAIN",
    "FoldResult",
    "Recipes",
    "SharedStarts",
    "StoppedError",
    "WGBClassifierCV",
    "WGBRegressorCV",
    "bag_ood_references",
    "best_recipe",
    "checked_recipes",
    "classifier_recipes",
    "cross_validated_rounds",
    "cross_validated_values",
    "fit_folds",
    "fold_values",
    "is_time_ordered",
    "left_out_class_gain",
    "left_out_classes",
    "mean_value",
    "mix_with_neighbours",
    "next_fit",
    "ood_recipe",
    "regressor_recipes",
    "successive_halving",
    "unbiased_value",
]
