"""The boosting loop: posteriors, directions and learners composed."""

from wgboost.boosting.averaged_flow import AveragedFlow, averaged_flow
from wgboost.boosting.early_stopping import Interrupted, StoppingRule, Validation
from wgboost.boosting.loop import BoostingResult, Keep, boost
from wgboost.boosting.mean_step import MeanStep
from wgboost.boosting.parametric_bootstrap import N_REPLICATES, ParametricBootstrap
from wgboost.boosting.round import LEAVES, RoundTargets
from wgboost.boosting.start import ConstantStart, EstimatorStart, GPStart, Start

__all__ = [
    "LEAVES",
    "N_REPLICATES",
    "AveragedFlow",
    "BoostingResult",
    "ConstantStart",
    "EstimatorStart",
    "GPStart",
    "Interrupted",
    "Keep",
    "MeanStep",
    "ParametricBootstrap",
    "RoundTargets",
    "Start",
    "StoppingRule",
    "Validation",
    "averaged_flow",
    "boost",
]
