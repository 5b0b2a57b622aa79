"""The table `cv_results_`."""

from __future__ import annotations

import numpy as np

from wgboost.selection.successive_halving import FoldResult, fold_values
from wgboost.typing import Array

__all__ = ["results_table"]


def results_table(entries: list[FoldResult], kept: list[FoldResult]) -> dict[str, Array]:
    """Return what was tried, by column."""
    models = [entry.model for entry in entries]
    values: dict[FoldResult, float] = {}
    for recipe in dict.fromkeys(entry.recipe for entry in entries):
        own = [entry for entry in entries if entry.recipe == recipe]
        values.update(zip(own, fold_values(own), strict=True))
    return {
        "recipe": np.array([entry.recipe for entry in entries], dtype=np.str_),
        "fold": np.array([entry.fold for entry in entries]),
        "value": np.array([values[entry] for entry in entries]),
        "rounds": np.array([model.n_estimators_ for model in models]),
        "evidence": np.array([model.evidence_ for model in models]),
        "seconds": np.array([entry.seconds for entry in entries]),
        "kept": np.array([any(entry is one for one in kept) for entry in entries]),
    }
