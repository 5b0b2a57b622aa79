"""Tails that underflow: their logarithms, and what bounds out there say."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from finite_differences import central_difference
from response_examples import EXAMPLES, example
from wgboost.responses import as_response
from wgboost.responses.intervals import log_interval_probability

RESPONSES = {name: example(name).response for name in EXAMPLES}
ordered = pytest.mark.parametrize(
    "name", [name for name, one in RESPONSES.items() if not (one.nominal or one.y_shape)]
)
INF = np.inf
mpmath.mp.dps = 40


def normal(z):
    return mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2


def student(z, df):
    x = df / (df + mpmath.mpf(z) ** 2)
    return mpmath.betainc(df / mpmath.mpf(2), 0.5, 0, x, regularized=True) / 2


def inverse_gaussian(y, mean, shape):
    root = mpmath.sqrt(shape / mpmath.mpf(y))
    first, second = (root * (mpmath.mpf(y) / mean + sign) for sign in (-1, 1))
    mirrored = mpmath.exp(2 * mpmath.mpf(shape) / mean) * normal(second)
    return normal(-first) + mirrored, normal(first) - mirrored


def poisson(mean, k):
    return mpmath.exp(k * mpmath.log(mean) - mean - mpmath.loggamma(k + 1))


def negative_binomial(mean, r, k):
    share = mean / mpmath.mpf(mean + r)
    log = mpmath.loggamma(k + r) - mpmath.loggamma(r) - mpmath.loggamma(k + 1)
    return mpmath.exp(log + r * mpmath.log(1 - share) + k * mpmath.log(share))


# response, theta, y, whether above, and the probability to forty digits
CASES = {
    "normal": ("normal", (1.0, 0.0), 61.0, True, normal(60)),
    "normal, below": ("normal", (1.0, 0.0), -59.0, False, normal(60)),
    "lognormal": ("lognormal", (0.0, -3.0), float(np.exp(2.5)), True,
                  normal(mpmath.log(mpmath.mpf(float(np.exp(2.5)))) / mpmath.exp(-3))),
    "logistic": ("logistic", (0.0, 0.0), 900.0, True, 1 / (1 + mpmath.exp(900))),
    "laplace": ("laplace", (0.0, 0.0), -900.0, False, mpmath.exp(-900) / 2),
    "gumbel": ("gumbel", (0.0, 0.0), 900.0, True, -mpmath.expm1(-mpmath.exp(-900))),
    "gumbel, below": ("gumbel", (0.0, 0.0), -7.0, False, mpmath.exp(-mpmath.exp(7))),
    "student_t": ("student_t", (0.0, 0.0, float(np.log(2e4 - 1))), 45.0, True, student(45, 2e4)),
    "student_t, below": ("student_t", (0.0, 0.0, float(np.log(199.0))), -300.0, False,
                         student(300, 200)),
    "exponential": ("exponential", (0.0,), 900.0, True, mpmath.exp(-900)),
    "weibull": ("weibull", (0.0, float(np.log(2.0))), 30.0, True, mpmath.exp(-900)),
    "weibull, below": ("weibull", (0.0, float(np.log(20.0))), 1e-15, False,
                       -mpmath.expm1(-mpmath.mpf(1e-15) ** 20)),
    "gamma": ("gamma", (0.0, float(np.log(3.0))), 300.0, True,
              mpmath.gammainc(3, 900, regularized=True)),
    "gamma, below": ("gamma", (0.0, float(np.log(30.0))), 1e-12, False,
                     mpmath.gammainc(30, 0, 30 * mpmath.mpf(1e-12), regularized=True)),
    "inverse_gaussian": ("inverse_gaussian", (0.0, 0.0), 2000.0, True,
                         inverse_gaussian(2000, 1, 1)[1]),
    "inverse_gaussian, below": ("inverse_gaussian", (0.0, 0.0), 5e-4, False,
                                inverse_gaussian(5e-4, 1, 1)[0]),
    "beta": ("beta", (0.0, float(np.log(400.0))), 0.999, True,
             mpmath.betainc(200, 200, 0, 1 - mpmath.mpf(0.999), regularized=True)),
    "beta, below": ("beta", (0.0, float(np.log(6.0))), 1e-90, False,
                    mpmath.betainc(3, 3, 0, mpmath.mpf(1e-90), regularized=True)),
    "poisson": ("poisson", (0.0,), 250.0, True,
                mpmath.nsum(lambda k: poisson(1, k), [251, 400])),
    "poisson, below": ("poisson", (float(np.log(2000.0)),), 500.0, False,
                       sum(poisson(2000, k) for k in range(501))),
    "negative_binomial": ("negative_binomial", (0.0, 0.0), 1000.0, True,
                          (mpmath.mpf(1) / 2) ** 1001),
    "negative_binomial, below": ("negative_binomial", (float(np.log(500.0)), float(np.log(0.005))),
                                 0.0, False, negative_binomial(500, 200, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_logs_of_tails_are_accurate(name):
    response, theta, y, upper, probability = CASES[name]
    response = as_response(response)
    assert probability < 1e-250 or "negative_binomial, below" in name
    expected = float(mpmath.log(probability))
    tail = response.logsf if upper else response.logcdf
    assert_allclose(tail(np.array([y]), np.array([theta])), expected, rtol=1e-12, atol=1e-5)


@ordered
def test_logs_of_tails_match_the_tails(name):
    case = example(name)
    y, theta = case.y[:, None], case.theta
    for log, plain in (("logcdf", "cdf"), ("logsf", "sf")):
        mass = getattr(case.response, plain)(y, theta)
        logs = getattr(case.response, log)(y, theta)
        normal = mass > 1e-250
        assert normal.mean() > 0.8 if plain == "cdf" else normal.any()
        assert_allclose(logs[normal], np.log(mass[normal]), rtol=1e-9, atol=1e-12)
        assert (logs[~normal] < -575).all()


def test_bounds_far_out_have_the_probability_of_their_tail():
    theta, response = np.array([[[1.0, 0.0]]]), as_response("normal")
    for low, high, expected in (
        (61.0, INF, normal(60)),
        (-INF, -59.0, normal(60)),
        (61.0, 61.005, normal(60) - normal(60.005)),
        (-59.005, -59.0, normal(60) - normal(60.005)),
    ):
        bounds = np.array([low]), np.array([high])
        log, score = log_interval_probability(response, *bounds, theta)
        assert_allclose(log[0, 0], float(mpmath.log(expected)), rtol=1e-10)
        slope = central_difference(
            lambda t, b=bounds: log_interval_probability(response, *b, t)[0], theta
        )
        assert_allclose(score, slope, rtol=1e-6)


@pytest.mark.parametrize("name", ["normal", "gamma", "inverse_gaussian", "poisson", "weibull"])
def test_log_tails_are_continuous_where_probabilities_underflow(name):
    response = as_response(name)
    lower = np.geomspace(20, 2000, 400)
    lower = np.unique(np.floor(lower)) if response.discrete else lower
    n = len(lower)
    log, score = log_interval_probability(
        response, lower, np.full(n, INF), np.zeros((n, 1, response.n_params))
    )
    log, slope = log[:, 0], score[:, 0, 0]
    assert (np.diff(log) < 0).all()
    near = np.abs(log + 575.6) < 0.2 * 575.6  # log 1e-250
    assert near.sum() > 5
    assert_allclose(np.diff(slope[near], 2), 0, atol=0.02 * slope[near].max())


def test_results_are_finite_where_squares_overflow():
    theta = np.array([[[0.0, -30.0]]], dtype=np.float64)
    for name in ("normal", "logistic", "gumbel", "weibull", "gamma", "lognormal"):
        log, score = log_interval_probability(
            as_response(name), np.array([1e6]), np.array([INF]), theta
        )
        assert np.isfinite(log.astype(np.float32)).all()
        assert np.isfinite(score.astype(np.float32)).all(), name
