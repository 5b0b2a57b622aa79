"""Held-out likelihood of responses without features, and the dispersion of counts given X."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from wgboost.responses.base import Response
from wgboost.responses.units import Units
from wgboost.typing import Array

__all__ = ["conditional_dispersion", "held_out_logs"]

_MAX_ROWS = 2000
_FOLDS = 5
_MIN_ROWS_PER_FOLD = 4
_MAX_FOREST_ROWS, _MIN_FOREST_ROWS = 1000, 50
_BOUND = 30.0  # of parameters: logs, logits or standardised numbers
_TINY = 1e-300


def held_out_logs(response: Response, y: Array, *, whole: bool = False) -> Array:
    """Return log likelihoods of rows under a constant response that is fitted to other rows.

    They are in nats, of at most 2,000 rows, always the same ones; empty if there are too few rows.
    If `whole`, y are whole numbers, and a continuous response is scored by its probability of y -
    1/2 to y + 1/2, so that it can be compared with counts.
    """
    rng = np.random.default_rng(0)
    some = rng.permutation(len(y))[:_MAX_ROWS]
    values = np.asarray(y, dtype=np.float64)[some]
    n_folds = min(_FOLDS, len(values) // _MIN_ROWS_PER_FOLD)
    if n_folds < 2:
        return np.empty(0)
    units = response.units(values)
    fold = np.arange(len(values)) % n_folds
    logs = np.empty(len(values))
    for k in range(n_folds):
        theta = _fitted(response, units.standardise(values[fold != k]))
        logs[fold == k] = _log_mass(response, values[fold == k], theta, units, whole)
    return logs


def _fitted(response: Response, y: Array) -> Array:
    """Return the maximum likelihood parameters (d,) for standardised y."""

    def loss(theta: Array) -> tuple[float, Array]:
        logs = response.logpdf(y, theta)
        gradient = response.likelihood_score(y, np.broadcast_to(theta, (len(y), len(theta))))
        return float(-logs.mean()), -gradient.mean(axis=0)

    start = response.initial_theta(y)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=[(-_BOUND, _BOUND)] * len(start)
    )
    best: Array = found.x
    return best


def _log_mass(response: Response, y: Array, theta: Array, units: Units, whole: bool) -> Array:
    """Return log densities (n,) in the user's units, or log probabilities of whole numbers."""
    scale: Any = units.scale
    if response.discrete:
        return response.logpdf(y, theta)
    if not whole:
        density: Array = response.logpdf(units.standardise(y), theta)
        return density - float(np.log(scale))
    low, high = response.support
    below = np.maximum(units.standardise(y - 0.5), low)
    above = np.minimum(units.standardise(y + 0.5), high)
    # On the side of the smaller tail, so that the difference keeps its digits.
    upper = response.cdf(below, theta) > 0.5
    mass = np.where(
        upper,
        response.sf(below, theta) - response.sf(above, theta),
        response.cdf(above, theta) - response.cdf(below, theta),
    )
    return np.log(np.maximum(mass, _TINY))


def conditional_dispersion(X: Array, y: Array) -> float:
    """Return the variance of counts y given features X (n, p) over their mean.

    The variance is that of out-of-bag residuals of a forest. It includes what the forest does not
    explain, and so is rather too large than too small. It is 1 for Poisson counts, and NaN for too
    few rows.
    """
    some = np.random.default_rng(0).permutation(len(y))[:_MAX_FOREST_ROWS]
    if len(some) < _MIN_FOREST_ROWS:
        return np.nan
    # Imported here, since it takes a thirtieth of the time of `import wgboost`.
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(
        50, min_samples_leaf=3, max_features=0.5, oob_score=True, random_state=0, n_jobs=1
    )
    table = np.asarray(X[some], dtype=np.float64)
    limit = float(np.finfo(np.float32).max)
    forest.fit(np.clip(table, -limit, limit), y[some])
    errors = np.square(y[some] - forest.oob_prediction_)
    return float(errors.mean() / y[some].mean())
