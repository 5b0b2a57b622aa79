"""The table `cv_results_`."""

from __future__ import annotations

import numpy as np

from wgboost.selection.successive_halving import FoldResult, fold_values
from wgboost.typing import Array

__all__ = ["results_table"]


def results_table(results: list[FoldResult], kept: list[FoldResult]) -> dict[str, Array]:
    """Return the columns of `cv_results_`; the bag has the models of `kept`."""
    models = [result.model for result in results]
    values: dict[FoldResult, float] = {}
    for recipe in dict.fromkeys(result.recipe for result in results):
        own = [result for result in results if result.recipe == recipe]
        values.update(zip(own, fold_values(own), strict=True))
    return {
        "recipe": np.array([result.recipe for result in results], dtype=np.str_),
        "fold": np.array([result.fold for result in results]),
        "value": np.array([values[result] for result in results]),
        "rounds": np.array([model.n_estimators_ for model in models]),
        "evidence": np.array([model.evidence_ for model in models]),
        "seconds": np.array([result.seconds for result in results]),
        "kept": np.array([any(result is one for one in kept) for result in results]),
    }
