"""Cross-validation: folds of rows, and models fitted without the rows of each fold."""

from wgboost.folds.fitting import Fold, held_out, out_of_fold
from wgboost.folds.splitting import split_folds

__all__ = ["Fold", "held_out", "out_of_fold", "split_folds"]
