"""Models of folds that calibrate each other: CV+ and its sets, on many small problems."""

import numpy as np
import pytest
from scipy import stats

from wgboost import ConformalRegressor, Mixture, WGBRegressor
from wgboost.conformal import (
    cross_conformal_interval,
    cross_conformal_sets,
    interval_scores,
    scores_of_classes,
)
from wgboost.responses import Normal

FOLDS, ROWS, REPEATS = 5, 30, 250


def least_chance(alpha):
    """What is guaranteed of K folds of n rows, whatever the models do."""
    k, n = FOLDS, ROWS
    return 1 - 2 * alpha - min(2 * (1 - 1 / k) / (n / k + 1), (1 - k / n) / (k + 1))


def stable(x, y, new):
    """A straight line, sure of itself in the wrong places."""
    slope = (x @ y) / (x @ x)
    return slope * new, -1 + np.abs(new)


def erratic(x, y, new):
    """Two training rows speak for all."""
    return np.full(len(new), y[:2].mean()), np.full(len(new), x[0])


def as_mixture(model, x, y, new):
    mean, log_scale = model(x, y, new)
    return Mixture(Normal(), np.stack([mean, log_scale], axis=-1)[:, None])


@pytest.mark.parametrize("conformity", ["cdf", "scaled"])
@pytest.mark.parametrize("model", [stable, erratic])
def test_the_coverage_is_guaranteed_and_nearly_what_was_asked_for(model, conformity):
    rng, alpha, hits = np.random.default_rng(0), 0.2, 0
    for _ in range(REPEATS):
        x = rng.normal(size=ROWS + 1)
        y = 2 * x + rng.standard_t(3, ROWS + 1)
        fold, new = np.arange(ROWS) % FOLDS, slice(ROWS, None)
        dists, scores = [], []
        for k in range(FOLDS):
            train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            told = as_mixture(model, x[train], y[train], x[test])
            scores.append(interval_scores(told, y[test], conformity))
            dists.append(as_mixture(model, x[train], y[train], x[new]))
        low, high = cross_conformal_interval(dists, scores, 1 - alpha, conformity=conformity)
        hits += low[0] <= y[ROWS] <= high[0]
    assert hits >= stats.binom(REPEATS, least_chance(alpha)).ppf(1e-4)
    assert hits / REPEATS > 1 - alpha - 0.05
    if model is stable:
        assert hits / REPEATS < 1 - alpha + 0.05


@pytest.mark.parametrize("conformity", ["adaptive", "threshold"])
def test_sets_of_folds_hold_the_class_as_often_as_asked_for(conformity):
    rng, alpha, hits, sizes = np.random.default_rng(1), 0.2, 0, []
    for _ in range(REPEATS):
        y = rng.integers(0, 4, ROWS + 1)
        x = y + 0.8 * rng.normal(size=ROWS + 1)
        fold, tables, scores = np.arange(ROWS) % FOLDS, [], []
        for k in range(FOLDS):
            wobble = rng.normal(0, 0.3, 4)  # that of a model fitted to few rows

            def shares(values, wobble=wobble):
                far = np.square(values[:, None] - np.arange(4) - wobble)
                table = np.exp(-3 * far)  # surer than it should be
                return table / table.sum(axis=1, keepdims=True)

            test = np.flatnonzero(fold == k)
            odd = scores_of_classes(shares(x[test]), conformity)
            scores.append(odd[np.arange(len(test)), y[test]])
            tables.append(shares(x[ROWS:]))
        inside = cross_conformal_sets(tables, scores, 1 - alpha, conformity=conformity)
        hits += inside[0, y[ROWS]]
        sizes.append(inside.sum())
    assert hits >= stats.binom(REPEATS, least_chance(alpha)).ppf(1e-4)
    assert abs(hits / REPEATS - (1 - alpha)) < 0.06
    assert 1 <= np.mean(sizes) < 2.5


@pytest.mark.parametrize("method", ["predict_support", "explain_support", "predict_band"])
def test_what_only_models_know_is_asked_of_the_models(method):
    with pytest.raises(AttributeError, match=f"has no {method}; use one of .* in estimators_"):
        getattr(ConformalRegressor(WGBRegressor()), method)
