"""Cross-validation: folds of rows, and models fitted without the rows of each fold."""

from wgboost.folds.fitting import Fold, held_out, out_of_fold

__all__ = ["Fold", "held_out", "out_of_fold"]
