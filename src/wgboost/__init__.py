"""Wasserstein gradient boosting: tree ensembles that predict distributions over parameters."""

from wgboost.boosting import AveragedFlow, Interrupted
from wgboost.directions import (
    MMD,
    AlphaDivergence,
    DiagonalNewton,
    EnergyDistance,
    FullNewton,
    Kernel,
    Langevin,
    SmoothedGradient,
)
from wgboost.estimators import WGBClassifier, WGBoost, WGBRegressor
from wgboost.predictive import Mixture
from wgboost.responses import Categorical, Normal, censored
from wgboost.targets import Density, LogDensity, Target, from_histograms, from_quantiles

__version__ = "0.1.0"

__all__ = [
    "MMD",
    "AlphaDivergence",
    "AveragedFlow",
    "Categorical",
    "Density",
    "DiagonalNewton",
    "EnergyDistance",
    "FullNewton",
    "Interrupted",
    "Kernel",
    "Langevin",
    "LogDensity",
    "Mixture",
    "Normal",
    "SmoothedGradient",
    "Target",
    "WGBClassifier",
    "WGBRegressor",
    "WGBoost",
    "__version__",
    "censored",
    "from_histograms",
    "from_quantiles",
]
