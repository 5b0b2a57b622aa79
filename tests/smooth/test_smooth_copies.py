"""Rows that are there more than once: a smooth start leaves them out together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import WGBRegressor, metrics
from wgboost.smooth import SmoothStart
from wgboost.smooth.gp_model import GPData, distinct, fit_gp

SETTINGS = {
    "exact": SmoothStart(kernel="matern52", scaling="standard"),
    "landmarks": SmoothStart(60, 50, 100, kernel="rbf", scaling="between"),
}


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


def fitted(X, y, weight=None, settings=SETTINGS["exact"]):
    rows, rng = GPData.of(X, y, weight, None), np.random.default_rng(1)
    return fit_gp(settings, rows, np.zeros(3, dtype=int), rng)


def test_distinct_rows_are_those_of_other_numbers():
    table = np.array([[1, np.nan], [0.0, 2], [1, np.nan], [-0.0, 2], [5, 5], [0, 2]])
    first, place = distinct(table)
    assert_array_equal(first, [0, 1, 4])
    assert_array_equal(place, [0, 1, 0, 1, 2, 1])
    rng = np.random.default_rng(0)
    many = rng.integers(3, size=(500, 3)).astype(float)
    first, place = distinct(many)
    assert_array_equal(many[first][place], many)
    assert len(first) == len(np.unique(many, axis=0))
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_row_twice_is_the_row_with_a_weight_of_two(name):
    X, y = made(120)
    again = np.random.default_rng(2).permutation(np.r_[0:120, 0:50, 0:20])
    weight = 1.0 + (np.arange(120) < 50) + (np.arange(120) < 20)
    X[3, 1], y[5] = np.nan, y[6]  # an equal y alone is no copy
    one, shift = fitted(X, y, weight, settings=SETTINGS[name])
    two, copied = fitted(X[again], y[again], settings=SETTINGS[name])
    new = made(50, seed=1)[0]
    if name == "exact":  # landmarks are drawn from the rows in their order
        assert_allclose(copied.location, shift.location[again], rtol=1e-6)
        assert_allclose(copied.log_scale, shift.log_scale[again], atol=1e-6)
        assert_allclose(two.at(new).location, one.at(new).location, rtol=1e-6)
    left = two.leave_one_out(GPData.of(X[again], y[again], None, None))
    assert_array_equal(left.location, copied.location)
    # Left out with all its copies a row is missed by as much as one that has none.
    missed = np.square(y[again] - copied.location) / np.exp(2 * copied.log_scale)
    twice = again < 50
    assert 0.4 < missed[twice].mean() < 2.5
    assert 0.4 < missed[~twice].mean() < 2.5


@pytest.mark.parametrize("init", ["smooth", SETTINGS["landmarks"]], ids=["exact", "landmarks"])
def test_a_model_of_copied_rows_knows_what_it_does_not_know(init):
    X, y = made(150)
    X_new, y_new = made(500, seed=1)
    settings = {"n_estimators": 20, "evidence": 3.0, "random_state": 0, "n_jobs": 1}
    loss = []
    for index in (np.arange(150), np.repeat(np.arange(150), 2), np.r_[0:150, 0:75]):
        model = WGBRegressor(init=init, **settings).fit(X[index], y[index])
        dist = model.predict_dist(X_new)
        loss.append(metrics.nll(dist, y_new))
        assert metrics.coverage(dist, y_new, 0.9) > 0.8
    assert max(loss[1:]) < loss[0] + 0.1
