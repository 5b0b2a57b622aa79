"""Calibration with rows that the model was not trained on.

`Calibration` scales predictive distributions. `OODReference` turns OOD scores into p-values. Both
work from predictive distributions, so also from out-of-fold predictions. Conformal intervals and
sets are in `wgboost.conformal`.
"""

from wgboost.calibration.factors import Calibration
from wgboost.calibration.ood import OODReference, aligned_scores

__all__ = ["Calibration", "OODReference", "aligned_scores"]
