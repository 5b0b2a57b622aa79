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
    """Return the ends of the last brackets, one bracket (inner, outer) for each row.

    `inside` returns whether the condition holds at points (n,). It holds at `inner` and not at
    `outer`. There are at most `steps` halvings, until `closed` returns that all brackets are small
    enough. `rounded` maps middles to the points that are tried, such as whole numbers.
    """
    for _ in range(steps):
        if closed(inner, outer):
            break
        middle = rounded(outer / 2 + inner / 2)
        held = inside(middle)
        inner, outer = np.where(held, middle, inner), np.where(held, outer, middle)
    return inner, outer
