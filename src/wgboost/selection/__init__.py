"""Estimators that choose their own settings: recipes race over folds, and the winner is a bag."""

from wgboost.selection.classifier import WGBClassifierCV
from wgboost.selection.forward import is_forward
from wgboost.selection.judging import rounds_of_others, values_of_folds
from wgboost.selection.race import (
    Entry,
    StoppedError,
    fold_values,
    leader,
    mean_value,
    next_fit,
    run_race,
    run_some,
    unbiased_value,
)
from wgboost.selection.recipes import (
    FEW,
    MANY,
    Recipes,
    checked_recipes,
    classifier_recipes,
    regressor_recipes,
    wide_recipe,
)
from wgboost.selection.regressor import WGBRegressorCV
from wgboost.selection.starts import SharedStarts
from wgboost.selection.unseen import references_of_bag, rows_between
from wgboost.selection.wide import WORTHWHILE, gain_of_left_out, left_out_classes

__all__ = [
    "FEW",
    "MANY",
    "WORTHWHILE",
    "Entry",
    "Recipes",
    "SharedStarts",
    "StoppedError",
    "WGBClassifierCV",
    "WGBRegressorCV",
    "checked_recipes",
    "classifier_recipes",
    "fold_values",
    "gain_of_left_out",
    "is_forward",
    "leader",
    "left_out_classes",
    "mean_value",
    "next_fit",
    "references_of_bag",
    "regressor_recipes",
    "rounds_of_others",
    "rows_between",
    "run_race",
    "run_some",
    "unbiased_value",
    "values_of_folds",
    "wide_recipe",
]
