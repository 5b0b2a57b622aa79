"""Plots of models and predictions, in the style of scikit-learn's displays.

Each class has `from_estimator`, and `from_predictions` where predictions are enough. Both draw at
once, into axes given as `ax` or into a new figure. The numbers behind a plot are attributes of the
display. Plots need matplotlib, the extra `plot`, which is imported when something is drawn.
"""

from wgboost.plotting.calibration import CalibrationDisplay
from wgboost.plotting.coverage import CoverageDisplay
from wgboost.plotting.density import DensityDisplay
from wgboost.plotting.dependence import PartialDependenceDisplay
from wgboost.plotting.display import Display
from wgboost.plotting.html_report import report
from wgboost.plotting.importance import ImportanceDisplay
from wgboost.plotting.learning import LearningCurveDisplay
from wgboost.plotting.ood import OODDisplay
from wgboost.plotting.particles import ParticlesDisplay
from wgboost.plotting.pit import PITDisplay
from wgboost.plotting.predictive import PredictiveDisplay
from wgboost.plotting.uncertainty import UncertaintyDisplay

__all__ = [
    "CalibrationDisplay",
    "CoverageDisplay",
    "DensityDisplay",
    "Display",
    "ImportanceDisplay",
    "LearningCurveDisplay",
    "OODDisplay",
    "PITDisplay",
    "PartialDependenceDisplay",
    "ParticlesDisplay",
    "PredictiveDisplay",
    "UncertaintyDisplay",
    "report",
]
