"""Data of the models whose files every later version has to read."""

from __future__ import annotations

import numpy as np
import pandas as pd

from wgboost.responses import RESPONSES

__all__ = ["data", "frame_of", "labels", "new_rows", "ordered", "values_of"]


def data():
    """Features, a signal with noise, and the generator they came from."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=60), rng


def values_of(response, z, X, rng):
    """Values that a response can have, which depend on x."""
    if response == "multivariate_normal":
        return np.stack([z, X[:, 1] + 0.1 * z], axis=1)
    if response in ("categorical", "ordinal"):
        return np.digitize(z, [-0.4, 0.4])
    low, high = RESPONSES[response]().support
    if RESPONSES[response].discrete:
        return rng.poisson(np.exp(1 + z)) * (rng.random(len(z)) < 0.8)
    if high == 1:
        return 1 / (1 + np.exp(-z))
    return np.exp(z) if low == 0 else z


def frame_of(X, z):
    """A frame with text and truth values, and z."""
    city = np.array(["Århus", "Bonn", "Cádiz"])[np.digitize(X[:, 1], [-0.4, 0.4])]
    return pd.DataFrame({"size": X[:, 0], "city": pd.Categorical(city), "old": X[:, 2] > 0}), z


def ordered(z):
    """Classes with an order of their own."""
    names = ["low", "middle", "high"]
    codes = np.digitize(z, [-0.4, 0.4])
    return pd.Categorical.from_codes(codes, categories=names, ordered=True)


def labels(z):
    """Classes with names."""
    return np.array(["ash", "beech", "cedar"])[np.digitize(z, [-0.4, 0.4])]


def new_rows(name):
    """Rows to predict, one of them with a missing value."""
    grid = np.linspace(-1.5, 1.5, 12).reshape(3, 4).T.copy()
    grid[1, 1] = np.nan
    if name == "many_levels":
        grid[:, 2] = [0, 39, 250, 299]
    if name.startswith("smooth"):
        grid[:, 2] = [0, 1, 3, 7]
    if name in ("frame", "labels", "named_columns"):
        frame = pd.DataFrame(grid, columns=["size", "city", "old"])
        frame["city"] = pd.Categorical(["Bonn", None, "Århus", "Delft"])
        frame["old"] = [True, False, True, False]
        if name == "named_columns":
            frame["day"] = pd.to_datetime(["2024-01-05", None, "2024-02-01", "2024-03-01"])
            frame["time"] = [0.5, 1.0, 2.0, 3.0]
        return frame
    return grid
