"""Derivatives by central differences."""

import numpy as np


def central_difference(function, theta, step=1e-5):
    """The derivative of function(theta) in each coordinate of theta, on a new last axis."""
    moved = []
    for j in range(theta.shape[-1]):
        shift = np.zeros(theta.shape[-1])
        shift[j] = step
        moved.append((function(theta + shift) - function(theta - shift)) / (2 * step))
    return np.stack(moved, axis=-1)
