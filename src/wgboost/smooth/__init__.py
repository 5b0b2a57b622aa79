"""Smooth starts: Gaussian processes, exact or by a Nyström approximation."""

from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.gp_model import GPData, GPModel, fit_gp
from wgboost.smooth.nystrom_gp import NystromGP
from wgboost.smooth.scale import Scale
from wgboost.smooth.settings import SmoothStart

__all__ = [
    "Columns",
    "Covariance",
    "ExactGP",
    "GPData",
    "GPModel",
    "NystromGP",
    "Scale",
    "SmoothStart",
    "fit_gp",
]
