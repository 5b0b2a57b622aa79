"""Conversion of what a user gives as a target into a target for all rows."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.targets.autodiff import LogDensity, LogDensityTarget, check_log_density
from wgboost.targets.base import UncompiledTarget
from wgboost.targets.frozen import FrozenTarget, check_univariate, is_frozen, take_frozen
from wgboost.targets.functions import DensityTarget, Target
from wgboost.targets.samples import SampleTarget
from wgboost.typing import Array

__all__ = ["as_row_target", "as_target_rows", "take_targets"]


def as_target_rows(y: Any) -> Any:
    """Return per-row targets as an array or a list; a frame becomes an array."""
    if callable(getattr(y, "to_numpy", None)):
        y = y.to_numpy()
    return list(y) if isinstance(y, np.ndarray) and y.dtype.kind == "O" and y.ndim == 1 else y


def take_targets(y: Any, index: Array) -> Any:
    """Return the targets of some rows."""
    if isinstance(y, np.ndarray):
        return y[index]
    return take_frozen(y, index) if is_frozen(y) else [y[i] for i in index]


def as_row_target(target: Any, y: Any, n: int) -> UncompiledTarget:
    """Return the targets of all n rows.

    Parameters
    ----------
    target : Target, LogDensity, array, list, frozen distribution or None
        Functions of particles and y, or a description of each row: samples (n, s, d), a list of n
        samples, of n `Density` or of n distributions of scipy.stats, or one such distribution with
        arrays (n,) as parameters. If None, y is this description.
    y : array or None
        y of each row, for functions of it.
    n : int
        Number of rows.

    Returns
    -------
    UncompiledTarget
        The targets.
    """
    if isinstance(target, (Target, LogDensity)):
        values = np.zeros((n, 0)) if y is None else np.asarray(y)
        if len(values) != n:
            raise ValueError(f"X has {n} rows, y has {len(values)}")
        if isinstance(target, LogDensity):
            check_log_density(target, values)
            return LogDensityTarget(target, values)
        return DensityTarget(target, values[:, None] if values.ndim == 1 else values)
    if target is None:
        target, y = y, None
    if y is not None:
        raise ValueError("this target does not depend on y; leave y out")
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
