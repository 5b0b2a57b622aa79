"""From what users hold to what the trees read."""

from wgboost.data.binning import MAX_BINS, Binned, Cuts
from wgboost.data.features import Features, as_matrix

__all__ = ["MAX_BINS", "Binned", "Cuts", "Features", "as_matrix"]
