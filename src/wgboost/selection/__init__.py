"""Estimators that choose their settings by successive halving over folds."""

from wgboost.selection.classifier import WGBClassifierCV
from wgboost.selection.recipes import classifier_recipes, regressor_recipes
from wgboost.selection.regressor import WGBRegressorCV

__all__ = [
    "WGBClassifierCV",
    "WGBRegressorCV",
    "classifier_recipes",
    "regressor_recipes",
]
