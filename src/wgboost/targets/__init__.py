"""Targets that the particles of each row move towards: posteriors, densities, samples."""

from wgboost.targets.autodiff import LogDensity
from wgboost.targets.functions import Density, Target
from wgboost.targets.samples import from_histograms, from_quantiles

__all__ = ["Density", "LogDensity", "Target", "from_histograms", "from_quantiles"]
