"""Rows of which more, or less, is known than a number y."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from finite_differences import central_difference
from response_examples import EXAMPLES, example
from wgboost.responses import LogNormal, Normal, Units, censored
from wgboost.responses.intervals import log_interval_probability
from wgboost.responses.observations import Observations, standardise, subtract_offset

RESPONSES = {name: example(name).response for name in EXAMPLES}
ordered = pytest.mark.parametrize(
    "name", [name for name, one in RESPONSES.items() if not (one.nominal or one.y_shape)]
)
INF = np.inf


def check_bounds(case):
    """Bounds around y: exact, right, left, two-sided, and in both tails."""
    low, high = case.response.support
    y, step = case.y, 1.0 if case.response.discrete else 0.3 if high == INF else 0.05
    lower = np.array([y[0], y[1], low, y[3] - step, y[4], y[5] - 2 * step])
    upper = np.array([y[0], high, y[2], y[3] + step, y[4], y[5] - step])
    return np.clip(lower, low, high), np.clip(upper, low, high)


@ordered
def test_the_likelihood_of_bounds_is_their_probability(name):
    case = example(name)
    lower, upper = check_bounds(case)
    log, _ = log_interval_probability(case.response, lower, upper, case.theta)
    for i in range(6):
        for j in range(4):
            theta = case.theta[i, j]
            cdf = case.scipy(theta).cdf if case.scipy else partial(case.response.cdf, theta=theta)
            start = lower[i] - 1 if case.response.discrete else lower[i]
            mass = cdf(upper[i]) - cdf(start)
            if mass > 1e-9:
                assert_allclose(np.exp(log[i, j]), mass, rtol=1e-6, atol=1e-12)


@ordered
def test_the_gradient_of_a_cdf_is_its_gradient(name):
    case = example(name)
    y = case.y[:, None]
    slope = central_difference(lambda t: case.response.cdf(y, t), case.theta)
    assert_allclose(case.response.cdf_gradient(y, case.theta), slope, rtol=1e-5, atol=1e-8)


@ordered
def test_score_and_hessian_of_bounds_are_derivatives(name):
    case = example(name)
    lower, upper = check_bounds(case)
    low, _ = case.response.support
    observations = Observations.of(censored(lower, upper, above=low, below=INF))
    response, theta = case.response, case.theta
    slope = central_difference(lambda t: response.log_posterior(observations, t, 2.0), theta)
    assert_allclose(response.score(observations, theta, 2.0), slope, rtol=1e-4, atol=1e-5)
    hessian = central_difference(lambda t: response.score(observations, t, 2.0), theta, step=1e-4)
    assert_allclose(response.hessian(observations, theta, 2.0), hessian, rtol=1e-3, atol=1e-3)
    assert (response.curvature(observations, theta, 2.0) > 0).all()
    single = response.score(observations, theta.astype(np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, response.score(observations, theta), rtol=1e-2, atol=1e-2)


@ordered
def test_bounds_that_are_equal_are_the_value(name):
    case = example(name)
    observations = Observations.of(censored(case.y, case.y))
    for function in ("log_posterior", "score", "curvature"):
        ours = getattr(case.response, function)(observations, case.theta)
        assert_allclose(ours, getattr(case.response, function)(case.y, case.theta), rtol=1e-12)


def test_truncation_divides_by_the_probability_of_no_truncation():
    y, theta = np.array([0.5, 2.0]), np.array([[[0.2, -0.3]], [[1.0, 0.4]]])
    observations = Observations.of(censored(y, y, above=[0.0, -INF], below=[1.0, 3.0]))
    for i, (low, high) in enumerate([(0.0, 1.0), (-INF, 3.0)]):
        mean, scale = theta[i, 0, 0], np.exp(theta[i, 0, 1])
        a, b = (low - mean) / scale, (high - mean) / scale
        expected = stats.truncnorm.logpdf(y[i], a, b, mean, scale)
        assert_allclose(observations.logpdf(Normal(), theta)[i, 0], expected, rtol=1e-10)


def test_the_score_of_far_out_bounds_is_finite_and_not_zero():
    theta = np.array([[[0.0, -3.0]]])
    for lower, upper, sign in ((50.0, INF, 1), (-INF, -50.0, -1), (50.0, 51.0, 1)):
        log, score = log_interval_probability(Normal(), np.array([lower]), np.array([upper]), theta)
        assert log < -500
        assert sign * score[0, 0, 0] > 100
        assert np.isfinite(score).all()


def test_noise_adds_its_variance():
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=5), np.array([0.0, 0.1, 1.0, 5.0, 0.3])
    theta = rng.normal(size=(5, 3, 2))
    observations = Observations.of(y, noise=noise)
    scale = np.hypot(np.exp(theta[..., 1]), noise[:, None])
    assert_allclose(
        observations.logpdf(Normal(), theta), stats.norm.logpdf(y[:, None], theta[..., 0], scale)
    )
    slope = central_difference(lambda t: observations.logpdf(Normal(), t), theta)
    assert_allclose(observations.score(Normal(), theta), slope, rtol=1e-6, atol=1e-7)
    fisher = observations.curvature(Normal(), theta)
    share = np.exp(2 * theta[..., 1]) / scale**2
    assert_allclose(fisher[1:], np.stack([1 / scale**2, 2 * share**2], axis=-1)[1:])
    known = Normal().likelihood_curvature(y[:1, None], theta[:1])
    assert_allclose(fisher[:1], known)  # no noise: what is known is y


@pytest.mark.parametrize("response", [Normal(), LogNormal()])
def test_the_information_of_noisy_values_is_the_mean_square_of_their_score(response):
    theta, noise = np.array([[0.4, -0.7]]), 0.02 if response.name == "lognormal" else 0.8
    rng = np.random.default_rng(0)
    y = response.rvs(np.repeat(theta, 200_000, axis=0), rng)
    error = noise * y if response.name == "lognormal" else np.full(len(y), noise)
    observations = Observations.of(y + error * rng.standard_normal(len(y)), noise=error)
    squares = np.square(observations.score(response, np.repeat(theta, len(y), axis=0)[:, None]))
    fisher = response.fisher(theta, 3.0, observations[:1])
    assert_allclose(fisher, 3 * squares.mean(axis=0), rtol=0.02)
    assert (fisher <= response.fisher(theta, 3.0)).all()
    plain = response.fisher(theta, 3.0, np.array([1.0]))
    assert_array_equal(plain, response.fisher(theta, 3.0))


def test_units_and_offsets_change_every_bound():
    y = censored([1.0, 2.0], [3.0, INF], above=[0.0, 1.0])
    observations = standardise(Observations.of(y, noise=np.array([1.0, 2.0])), Units(1.0, 2.0))
    assert_array_equal(observations.lower, [0, 0.5])
    assert_array_equal(observations.upper, [1, INF])
    assert_array_equal(observations.above, [-0.5, 0])
    assert_array_equal(observations.noise, [0.5, 1])
    down = subtract_offset(observations, Normal(), np.array([1.0, 10.0]))
    assert_array_equal(down.upper, [0, INF])
    assert_array_equal(down.lower, [-1, -9.5])
    assert_array_equal(down[1:].lower, [-9.5])


def test_the_offset_of_a_count_enters_its_likelihood_and_not_its_prior():
    case = example("toy_poisson")
    step = np.linspace(-1, 1, 6)
    observations = subtract_offset(
        subtract_offset(case.y, case.response, step), case.response, step
    )
    theta = case.theta
    moved = theta + 2 * step[:, None, None]
    likelihood = case.response.logpdf(case.y[:, None], moved)
    expected = 3 * likelihood + case.response.log_prior(theta)
    assert_allclose(case.response.log_posterior(observations, theta, 3.0), expected, rtol=1e-12)


WRONG = [
    (([1, 2], [3, 1]), {}, "lower > upper at row 1"),
    (([1, np.nan], [3, 3]), {}, "lower is nan at row 1"),
    ((1.0, np.nan), {}, "upper is nan at row 0"),
    ((1.0, 2.0), {"above": 3.0}, "y lies outside of above to below at row 0"),
    ((1.0, 2.0), {"above": 3.0, "below": 3.0}, "above >= below at row 0"),
    ((INF, INF), {}, "the same infinity at row 0"),
    (([1, 2], [3, 1, 4]), {}, "do not fit"),
    (([[1, 2]], [[3, 4]]), {}, r"bounds have shape \(1, 2\)"),
]


@pytest.mark.parametrize(("bounds", "options", "message"), WRONG)
def test_invalid_bounds_are_refused(bounds, options, message):
    with pytest.raises(ValueError, match=message):
        censored(*bounds, **options)
