"""What it means that a response is wider, for every one of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from response_examples import EXAMPLES, example
from wgboost.responses import RESPONSES

every = pytest.mark.parametrize("name", EXAMPLES)
QUARTILES = np.array([0.25, 0.75])


def quartile_range(response, theta):
    low, high = (response.ppf(q, theta) for q in QUARTILES)
    return high - low


def log_quartile_range(response, theta):
    low, high = (np.log(response.ppf(q, theta)) for q in QUARTILES)
    return high - low


def relative_deviation(response, theta):
    return np.sqrt(response.var(theta)) / response.mean(theta)


def of_the_poisson_mean(response, theta):
    mean = response.mean(theta)
    return np.sqrt(response.var(theta) - mean) / mean


def of_the_count_part(response, theta):
    return of_the_poisson_mean(response.part, theta[..., :-1])


def odds(response, theta):
    mean = response.mean(theta)
    share = response.var(theta) / (mean * (1 - mean))
    return np.sqrt(share / (1 - share))


def inverse_log_ratio(response, theta):
    shares = response.probabilities(theta)
    return 1 / np.log(shares[..., 0] / shares[..., 1])


def inverse_gap(response, theta):
    """Of the logits of two cumulated probabilities."""
    first, second = (response.cdf(np.array(code), theta) for code in (0.0, 1.0))
    return 1 / (special.logit(second) - special.logit(first))


def deviations(response, theta):
    return np.sqrt(response.var(theta))


WIDTHS = {
    **dict.fromkeys(["normal", "student_t", "laplace", "logistic", "gumbel", "cauchy"],
                    quartile_range),
    **dict.fromkeys(["lognormal", "weibull"], log_quartile_range),
    **dict.fromkeys(["gamma", "inverse_gaussian"], relative_deviation),
    "negative_binomial": of_the_poisson_mean,
    "zero_inflated_negative_binomial": of_the_count_part,
    "beta": odds,
    "categorical": inverse_log_ratio,
    "ordinal": inverse_gap,
    "multivariate_normal": deviations,
}  # fmt: skip
CONTINUOUS = [
    name for name in RESPONSES
    if not (example(name).response.discrete or example(name).response.y_shape)
]  # fmt: skip
WITHOUT = {"poisson", "exponential", "zero_inflated_poisson"}


def test_a_response_has_a_width_or_none():
    assert all(example(name).response.has_dispersion for name in WIDTHS)
    assert not any(example(name).response.has_dispersion for name in WITHOUT)


def spread(response, theta):
    """Quartile range of y, or of its log or logit where y has bounds."""
    low, high = (response.ppf(q, theta) for q in QUARTILES)
    if response.support == (0, 1):
        return special.logit(high) - special.logit(low)
    return np.log(high) - np.log(low) if response.support[0] == 0 else high - low


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_larger_factor_spreads_y_wider(name):
    response, theta = example(name).response, example(name).theta
    widths = [spread(response, response.scale_dispersion(theta, f)) for f in (0.6, 1.0, 1.7)]
    assert (np.diff(widths, axis=0) > 0).all() or not response.has_dispersion


@pytest.mark.parametrize("name", WIDTHS)
def test_a_width_is_multiplied_by_the_factor(name):
    response, theta = example(name).response, example(name).theta
    width = WIDTHS[name]
    wider = width(response, response.scale_dispersion(theta, 1.7))
    assert_allclose(wider, 1.7 * width(response, theta), rtol=1e-6)


@pytest.mark.parametrize("name", WIDTHS)
def test_the_location_stays(name):
    response, theta = example(name).response, example(name).theta
    moved = response.scale_dispersion(theta, 1.7)[..., response.location]
    at = theta[..., response.location]
    assert_allclose(moved, at / 1.7 if name in ("categorical", "ordinal") else at)


@every
def test_factors_multiply_and_one_changes_nothing(name):
    response, theta = example(name).response, example(name).theta
    twice = response.scale_dispersion(response.scale_dispersion(theta, 1.5), 0.4)
    assert_allclose(twice, response.scale_dispersion(theta, 0.6))
    assert_array_equal(response.scale_dispersion(theta, 1.0), theta)
    if not response.has_dispersion:
        assert_array_equal(twice, theta)


def test_theta_itself_is_not_changed():
    for name in RESPONSES:
        theta = example(name).theta
        before = theta.copy()
        example(name).response.scale_dispersion(theta, 3.0)
        assert_array_equal(theta, before)
