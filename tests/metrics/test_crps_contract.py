"""The CRPS of every response against the slow quadrature over each component's quantiles."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Mixture, metrics
from wgboost.predictive.crps import laplace_crps, mixture_crps, numeric_crps
from wgboost.responses import Cauchy, Laplace, Poisson, Units, as_response

LOG = np.log
CASES = [
    ("gamma", [0, 1], 1e-7), ("gamma", [0, -2], 2e-6), ("student_t", [0, 0, 1], 1e-7),
    ("beta", [0, 2], 1e-7), ("beta", [4, 1], 2e-6), ("weibull", [0, 0.5], 1e-7),
    ("lognormal", [0, 0], 1e-7), ("inverse_gaussian", [0, 1], 1e-7), ("logistic", [0, 0], 1e-7),
    ("laplace", [0, 0], 1e-7), ("gumbel", [0, 0], 1e-7), ("cauchy", [0, 0], 1e-7),
    ("exponential", [0], 1e-7), ("poisson", [LOG(6)], 1e-9), ("poisson", [LOG(100)], 1e-6),
    ("negative_binomial", [LOG(6), -0.5], 1e-9), ("negative_binomial", [LOG(60), 1], 1e-6),
    ("zero_inflated_poisson", [LOG(6), -0.5], 1e-9), ("zero_inflated_poisson", [LOG(90), 1], 1e-6),
    ("zero_inflated_negative_binomial", [LOG(20), -1, -1], 1e-6),
]  # fmt: skip


@pytest.mark.parametrize(("name", "theta", "tolerance"), CASES)
def test_the_fast_crps_is_the_slow_one(name, theta, tolerance):
    rng = np.random.default_rng(0)
    particles = np.array(theta) + rng.normal(0, 0.3, (3, 4, len(theta)))
    positive = as_response(name).support[0] == 0
    units = Units(0.0 if positive else 7.0, 1.0 if name == "beta" or "o" in name[-9:] else 3.0)
    if as_response(name).discrete:
        units = Units()
    weights = rng.exponential(size=(3, 4))
    dist = Mixture(as_response(name), particles, units, weights)
    y = dist.rvs(random_state=0).astype(float)
    for at in (y, dist.mean().round() + 1 if dist.response.discrete else dist.ppf(0.999)):
        assert_allclose(mixture_crps(dist, at), numeric_crps(dist, at), rtol=tolerance)


def test_laplace_scales_may_be_equal():
    theta = np.array([[[0.3, 0.1], [-0.2, 0.1 + 1e-7], [1.0, 0.1]]])
    dist = Mixture(Laplace(), theta)
    y = np.array([0.4])
    assert_allclose(laplace_crps(dist, y), numeric_crps(dist, y), rtol=1e-7)


@pytest.mark.parametrize("mean", [1e4, 1e6, 1e12])
@pytest.mark.parametrize("name", ["poisson", "negative_binomial", "zero_inflated_poisson"])
def test_the_crps_of_large_counts_is_the_energy_form_of_draws(name, mean):
    rng = np.random.default_rng(0)
    theta = np.array([LOG(mean), -1.0][: as_response(name).n_params])
    particles = theta + rng.normal(0, 0.3, (1, 5, len(theta)))
    dist, y = Mixture(as_response(name), particles), np.array([mean])
    many = Mixture(as_response(name), np.repeat(particles, 40_000, axis=0))
    draws = many.rvs(random_state=1).astype(float)
    half = len(draws) // 2
    differences = np.abs(draws[:half] - draws[half:])
    sample = np.abs(draws - mean).mean() - differences.mean() / 2
    error = 5 * (draws.std() / np.sqrt(len(draws)) + differences.std() / np.sqrt(half) / 2)
    assert abs(metrics.crps(dist, y) - sample) < error


def test_the_crps_of_narrow_and_distant_counts_is_that_of_their_means():
    means = np.array([1e12, 2e12])
    dist = Mixture(Poisson(), LOG(means)[None, :, None])
    # Two points half the weight each: E|Y - y| - E|Y - Y'| / 2 at y between them.
    assert_allclose(metrics.crps(dist, [1.5e12]), 0.5e12 - 0.25e12, rtol=1e-5)


def test_the_crps_of_cauchy_mixtures_is_the_integral_of_their_arctangents():
    theta = np.array([[0.0, 0.0], [3.0, LOG(0.01)], [-1e3, LOG(50.0)]])
    y, scale = 2.5, np.exp(theta[:, 1])
    weights = np.array([0.5, 0.3, 0.2])

    with mpmath.workdps(30):

        def gap(x):  # (cdf - 1{y <= x})^2, from the tail that has its digits
            side = 1 if x < y else -1
            each = (
                mpmath.atan2(1, side * (mu - x) / s) / mpmath.pi
                for (mu, _), s in zip(theta, scale, strict=True)
            )
            return sum(w * one for w, one in zip(weights, each, strict=True)) ** 2

        ends = [-mpmath.inf, -1e6, -2e3, -1e3, -800, -100, -5, -1, 0, 1, 2, y]
        ends += [2.9, 2.99, 3, 3.01, 3.1, 4, 10, 100, 1e3, 1e6, mpmath.inf]
        exact = float(mpmath.quad(gap, ends))
    dist = Mixture(Cauchy(), theta[None], weights=weights[None])
    assert_allclose(metrics.crps(dist, [y]), exact, rtol=1e-10)
    narrow = Mixture(Cauchy(), theta[None] - [0, 200], weights=weights[None])
    points = (weights * np.abs(theta[:, 0] - y)).sum()
    points -= (np.outer(weights, weights) * np.abs(theta[:, 0] - theta[:, :1])).sum() / 2
    assert_allclose(metrics.crps(narrow, [y]), points, rtol=1e-12)
