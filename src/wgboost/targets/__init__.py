"""What the particles of each row move towards: posteriors, densities, samples."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.targets.autodiff import LogDensity, LogDensityTarget
from wgboost.targets.base import RowTarget
from wgboost.targets.frozen import FrozenTarget, check_univariate, is_frozen, take_frozen
from wgboost.targets.functions import Density, DensityTarget, Target
from wgboost.targets.posterior import PosteriorTarget
from wgboost.targets.samples import SampleTarget, from_histograms, from_quantiles
from wgboost.typing import Array

__all__ = [
    "Density",
    "DensityTarget",
    "FrozenTarget",
    "LogDensity",
    "LogDensityTarget",
    "PosteriorTarget",
    "RowTarget",
    "SampleTarget",
    "Target",
    "as_row_target",
    "as_target_rows",
    "from_histograms",
    "from_quantiles",
    "is_frozen",
    "take_targets",
]


def as_target_rows(y: Any) -> Any:
    """Return what describes rows one by one as an array, a list, or as it is.

    A table of samples becomes an array, a column or an array of objects a list of them.
    """
    if callable(getattr(y, "to_numpy", None)):
        y = y.to_numpy()
    return list(y) if isinstance(y, np.ndarray) and y.dtype.kind == "O" and y.ndim == 1 else y


def take_targets(y: Any, index: Array) -> Any:
    """Return some of the rows that y, after `as_target_rows`, describes."""
    if isinstance(y, np.ndarray):
        return y[index]
    return take_frozen(y, index) if is_frozen(y) else [y[i] for i in index]


def as_row_target(target: Any, y: Any, n: int) -> RowTarget:
    """Return the targets of n rows.

    `target` is a `Target` or a `LogDensity`, which y then belongs to, or what describes each row:
    samples (n, s, d), or a list of n samples, densities or distributions of scipy.stats, or one
    such distribution whose parameters are arrays (n,). With target=None that is what y is.
    """
    if isinstance(target, (Target, LogDensity)):
        values = np.zeros((n, 0)) if y is None else np.asarray(y)
        if len(values) != n:
            raise ValueError(f"X has {n} rows, y has {len(values)}")
        if isinstance(target, LogDensity):
            target.check(values)
            return LogDensityTarget(target, values)
        return DensityTarget(target, values[:, None] if values.ndim == 1 else values)
    if target is None:
        target, y = y, None
    if y is not None:
        raise ValueError("the target already says it all; leave y out")
    target = as_target_rows(target)
    if is_frozen(target):
        shape = np.shape(target.ppf(0.5) if hasattr(target, "ppf") else target.icdf(0.5))
        if shape != (n,):
            raise ValueError(
                f"X has {n} rows, the distribution has parameters of shape {shape}; one "
                f"distribution for all rows needs ({n},)"
            )
        return FrozenTarget.of(target)
    if isinstance(target, np.ndarray) and target.ndim in (2, 3) and target.dtype.kind in "fiu":
        _check_length(target, n, "samples")
        return SampleTarget.of(target)
    if not isinstance(target, Sequence) or isinstance(target, str) or len(target) == 0:
        raise TypeError(
            f"target={reprlib.repr(target)} must be a wgboost.Target(score=...), a LogDensity, "
            "samples (n, s, d), or a list with one Density, one array of samples or one "
            "distribution of scipy.stats for each row"
        )
    if all(callable(getattr(one, "score", None)) for one in target):
        _check_length(target, n, "densities")
        return DensityTarget(tuple(target), np.zeros((n, 0)))
    if all(is_frozen(one) for one in target):
        _check_length(target, n, "distributions")
        return FrozenTarget.of(target)
    for row, one in enumerate(target):
        check_univariate(one, row)
        if np.ndim(one) not in (1, 2) or np.asarray(one).dtype.kind not in "fiu":
            raise TypeError(
                f"the target of row {row}, {reprlib.repr(one)}, is neither a Density with a "
                "function score, nor samples, nor a distribution of scipy.stats like the others"
            )
    _check_length(target, n, "lists of samples")
    return SampleTarget.of(target)


def _check_length(target: Any, n: int, what: str) -> None:
    if len(target) != n:
        raise ValueError(f"X has {n} rows, there are {len(target)} {what}")
