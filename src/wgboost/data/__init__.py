"""Input data: frames, matrices and batches, their columns, and binned features."""

from wgboost.data.batches import Batch, Batches, ParquetBatches
from wgboost.data.dates import calendar_features
from wgboost.data.features import Features

__all__ = ["Batch", "Batches", "Features", "ParquetBatches", "calendar_features"]
