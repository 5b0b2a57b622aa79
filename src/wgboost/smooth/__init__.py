"""Smooth functions of x to start at: Gaussian processes, exact or by way of landmarks."""

from wgboost.smooth.background import Background, SmoothRows, fit_background
from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.landmarks import Landmarks
from wgboost.smooth.process import Process
from wgboost.smooth.scale import Scale
from wgboost.smooth.settings import SmoothStart

__all__ = [
    "Background",
    "Columns",
    "Covariance",
    "Landmarks",
    "Process",
    "Scale",
    "SmoothRows",
    "SmoothStart",
    "fit_background",
]
