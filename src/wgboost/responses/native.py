"""Posteriors that the compiled core evaluates, in float32 and on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost import _core
from wgboost.typing import Array

__all__ = ["CompiledAverage", "CompiledPosterior", "as_numbers"]

CompiledPosterior = _core.NormalPosterior | _core.CategoricalPosterior
CompiledAverage = _core.AveragedNormal | _core.AveragedCategorical


def as_numbers(**values: Any) -> dict[str, Array]:
    """Return each as contiguous float32: one number for all rows, or one per row."""
    return {
        name: np.ascontiguousarray(np.atleast_1d(value), dtype=np.float32)
        for name, value in values.items()
    }
