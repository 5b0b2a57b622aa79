"""Little data looks uncertain."""

import numpy as np
import pytest

from wgboost import WGBRegressor
from wgboost.responses.units import mean_and_deviation


def model(seed=0):
    return WGBRegressor(random_state=seed, n_jobs=1)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_few_equal_y_leave_their_scale_open(n):
    rows = np.arange(n, dtype=float)[:, None]
    deviation = model().fit(rows, np.full(n, 1000.0)).predict_dist(rows).std()
    np.testing.assert_allclose(deviation, 1000 / n, rtol=0.2)


def test_many_equal_y_are_predicted_closely():
    rows = np.arange(200, dtype=float)[:, None]
    dist = model().fit(rows, np.full(200, 5.0)).predict_dist(rows)
    np.testing.assert_allclose(dist.mean(), 5.0, atol=0.01)
    assert dist.std().max() < 0.05


def test_units_of_equal_y_count_a_weight_of_two_twice():
    twice = mean_and_deviation(np.full(6, 3.0))
    assert mean_and_deviation(np.full(3, 3.0), np.full(3, 2.0)) == twice
    assert np.isfinite(mean_and_deviation(np.array([1e308])).scale)


@pytest.mark.parametrize("n", [20, 40])
def test_intervals_of_a_few_rows_of_noise_hold_what_they_say(n):
    inside, excess = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(n + 500, 4)), rng.normal(size=n + 500)
        dist = model(seed).fit(X[:n], y[:n]).predict_dist(X[n:])
        inside.append(np.abs(dist.cdf(y[n:]) - 0.5) <= 0.45)
        variance, centre = y[:n].var(), y[:n].mean()
        constant = 0.5 * np.log(2 * np.pi * variance) + 0.5 * (y[n:] - centre) ** 2 / variance
        excess.append(-dist.logpdf(y[n:]) - constant)
    assert np.mean(inside) > 0.89
    assert np.mean(excess) < 0.1
