"""Predictions along one feature."""

import numpy as np


def moves_along(predict, X, feature, grid):
    """Differences (n, grid - 1, m, d) of predictions as one feature goes up a grid."""
    rows = np.repeat(X, len(grid), axis=0)
    rows[:, feature] = np.tile(grid, len(X))
    values = predict(rows)
    return np.diff(values.reshape(len(X), len(grid), *values.shape[1:]), axis=1)
