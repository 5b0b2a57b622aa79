"""The boosting loop: posteriors, directions and learners composed."""

from wgboost.boosting.history import Interrupted, Validation, Watch
from wgboost.boosting.init import AveragedFlow, averaged_flow
from wgboost.boosting.loop import Boosted, Keep, boost
from wgboost.boosting.mean_step import MeanStep
from wgboost.boosting.replay import PROBES, Replay
from wgboost.boosting.round import LEAVES, Movement
from wgboost.boosting.start import BackgroundStart, ConstantStart, EstimatorStart, Start

__all__ = [
    "LEAVES",
    "PROBES",
    "AveragedFlow",
    "BackgroundStart",
    "Boosted",
    "ConstantStart",
    "EstimatorStart",
    "Interrupted",
    "Keep",
    "MeanStep",
    "Movement",
    "Replay",
    "Start",
    "Validation",
    "Watch",
    "averaged_flow",
    "boost",
]
