"""Posteriors that the compiled core evaluates, in float32 and on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost import _core
from wgboost.typing import Array

__all__ = ["CompiledAverage", "CompiledPosterior", "as_numbers"]

CompiledPosterior = _core.NormalPosterior | _core.CategoricalPosterior
CompiledAverage = _core.AveragedNormal


def as_numbers(*values: Any) -> tuple[Array, ...]:
    """Return each as contiguous float32: one number for all rows, or one per row."""
    return tuple(np.ascontiguousarray(np.atleast_1d(value), dtype=np.float32) for value in values)
