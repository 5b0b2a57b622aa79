"""Checks of arrays. Messages name the value and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array, Directions

__all__ = [
    "check_curvature",
    "check_finite",
    "check_state",
    "check_targets",
    "check_unmasked",
    "check_weight",
]


def _where(bad: Array) -> str:
    return str(tuple(int(i) for i in np.argwhere(bad)[0]))


def check_targets(name: str, values: Any, n: int) -> Directions:
    """Return targets as contiguous float32.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    values : array_like of shape (n, m, d)
        Targets.
    n : int
        Number of rows.

    Returns
    -------
    array of shape (n, m, d)
        The targets.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> from wgboost.validation import check_targets
    >>> check_targets("targets", [[[1.0]]], 1).dtype
    dtype('float32')
    """
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise TypeError(f"{name} has dtype {values.dtype}; floating point numbers are needed")
    if values.ndim != 3:
        raise ValueError(
            f"{name} has shape {values.shape}; (rows, particles, parameters) is needed: "
            "reshape(n, 1, K) makes K outputs of one particle"
        )
    if values.shape[0] != n:
        raise ValueError(f"{name} has {values.shape[0]} rows, the features have {n}")
    if min(values.shape) == 0:
        raise ValueError(f"{name} of shape {values.shape} is empty")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def check_curvature(curvature: Any, targets: Directions) -> Directions:
    """Return the curvature of targets as contiguous float32.

    Parameters
    ----------
    curvature : array_like of shape (n, m, d)
        Curvature.
    targets : array of shape (n, m, d)
        Targets.

    Returns
    -------
    array of shape (n, m, d)
        The curvature.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.validation import check_curvature
    >>> check_curvature(np.ones((1, 1, 1)), np.ones((1, 1, 1))).dtype
    dtype('float32')
    """
    checked = check_targets("curvature", curvature, targets.shape[0])
    if checked.shape != targets.shape:
        raise ValueError(f"curvature has shape {checked.shape}, the targets {targets.shape}")
    return checked


def check_state(particles: Any, shape: tuple[int, int, int]) -> None:
    """Check that particles can be updated in place.

    Parameters
    ----------
    particles : array
        Given particles.
    shape : tuple (n, m, d)
        Expected shape.

    Raises
    ------
    TypeError
        If they are not a contiguous writeable float32 array.
    ValueError
        If the shape is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.validation import check_state
    >>> check_state(np.zeros((1, 2, 3), np.float32), (1, 2, 3))
    """
    if not isinstance(particles, np.ndarray) or particles.dtype != np.float32:
        raise TypeError(
            f"particles are {getattr(particles, 'dtype', type(particles))}; "
            "a C-contiguous float32 array (n, m, d) is needed"
        )
    if particles.shape != shape:
        raise ValueError(f"particles have shape {particles.shape}; {shape} is needed")
    if not particles.flags.c_contiguous or not particles.flags.writeable:
        raise TypeError("particles must be a C-contiguous float32 array that can be written to")


def check_finite(name: str, values: Array, *, nonnegative: bool = False) -> None:
    """Check that all values are finite.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    values : array
        Values.
    nonnegative : bool, default=False
        Whether values also have to be >= 0.

    Raises
    ------
    ValueError
        With the first value that is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.validation import check_finite
    >>> check_finite("targets", np.zeros(3))
    """
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name} is {values[bad][0]} at {_where(bad)}; every value has to be finite in float32"
        )
    if nonnegative and (values < 0).any():
        bad = values < 0
        raise ValueError(f"{name} is {values[bad][0]} at {_where(bad)}; it has to be >= 0")


def check_unmasked(name: str, value: Any) -> None:
    """Check that no value of a masked array is masked.

    Most functions of NumPy ignore the mask.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : array, or list of arrays
        Given values.

    Raises
    ------
    ValueError
        With the first masked row.

    Examples
    --------
    >>> from wgboost.validation import check_unmasked
    >>> check_unmasked("y", [1.0, 2.0])
    """
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if np.ma.is_masked(one):
            row = int(np.argwhere(np.ma.getmaskarray(one))[0, 0])
            raise ValueError(f"{name} is masked at row {row}; drop the row or fill it in")


def check_weight(weight: Any, n: int, *, all_zero: bool = False) -> Array | None:
    """Return sample weights as float32, or None.

    Parameters
    ----------
    weight : array_like of shape (n,) or None
        Sample weights, finite and >= 0.
    n : int
        Number of rows.
    all_zero : bool, default=False
        Whether all weights may be zero.

    Returns
    -------
    array of shape (n,) or None
        The weights.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> from wgboost.validation import check_weight
    >>> check_weight([1, 2], 2)
    array([1., 2.], dtype=float32)
    """
    if weight is None:
        return None
    check_unmasked("sample_weight", weight)
    weight = np.asarray(weight)
    if weight.dtype.kind not in "fiub":
        raise TypeError(f"sample weights have dtype {weight.dtype}; numbers are needed")
    if weight.shape != (n,):
        raise ValueError(f"sample weights have shape {weight.shape}; ({n},) is needed")
    exact = weight.astype(np.float64)
    if not np.isfinite(exact).all():
        row = int(np.argmin(np.isfinite(exact)))
        raise ValueError(f"sample weight {weight[row]} of row {row} is not finite; drop the row")
    if (exact < 0).any():
        row = int(np.argmax(exact < 0))
        raise ValueError(
            f"sample weight {weight[row]} of row {row} is negative; 0 leaves a row out"
        )
    if not all_zero and not (exact > 0).any():
        raise ValueError("all sample weights are zero; at least one row has to count")
    with np.errstate(over="ignore", under="ignore"):
        rounded: Array = exact.astype(np.float32)
    lost = ~np.isfinite(rounded) | ((rounded == 0) != (exact == 0))
    if lost.any():
        row = int(np.argmax(lost))
        raise ValueError(
            f"sample weight {weight[row]} of row {row} is outside the range of float32; "
            "divide the weights by their mean"
        )
    return rounded
