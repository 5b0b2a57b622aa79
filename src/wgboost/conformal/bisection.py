"""Bisection between points where a condition holds and points where it does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.typing import Array

__all__ = ["bisect"]


def bisect(
    inside: Callable[[Array], Array],
    inner: Array,
    outer: Array,
    *,
    steps: int,
    closed: Callable[[Array, Array], bool] = lambda inner, outer: False,  # noqa: ARG005
    rounded: Callable[[Array], Array] = lambda middle: middle,
) -> tuple[Array, Array]:
    """Return the ends of the last brackets, one bracket for each row.

    Parameters
    ----------
    inside : callable
        Takes points (n,) and returns whether the condition holds there.
    inner, outer : array of shape (n,)
        Ends of the first brackets. The condition holds at `inner` and not at `outer`.
    steps : int
        Largest number of halvings.
    closed : callable, optional
        Takes both ends and returns whether all brackets are small enough.
    rounded : callable, optional
        Maps the middles to the points that are tried, such as whole numbers.

    Returns
    -------
    inner, outer : array of shape (n,)
        The ends after the last halving.

    Examples
    --------
    >>> import numpy as np
    >>> inner, outer = bisect(lambda x: x * x < 2, np.array([1.0]), np.array([2.0]), steps=50)
    >>> outer.round(12)
    array([1.414213562373])
    """
    for _ in range(steps):
        if closed(inner, outer):
            break
        middle = rounded(outer / 2 + inner / 2)
        held = inside(middle)
        inner, outer = np.where(held, middle, inner), np.where(held, outer, middle)
    return inner, outer
