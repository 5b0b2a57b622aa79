"""The boosting loop: posteriors, directions and learners composed."""

from wgboost.boosting.averaged_flow import AveragedFlow
from wgboost.boosting.callbacks import Keep
from wgboost.boosting.early_stopping import Interrupted

__all__ = ["AveragedFlow", "Interrupted", "Keep"]
