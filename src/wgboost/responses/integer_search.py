"""Search for whole numbers of any size, in floating point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.typing import Array

__all__ = ["smallest_integer"]


def smallest_integer(
    reached: Callable[[Array, Array], Array],
    start: Array,
    step: Array,
    support: tuple[float, float] = (0.0, np.inf),
) -> Array:
    """Return the smallest integer of the support at which a condition holds.

    Parameters
    ----------
    reached : callable
        Takes numbers (k,) and the indices (k,) of the searches they belong to, and returns whether
        the condition holds. Once it holds, it holds for all larger numbers.
    start : array of shape (N,)
        Where to begin; NaN gives NaN.
    step : array of shape (N,)
        First step.
    support : tuple of two floats, default=(0, inf)
        Smallest and largest number. The largest is taken to satisfy the condition.

    Returns
    -------
    array of shape (N,)
        The integers, in float64.

    Notes
    -----
    Steps from `start` double until they have passed the number. Then the bracket is halved, on a
    logarithmic scale while its ends differ in magnitude. The search ends when float64 has no other
    number between the ends, after about a hundred steps at most.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.responses.integer_search import smallest_integer
    >>> smallest_integer(lambda y, _: y * y >= 50, np.array([1.0]), np.array([1.0]))
    array([8.])
    """
    first, last = support
    at = np.clip(np.floor(start), first, min(last, np.finfo(np.float64).max))
    known = np.maximum(np.floor(np.nan_to_num(step, nan=1.0, posinf=1.0)), 1)
    step = known + np.floor(1e-15 * at)  # not lost in rounding
    low, high = np.full(at.shape, first - 1.0), np.full(at.shape, last)
    active = np.flatnonzero(~np.isnan(at))
    while active.size:
        here = at[active]
        hit = reached(here, active)
        a = low[active] = np.where(hit, low[active], here)
        b = high[active] = np.where(hit, here, high[active])
        with np.errstate(over="ignore"):
            down, up = b - step[active], a + step[active]
            step[active] *= 2
        middle = np.floor(_middle(a, b, first))
        # The first steps lead away from the start; later both ends of the bracket are known.
        at[active] = np.where(hit, np.maximum(down, middle), np.minimum(up, middle))
        active = active[(at[active] > a) & (at[active] < b)]
    high[np.isnan(at)] = np.nan
    return high


def _middle(a: Array, b: Array, first: float) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        even = a / 2 + b / 2
        low, high = a - first + 1, b - first + 1  # at least 0 and 1
        geometric = np.sqrt(np.maximum(low, 1)) * np.sqrt(high) + first - 1
    return np.where(high / 64 > np.maximum(low, 1), geometric, even)
