"""Small fitted models for the tests of displays."""

from functools import cache

import matplotlib as mpl
import numpy as np

from wgboost import WGBClassifier, WGBRegressor, censored, plotting
from wgboost.estimators.paper import PAPER_TREES

mpl.use("Agg")

SETTINGS = {**PAPER_TREES, "n_particles": 6, "n_estimators": 20, "random_state": 0, "n_jobs": 1}
rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(240, 4))
Y = 5 + 2 * X[:, 0] + np.exp(X[:, 1]) * rng.normal(size=240)
COUNTS = rng.poisson(np.exp(1 + X[:, 0]))
LABELS = np.array(["low", "middle", "top"])[np.digitize(X[:, 2] + 0.3 * X[:, 3], [-0.3, 0.4])]
BINARY = np.where(X[:, 2] + 0.4 * rng.normal(size=240) > 0, "yes", "no")
LIFE = 10 * np.exp(X[:, 0]) * rng.weibull(2, 240)
END = rng.uniform(2, 25, 240)
BOUNDS = censored(np.minimum(LIFE, END), np.where(END > LIFE, LIFE, np.inf))
TRAIN, TEST = slice(0, 120), slice(120, None)
OF_Y = [
    plotting.PredictiveDisplay,
    plotting.DensityDisplay,
    plotting.CalibrationDisplay,
    plotting.PITDisplay,
    plotting.CoverageDisplay,
    plotting.UncertaintyDisplay,
]
"""Displays of predictions and y."""


@cache
def model(kind):
    """Return a model fitted to the first half of the rows."""
    if kind in ("classes", "binary"):
        y = LABELS if kind == "classes" else BINARY
        return WGBClassifier(**SETTINGS).fit(X[TRAIN], y[TRAIN])
    y, response = {
        "normal": (Y, "normal"),
        "counts": (COUNTS, "poisson"),
        "bounds": (BOUNDS, "weibull"),
        "cauchy": (Y, "cauchy"),
        "columns": (np.stack([Y, 3 * X[:, 1]], axis=1), "multivariate_normal"),
    }[kind]
    return WGBRegressor(response=response, evidence=5, **SETTINGS).fit(X[TRAIN], y[TRAIN])


TEST_Y = {
    "normal": Y[TEST],
    "counts": COUNTS[TEST],
    "bounds": BOUNDS[TEST],
    "classes": LABELS[TEST],
    "binary": BINARY[TEST],
}
