"""Calibration with rows that the model was not trained on.

`Calibration` scales predictive distributions, and `OODReference` turns OOD scores into p-values.
Both work from predictive distributions, those of models of folds included. Conformal intervals and
sets are in `wgboost.conformal`.
"""

from wgboost.calibration.factors import Calibration
from wgboost.calibration.ood import OODReference

__all__ = ["Calibration", "OODReference"]
