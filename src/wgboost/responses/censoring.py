"""Censored and truncated y, and measurement errors of y."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.typing import Array

__all__ = ["BOUNDS", "censored", "check_noise", "is_censored"]

BOUNDS = ("lower", "upper", "above", "below")
"""Fields of the array that `censored` returns."""
_DTYPE = np.dtype([(name, np.float64) for name in BOUNDS])


def censored(lower: Any, upper: Any, *, above: Any = -np.inf, below: Any = np.inf) -> Array:
    """Return y of which only bounds are known, for `fit` and metrics.

    Parameters
    ----------
    lower : float or array of shape (n,)
        Lower bound of y, included. -inf: y is censored on the left.
    upper : float or array of shape (n,)
        Upper bound of y, included. Equal to `lower` where y is known; inf: y is censored on the
        right.
    above : float or array of shape (n,), default=-inf
        Left truncation: rows with a smaller y are not in the data, as when lifetimes are only
        recorded of those who lived up to this time.
    below : float or array of shape (n,), default=inf
        Right truncation: rows with a larger y are not in the data.

    Returns
    -------
    structured array of shape (n,)
        With the fields lower, upper, above and below. It can be indexed and split like any array.

    Raises
    ------
    ValueError
        If bounds contradict each other, with the row.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import censored
    >>> time, event = np.array([2.0, 5.0]), np.array([True, False])
    >>> censored(time, np.where(event, time, np.inf))["upper"]
    array([ 2., inf])
    """
    if np.asarray(upper).dtype.kind == "b":
        raise TypeError(
            "upper has dtype bool; for times with an event indicator: "
            "censored(time, np.where(event, time, np.inf))"
        )
    given = (np.asarray(part, dtype=np.float64) for part in (lower, upper, above, below))
    try:
        parts = np.broadcast_arrays(*given)
    except ValueError as error:
        raise ValueError(
            f"lower, upper, above and below do not fit: {error}; each is a number or one per row"
        ) from error
    if parts[0].ndim > 1:
        raise ValueError(f"bounds have shape {parts[0].shape}; one of each per row is needed")
    out = np.empty(parts[0].size, dtype=_DTYPE)
    for name, part in zip(BOUNDS, parts, strict=True):
        out[name] = part
    outside = (out["upper"] < out["above"]) | (out["lower"] > out["below"])
    infinite = np.isinf(out["lower"]) & (out["lower"] == out["upper"])
    wrong = [
        ("lower is nan", np.isnan(out["lower"]), "use -inf for no lower bound"),
        ("upper is nan", np.isnan(out["upper"]), "use inf for no upper bound"),
        ("lower > upper", out["lower"] > out["upper"], "swap the two"),
        ("above >= below", ~(out["above"] < out["below"]), "above must be less than below"),
        ("y lies outside of above to below", outside, "drop the row, or widen above and below"),
        ("lower and upper are the same infinity", infinite, "make one finite, or drop the row"),
    ]
    for what, rows, remedy in wrong:
        if rows.any():
            row = int(np.argmax(rows))
            bounds = dict(zip(BOUNDS, out[row].tolist(), strict=True))
            raise ValueError(f"{what} at row {row}: {bounds}; {remedy}")
    return out


def check_noise(y_std: Any, y: Array) -> Array:
    """Return the standard deviation (n,) of the measurement error of each y.

    Raise ValueError if `y_std` has a wrong shape or a value that is negative or not finite, or if y
    is censored.
    """
    if is_censored(y):
        raise ValueError(
            "censored y with a measurement error y_std is not supported; give one of the two"
        )
    noise = np.asarray(y_std, dtype=np.float64)
    if noise.shape not in ((), (len(y),)):
        raise ValueError(f"y_std has shape {noise.shape}; a number or ({len(y)},) is needed")
    noise = np.broadcast_to(noise, len(y))
    good = np.isfinite(noise) & (noise >= 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"y_std is {noise[row]} at row {row}; it must be finite and >= 0")
    return noise


def is_censored(y: Any) -> bool:
    """Whether y comes from `censored`."""
    return getattr(getattr(y, "dtype", None), "names", None) == BOUNDS
