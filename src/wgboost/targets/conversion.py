"""Conversion of what a user gives as a target into a target for all rows."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from wgboost.targets.autodiff import LogDensity, LogDensityTarget
from wgboost.targets.base import RowTarget
from wgboost.targets.frozen import FrozenTarget, check_univariate, is_frozen, take_frozen
from wgboost.targets.functions import DensityTarget, Target
from wgboost.targets.samples import SampleTarget
from wgboost.typing import Array

__all__ = ["as_row_target", "as_target_rows", "take_targets"]


def as_target_rows(y: Any) -> Any:
    """Return per-row targets as an array or a list.

    Parameters
    ----------
    y : object
        A frame, an array or a list. A frame becomes an array; an array of objects becomes a list.

    Returns
    -------
    object
        An array, a list, or y unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.targets.conversion import as_target_rows
    >>> as_target_rows(np.array([None, None]))
    [None, None]
    """
    if callable(getattr(y, "to_numpy", None)):
        y = y.to_numpy()
    return list(y) if isinstance(y, np.ndarray) and y.dtype.kind == "O" and y.ndim == 1 else y


def take_targets(y: Any, index: Array) -> Any:
    """Return the targets of some rows.

    Parameters
    ----------
    y : array, list or frozen distribution
        What `as_target_rows` returned.
    index : array of int
        The rows.

    Returns
    -------
    array, list or frozen distribution
        Their targets.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.targets.conversion import take_targets
    >>> take_targets(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if isinstance(y, np.ndarray):
        return y[index]
    return take_frozen(y, index) if is_frozen(y) else [y[i] for i in index]


def as_row_target(target: Any, y: Any, n: int) -> RowTarget:
    """Return the targets of all rows.

    Parameters
    ----------
    target : Target, LogDensity, array, list, frozen distribution or None
        Functions of particles and y, or a description of each row: samples (n, s, d), a list of n
        samples, of n `Density` or of n distributions of scipy.stats, or one such distribution with
        arrays (n,) as parameters. None: y is this description.
    y : array or None
        y of each row, for functions of it.
    n : int
        Number of rows.

    Returns
    -------
    RowTarget
        The targets.

    Raises
    ------
    ValueError
        If the number of rows does not fit.
    TypeError
        If the target is nothing of these.

    Examples
    --------
    >>> from wgboost.targets.conversion import as_row_target
    >>> type(as_row_target([[0.0, 1.0], [2.0]], None, 2)).__name__
    'SampleTarget'
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
