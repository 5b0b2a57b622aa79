"""Entropy, mutual information and draws of responses whose density is steep at an end."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from response_examples import EXAMPLES, example
from wgboost import Mixture, metrics
from wgboost.responses import Beta, Gamma, InverseGaussian, LogNormal, Units, Weibull, as_response

LOG = np.log


def gamma_log_density(u, theta):
    """Of u = log y, which has digits where y underflows."""
    shape, rate = mp.e ** theta[1], mp.e ** (theta[1] - theta[0])
    return shape * mp.log(rate) - mp.loggamma(shape) + shape * u - rate * mp.e**u


def beta_log_density(u, theta):
    """Of u = logit y."""
    mean, precision = 1 / (1 + mp.e ** -mp.mpf(theta[0])), mp.e ** theta[1]
    a, b = mean * precision, (1 - mean) * precision
    log_y = -mp.log1p(mp.e**-u) if u > 0 else u - mp.log1p(mp.e**u)
    return a * log_y + b * (log_y - u) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)


def exact_information(log_density, particles, ends):
    def divergence(u):
        logs = [log_density(u, theta) for theta in particles]
        mixed = mp.log(sum(mp.e**log for log in logs) / len(logs))
        return sum(mp.e**log * (log - mixed) for log in logs) / len(logs)

    return float(mp.quad(divergence, ends, maxdegree=5))


OUT = [5, 10, 20, 50, 100, 300, 1000, 5000]
ENDS = {"gamma": [-u for u in OUT[::-1]] + [-2, 0, 1, 2, 3, 5, 8],
        "beta": [-u for u in OUT[::-1]] + [-2, 0, 2, *OUT]}  # fmt: skip
CASES = [
    ("gamma", [[0, LOG(0.05)], [0, LOG(5)]], 2e-6),
    ("gamma", [[0, LOG(0.1)], [1, LOG(0.3)]], 1e-7),
    ("gamma", [[0, LOG(0.01)], [0, LOG(0.02)]], 2e-4),  # 0.1 % of it is below 2e-308
    ("beta", [[4, LOG(5)], [3, LOG(5)]], 1e-7),
    ("beta", [[-4, LOG(5)], [-3, LOG(5)]], 1e-7),
    ("beta", [[4, LOG(5)], [4, LOG(0.5)]], 5e-5),
]


@pytest.mark.parametrize(("name", "particles", "tolerance"), CASES)
def test_mutual_information_of_steep_densities_is_that_of_mpmath(name, particles, tolerance):
    log_density = {"gamma": gamma_log_density, "beta": beta_log_density}[name]
    response = as_response(name)
    dist = Mixture(response, [particles], Units(0.0, 3.0) if name == "gamma" else None)
    exact = exact_information(log_density, particles, ENDS[name])
    assert_allclose(dist.mutual_information(), exact, atol=tolerance, rtol=0)
    each = response.entropy(np.array(particles, dtype=float)).mean()
    entropy = each + exact + LOG(dist.units.scale)
    assert_allclose(dist.entropy(), entropy, atol=tolerance, rtol=0)


def test_the_entropy_of_one_steep_particle_is_exact():
    for response, theta, exact in (
        (Beta(), [4, LOG(5)], -9.581927140769547),
        (Beta(), [-4, LOG(5)], -9.581927140769547),
        (Gamma(), [0, LOG(0.01)], -90.34062653925983),
    ):
        assert_allclose(Mixture(response, [[theta]]).entropy(), exact, rtol=1e-12)
        assert_allclose(Mixture(response, [[theta, theta]]).entropy(), exact, rtol=1e-9)


@pytest.mark.parametrize(
    ("response", "theta"),
    [
        (Beta(), [4, LOG(5)]),
        (Beta(), [-4, LOG(0.1)]),
        (Gamma(), [0, LOG(0.01)]),
        (Weibull(), [0, LOG(0.01)]),
        (LogNormal(), [0, LOG(500)]),
        (InverseGaussian(), [0, -40]),
    ],
)
def test_draws_lie_inside_the_support(response, theta):
    particles = np.broadcast_to(np.array(theta, dtype=float), (20_000, 1, 2))
    draws = response.rvs(particles[:, 0], np.random.default_rng(0))
    assert response.in_support(draws).all()
    for scale in (1e-3, 1.0, 1e3):
        dist = Mixture(response, particles, None if response.name == "beta" else Units(0.0, scale))
        y = dist.rvs(random_state=0)
        assert response.in_support(y).all()
        assert np.isfinite(metrics.nll(dist, y))


@pytest.mark.parametrize("name", EXAMPLES)
def test_draws_of_every_response_pass_its_check(name):
    case = example(name)
    many = np.broadcast_to(case.theta[0, 0], (5_000, case.theta.shape[-1]))
    case.response.check(case.response.rvs(many, np.random.default_rng(0)))
