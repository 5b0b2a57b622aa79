"""Small fits of every kind, whose results a change of the code must not change."""

from __future__ import annotations

import frozen_models
import frozen_rows
from frozen_data import Fits

__all__ = ["FITS"]

FITS: Fits = {**frozen_rows.FITS, **frozen_models.FITS}
"""Functions that fit a model and return what it predicts as arrays, by name."""
