"""The boosting loop: posteriors, directions and learners composed."""

from wgboost.boosting.averaged_flow import AveragedFlow
from wgboost.boosting.early_stopping import Interrupted
from wgboost.boosting.loop import Keep

__all__ = ["AveragedFlow", "Interrupted", "Keep"]
