"""Wasserstein gradient boosting: tree ensembles that predict distributions over parameters."""

from wgboost.boosting import AveragedFlow, Interrupted
from wgboost.calibration import Calibration, OODReference
from wgboost.conformal import ConformalClassifier, ConformalRegressor
from wgboost.data import Batches, ParquetBatches, calendar_features
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
from wgboost.learners import TreeLearner
from wgboost.loading import load
from wgboost.metrics.unwrapping import predict_dist
from wgboost.persistence import ModelFileError
from wgboost.plotting import report
from wgboost.predictive import Mixture
from wgboost.responses import (
    Beta,
    Categorical,
    Cauchy,
    Exponential,
    Gamma,
    Gumbel,
    InverseGaussian,
    Laplace,
    Logistic,
    LogNormal,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    Ordinal,
    Poisson,
    StudentT,
    Weibull,
    ZeroInflatedNegativeBinomial,
    ZeroInflatedPoisson,
    censored,
    propose_response,
)
from wgboost.selection import WGBClassifierCV, WGBRegressorCV
from wgboost.smooth import SmoothStart
from wgboost.targets import Density, LogDensity, Target, from_histograms, from_quantiles
from wgboost.version import __version__

__all__ = [
    "MMD",
    "AlphaDivergence",
    "AveragedFlow",
    "Batches",
    "Beta",
    "Calibration",
    "Categorical",
    "Cauchy",
    "ConformalClassifier",
    "ConformalRegressor",
    "Density",
    "DiagonalNewton",
    "EnergyDistance",
    "Exponential",
    "FullNewton",
    "Gamma",
    "Gumbel",
    "Interrupted",
    "InverseGaussian",
    "Kernel",
    "Langevin",
    "Laplace",
    "LogDensity",
    "LogNormal",
    "Logistic",
    "Mixture",
    "ModelFileError",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OODReference",
    "Ordinal",
    "ParquetBatches",
    "Poisson",
    "SmoothStart",
    "SmoothedGradient",
    "StudentT",
    "Target",
    "TreeLearner",
    "WGBClassifier",
    "WGBClassifierCV",
    "WGBRegressor",
    "WGBRegressorCV",
    "WGBoost",
    "Weibull",
    "ZeroInflatedNegativeBinomial",
    "ZeroInflatedPoisson",
    "__version__",
    "calendar_features",
    "censored",
    "from_histograms",
    "from_quantiles",
    "load",
    "predict_dist",
    "propose_response",
    "report",
]
