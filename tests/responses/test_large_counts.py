"""Counts up to the largest that models take, and quantiles at parameters of any size."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from wgboost import Mixture, WGBRegressor, censored
from wgboost.responses import Poisson, as_response
from wgboost.responses.integer_search import smallest_integer

COUNTS = ("poisson", "negative_binomial", "zero_inflated_poisson",
          "zero_inflated_negative_binomial")  # fmt: skip
HOSTILE = (-1e30, -1e3, -170.0, -40.0, -1.0, 0.0, 3.0, 36.0, 39.1, 60.0, 170.0, 1e3, 1e30)


@pytest.mark.parametrize("goal", [0, 1, 7, 255, 2**40 + 3, 2**53, 10.0**17, 1e30, 1e300])
@pytest.mark.parametrize("start", [0.0, 100.0, 1e16, 1e40, 1.7e308])
def test_the_search_for_whole_numbers_ends_at_the_smallest(goal, start):
    calls = []

    def reached(x, rows):
        del rows
        calls.append(x)
        return x >= goal

    found = smallest_integer(reached, np.array([start]), np.array([1.0]))
    assert_array_equal(found, [float(goal)])
    assert len(calls) < 1200


def test_the_search_stays_within_the_support():
    never = smallest_integer(lambda x, _: x > 9, np.array([2.0, np.nan]), np.ones(2), (0.0, 4.0))
    assert_array_equal(never, [4.0, np.nan])
    beyond = smallest_integer(lambda x, _: x == np.inf, np.array([2.0]), np.ones(1))
    assert_array_equal(beyond, [np.inf])


@pytest.mark.parametrize("mean", [1e9, 1e13, 1e15, 1e17])
def test_quantiles_of_large_poisson_counts_are_those_of_a_normal(mean):
    dist = Mixture(Poisson(), [[[np.log(mean)], [np.log(mean)]]])
    q = np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
    held = np.exp(np.log(mean))
    # The skewness moves a quantile by (z^2 - 1) / 6, at most 3.6 counts.
    rough = held + np.sqrt(held) * stats.norm.ppf(q)
    assert_allclose(dist.ppf(q), rough, atol=5 + 4 * np.spacing(mean), rtol=0)


@pytest.mark.parametrize("mean", [3e6, 1e8])
@pytest.mark.parametrize("deviations", [-30, -8, -4.6, -4.1, -3.9, 3, 6])
def test_tails_of_large_poisson_counts_are_those_of_mpmath(mean, deviations):
    theta = np.array([np.log(mean)])
    exact_mean = mp.e ** mp.mpf(theta[0])
    y = np.floor(mean + deviations * np.sqrt(mean))

    def term(k):
        return mp.e ** (k * mp.mpf(theta[0]) - exact_mean - mp.loggamma(k + 1))

    start, sign = (mp.mpf(y), -1) if deviations < 0 else (mp.mpf(y) + 1, 1)
    with mp.workdps(40):
        whole = mp.quad(
            lambda u: term(start + sign * u),
            [mp.mpf(-0.5), *(mp.sqrt(mean) * k / 4 for k in range(1, 40))],
        )
    response = Poisson()
    ours = response.cdf(y, theta) if deviations < 0 else response.sf(y, theta)
    # An integral in place of the sum: 1e-5 at 30 deviations.
    assert_allclose(float(ours), float(whole), rtol=2e-5)


@pytest.mark.parametrize("name", COUNTS)
def test_quantiles_at_any_parameters_come_back(name):
    response = as_response(name)
    d = response.n_params
    grid = np.array(np.meshgrid(*[HOSTILE] * min(d, 2), indexing="ij")).reshape(min(d, 2), -1).T
    theta = np.concatenate([grid, np.zeros((len(grid), d - grid.shape[1]))], axis=1)
    pairs = np.stack([theta, theta[::-1]], axis=1)
    dist = Mixture(response, pairs)
    for q in (1e-6, 0.5, 1 - 1e-6):
        low, high = dist.ppf(q), dist.isf(q)
        assert not np.isnan(low).any()
        assert not np.isnan(high).any()
    unknown = Mixture(response, np.full((1, 2, d), np.nan))
    assert np.isnan(unknown.ppf(0.5)).all()


@pytest.mark.parametrize("name", COUNTS)
def test_counts_too_large_are_refused_by_name_and_remedy(name):
    response = as_response(name)
    response.check([0.0, 2.0**53])
    for y in ([1.0, 1e17], censored([1.0, 1e17], [2.0, np.inf])):
        with pytest.raises(ValueError, match=f"1e\\+17|1{'0' * 17}.*row 1.*{name}.*thousands"):
            response.check(y)
    with pytest.raises(ValueError, match="counts up to 2\\^53"):
        WGBRegressor(response=name, n_estimators=1).fit([[0.0], [1.0]], [3.0, 1e17])


@pytest.mark.parametrize("name", ["poisson", "negative_binomial"])
@pytest.mark.parametrize("mean", [1e11, 1e13, 4e15])
def test_large_counts_are_learned(name, mean):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)).clip(-2, 2)
    expected = mean * np.exp(0.3 * X[:, 0])
    model = WGBRegressor(
        response=name, n_estimators=60, learning_rate=0.3, random_state=0, n_jobs=1
    ).fit(X, rng.poisson(expected).astype(float))
    assert_allclose(model.predict(X) / expected, 1, atol=0.1)
    quantiles = model.predict_quantiles(X[:50], [0.05, 0.95])
    assert (quantiles[:, 0] < 1.1 * expected[:50]).all()
    assert (quantiles[:, 1] > 0.9 * expected[:50]).all()
