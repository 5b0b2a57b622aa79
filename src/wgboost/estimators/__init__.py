"""The estimators, scikit-learn style."""

from wgboost.estimators.classifier import WGBClassifier
from wgboost.estimators.general import WGBoost
from wgboost.estimators.regressor import WGBRegressor

__all__ = ["WGBClassifier", "WGBRegressor", "WGBoost"]
