"""From what users hold to what the trees read."""

from wgboost.data.batches import Batch, Batches, ParquetBatches
from wgboost.data.binning import MAX_BINS, Binned, Cuts
from wgboost.data.dates import calendar_features
from wgboost.data.features import Features, as_matrix
from wgboost.data.frames import as_dense, as_frame
from wgboost.data.level_groups import LevelGroups, group_levels
from wgboost.data.naming import named_columns, without_columns
from wgboost.data.schema import FROM_DTYPE, Schema, column_index
from wgboost.data.stored import PreparedMatrix, StoredMatrix

__all__ = [
    "FROM_DTYPE",
    "MAX_BINS",
    "Batch",
    "Batches",
    "Binned",
    "Cuts",
    "Features",
    "LevelGroups",
    "ParquetBatches",
    "PreparedMatrix",
    "Schema",
    "StoredMatrix",
    "as_dense",
    "as_frame",
    "as_matrix",
    "calendar_features",
    "column_index",
    "group_levels",
    "named_columns",
    "without_columns",
]
