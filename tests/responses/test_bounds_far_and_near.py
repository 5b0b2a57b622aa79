"""Bounds of y at large and small parameters, close together, between whole numbers, at an end."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone

from wgboost import Mixture, WGBRegressor, censored, metrics
from wgboost.boosting.averaged_flow import AveragedFlow, averaged_flow
from wgboost.directions import Kernel
from wgboost.responses import (
    Beta,
    Exponential,
    Gamma,
    InverseGaussian,
    Laplace,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
    ZeroInflatedPoisson,
    as_response,
)
from wgboost.responses.intervals import log_interval_probability
from wgboost.responses.observations import Observations

INF = np.inf


def poisson_above(k, log_mean):
    return mp.gammainc(k + 1, 0, mp.exp(log_mean), regularized=True)


def gamma_above(y, log_mean, log_shape):
    shape = mp.exp(log_shape)
    return mp.gammainc(shape, shape * y / mp.exp(log_mean), regularized=True)


def student_above(y, location, log_scale, log_df):
    df, z = 1 + mp.exp(log_df), (mp.mpf(y) - location) / mp.exp(log_scale)
    tail = mp.betainc(df / 2, 0.5, 0, df / (df + z**2), regularized=True) / 2
    return tail if z > 0 else 1 - tail


def negative_binomial_above(k, log_mean, log_dispersion):
    r = mp.exp(-log_dispersion)
    p = 1 / (1 + mp.exp(log_mean + log_dispersion))
    return mp.betainc(k + 1, r, 0, 1 - p, regularized=True)


def weibull_above(y, log_scale, log_shape):
    return mp.exp(-((y / mp.exp(log_scale)) ** mp.exp(log_shape)))


def inverse_gaussian_above(y, log_mean, log_shape):
    mean, root = mp.exp(log_mean), mp.sqrt(mp.exp(log_shape) / y)
    mirrored = mp.exp(2 * mp.exp(log_shape) / mean) * mp.ncdf(-root * (y / mean + 1))
    return mp.ncdf(-root * (y / mean - 1)) - mirrored


def beta_above(y, logit, log_precision):
    mean, precision = 1 / (1 + mp.exp(-logit)), mp.exp(log_precision)
    return 1 - mp.betainc(mean * precision, (1 - mean) * precision, 0, y, regularized=True)


def zero_inflated_above(k, log_mean, logit):
    return poisson_above(k, log_mean) / (1 + mp.exp(logit))


CASES = [
    (Poisson(), 1_002_000, (np.log(1e6),), poisson_above),
    (Poisson(), 4, (0.5,), poisson_above),
    (NegativeBinomial(), 1_005_000, (np.log(1e6), -10.0), negative_binomial_above),
    (NegativeBinomial(), 3, (0.5, 0.4), negative_binomial_above),
    (ZeroInflatedPoisson(), 3, (0.5, 0.4), zero_inflated_above),
    (StudentT(), 2e-4, (1e-4, -10.0, 0.7), student_above),
    (StudentT(), 3.0, (0.1, 0.3, 2.0), student_above),
    (Gamma(), 1.0002, (0.0, np.log(1e6)), gamma_above),
    (Gamma(), 0.5, (0.3, -1.0), gamma_above),
    (Weibull(), 1.7, (0.3, 1.0), weibull_above),
    (InverseGaussian(), 1.0005, (0.0, np.log(1e6)), inverse_gaussian_above),
    (InverseGaussian(), 1.7, (0.3, 0.5), inverse_gaussian_above),
    (Beta(), 0.52, (0.0, np.log(1e3)), beta_above),
    (Beta(), 0.3, (0.4, 1.0), beta_above),
]


@pytest.mark.parametrize(("response", "y", "theta", "above"), CASES)
def test_the_score_of_a_censored_row_is_the_derivative_at_any_scale(response, y, theta, above):
    start = y + 1 if response.discrete else y  # at least so much
    at = np.array([[theta]], dtype=float)
    log, score = log_interval_probability(response, np.array([float(start)]), np.array([INF]), at)
    with mp.workdps(60):
        values = [mp.mpf(value) for value in theta]
        assert_allclose(log[0, 0], float(mp.log(above(y, *values))), rtol=1e-7)
        for j in range(len(theta)):

            def along(t, j=j):
                return mp.log(above(y, *values[:j], t, *values[j + 1 :]))

            h = mp.mpf(10) ** -20
            slope = (along(values[j] + h) - along(values[j] - h)) / (2 * h)
            assert_allclose(score[0, 0, j], float(slope), rtol=2e-5, atol=1e-9)


@pytest.mark.parametrize("y", [0.0, 0.4, -3.0, 8.0, 50.0])
@pytest.mark.parametrize("width", [1e-16, 1e-12, 1e-6, 1e-3])
@pytest.mark.parametrize("name", ["normal", "laplace"])
def test_close_bounds_have_their_probability(name, y, width):
    upper = y + width if y + width > y else np.nextafter(y, INF)
    response = Normal() if name == "normal" else Laplace()
    log, score = log_interval_probability(
        response, np.array([y]), np.array([upper]), np.zeros((1, 1, 2))
    )
    with mp.workdps(60):
        a, b = mp.mpf(y), mp.mpf(float(upper))
        density = mp.npdf if name == "normal" else lambda x: mp.exp(-abs(x)) / 2
        mass = mp.quad(density, [a, b])
        centre = mp.quad(lambda x: x * density(x), [a, b]) / mass
    assert_allclose(log[0, 0], float(mp.log(mass)), rtol=1e-7, atol=1e-7)
    expected = float(centre) if name == "normal" else np.sign(y)
    if name == "normal" or y:
        assert_allclose(score[0, 0, 0], expected, rtol=2e-4, atol=1e-8)


def test_bounds_between_whole_numbers_hold_the_whole_numbers_inside():
    dist, theirs = Mixture(Poisson(), np.full((4, 1, 1), np.log(2.0))), stats.poisson(2.0)
    y = censored([0.2, 1.5, -5.0, 2.0], [1.7, 4.3, 1.5, INF])
    inside = [(1, 1), (2, 4), (0, 1), (2, 200)]
    expected = [np.log(theirs.pmf(np.arange(a, b + 1)).sum()) for a, b in inside]
    assert_allclose(dist.log_likelihood(y), expected, rtol=1e-9)
    with pytest.raises(ValueError, match=r"between 0.2\d* and 0.8\d* at row 1.*whole numbers"):
        Poisson().check(censored([0.0, 0.2], [1.0, 0.8]))


@pytest.mark.parametrize("name", ["lognormal", "gamma", "weibull", "exponential", "beta"])
def test_bounds_that_only_touch_the_support_are_refused(name):
    with pytest.raises(ValueError, match="between -1 and 0 at row 1"):
        as_response(name).check(censored([0.1, -1.0], [0.5, 0.0]))
    kept = as_response(name).check(censored([-5.0, -INF], [0.5, INF]))
    assert_array_equal(kept["lower"], [0, 0])


@pytest.mark.parametrize("bounds", [(0.0, INF), (-5.0, 1.0), (-INF, INF)])
@pytest.mark.parametrize("name", ["lognormal", "gamma"])
def test_a_row_with_distant_bounds_changes_little(name, bounds):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 1)), rng.lognormal(3, 0.5, 200)
    model = WGBRegressor(response=name, n_estimators=3, random_state=0)
    lower, upper = np.append(y, bounds[0]), np.append(y, bounds[1])
    fitted = clone(model).fit(np.append(X, [[0.0]], axis=0), censored(lower, upper))
    plain = model.fit(X, y)
    assert_allclose(fitted.predict(X).mean(), plain.predict(X).mean(), rtol=0.1)


def test_rows_without_information_get_the_median():
    observations = Observations.of(censored([1000.0, -INF, 1002.0], [1000.0, INF, 1004.0]))
    assert_array_equal(observations.value, [1000, 1001.5, 1003])


def test_an_event_comes_before_a_row_censored_at_its_time():
    rng = np.random.default_rng(0)
    n = 40
    time, event = rng.integers(1, 6, n).astype(float), rng.random(n) < 0.5
    weight = rng.integers(0, 3, n).astype(float)
    dist = Mixture(Exponential(), rng.normal(size=(n, 1, 1)).round(1))
    middle, agreeing, pairs = dist.median(), 0.0, 0.0
    for i in range(n):
        for j in range(n):
            if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                pair = weight[i] * weight[j]
                pairs += pair
                agreeing += pair * ((middle[i] < middle[j]) + 0.5 * (middle[i] == middle[j]))
    y = censored(time, np.where(event, time, INF))
    ours = metrics.concordance(dist, y, sample_weight=weight)
    assert_allclose(ours, agreeing / pairs)


def start(response, y):
    rng = np.random.default_rng(0)
    return averaged_flow(AveragedFlow(), response, y, None, 10.0, Kernel(), 10, rng)


@pytest.mark.parametrize("name", ["gamma", "lognormal", "student_t"])
def test_a_start_from_few_rows_with_bounds_is_close_to_that_of_all(name):
    response, rng = as_response(name), np.random.default_rng(1)
    theta = np.array([0.0, 0.5, 1.5][: response.n_params])
    y = response.rvs(np.tile(theta, (2000, 1)), rng)
    fine = Observations.of(censored(y, y + 1e-3 * np.abs(y)))
    known = start(response, y)
    assert_allclose(start(response, fine).mean(axis=0), known.mean(axis=0), atol=0.1)
    assert_allclose(start(response, fine).std(axis=0), known.std(axis=0), rtol=0.1)
