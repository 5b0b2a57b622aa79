"""Minimisation of functions of one variable, for all rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wgboost.typing import Array

__all__ = ["minimize_bracketed", "minimum_of_grid"]

_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
_STEPS = 45  # the last bracket is 4e-10 of the first


def minimize_bracketed(
    function: Callable[[Array], Array], x: Array, value: Array, left: Array, right: Array
) -> tuple[Array, Array]:
    """Return points (n,) between `left` and `right` and their values, by golden-section search.

    `x` and `value` are the best points so far. They are returned if the search finds nothing
    better, as it may for a function with jumps or several minima.
    """
    a, b = left, right
    one, two = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    at_one, at_two = function(one), function(two)
    for _ in range(_STEPS):
        for point, there in ((one, at_one), (two, at_two)):
            better = there < value
            x, value = np.where(better, point, x), np.where(better, there, value)
        lower = at_one <= at_two
        a, b = np.where(lower, a, one), np.where(lower, two, b)
        new = np.where(lower, b - _GOLDEN * (b - a), a + _GOLDEN * (b - a))
        at_new = function(new)
        one, two = np.where(lower, new, two), np.where(lower, one, new)
        at_one, at_two = np.where(lower, at_new, at_two), np.where(lower, at_one, at_new)
    return x, value


def minimum_of_grid(grid: Array, values: Array) -> tuple[Array, Array, Array, Array]:
    """Return the best points of rising grids (n, g), their values and their neighbours, (n,).

    A grid may have a point several times; its neighbours are different points.
    """
    rows, best = np.arange(len(grid)), values.argmin(axis=1)
    x, last = grid[rows, best], grid.shape[1] - 1
    before, until = ((grid < x[:, None]).sum(axis=1), (grid <= x[:, None]).sum(axis=1))
    left, right = grid[rows, np.maximum(before - 1, 0)], grid[rows, np.minimum(until, last)]
    return x, values[rows, best], left, right
