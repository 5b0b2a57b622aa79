"""Wasserstein gradient boosting: tree ensembles that predict distributions over parameters."""

from wgboost.boosting import AveragedFlow, Density, Interrupted, Target
from wgboost.directions import DiagonalNewton, FullNewton, Kernel, Langevin, SmoothedGradient
from wgboost.estimators import WGBClassifier, WGBoost, WGBRegressor
from wgboost.predictive import Mixture
from wgboost.responses import Categorical, Normal, censored

__version__ = "0.1.0"

__all__ = [
    "AveragedFlow",
    "Categorical",
    "Density",
    "DiagonalNewton",
    "FullNewton",
    "Interrupted",
    "Kernel",
    "Langevin",
    "Mixture",
    "Normal",
    "SmoothedGradient",
    "Target",
    "WGBClassifier",
    "WGBRegressor",
    "WGBoost",
    "__version__",
    "censored",
]
