"""Quantiles of mixtures with extreme parameters, for every response of the registry."""

import numpy as np
import pytest

from response_examples import example
from wgboost import Mixture
from wgboost.conformal import conformal_interval
from wgboost.responses import RESPONSES, Gamma, as_response

LOG = np.log
# Rows of particles that have little in common: narrow with wide ones, steep with flat ones.
EXTREME = {
    "normal": [[[0, 0], [0, -20]], [[-5, -12], [5, 12]], [[3, -3], [3, -2.9], [1e3, 1]]],
    "student_t": [[[0, 0, -8], [0, -9, 6]], [[0, 3, -2], [50, -3, 0]], [[0, 0, 9], [1, 0, -4]]],
    "laplace": [[[0, 0], [0, -20]], [[-5, -9], [5, 9]]],
    "logistic": [[[0, 0], [0, -20]], [[-5, -9], [5, 9]]],
    "gumbel": [[[0, 0], [0, -20]], [[-5, -9], [5, 9]]],
    "cauchy": [[[0, 0], [0, -20]], [[-5, -9], [5, 9]]],
    "lognormal": [[[0, 3], [0, -8]], [[-30, 1], [30, 2]], [[0, 4], [1, 4.2]]],
    "gamma": [[[0, LOG(0.05)], [0, LOG(5)]], [[0, LOG(0.01)], [9, LOG(0.02)]],
              [[0, LOG(1e6)], [0.01, LOG(0.1)]], [[-20, 0], [20, -1]]],
    "weibull": [[[0, LOG(0.05)], [0, LOG(5)]], [[0, LOG(0.02)], [9, LOG(0.03)]],
                [[0, LOG(1e3)], [0.01, LOG(0.1)]]],
    "exponential": [[[0], [-30]], [[30], [29]]],
    "inverse_gaussian": [[[0, -6], [0, 9]], [[-20, 0], [20, 5]], [[3, -12], [2, 0]]],
    "beta": [[[4, LOG(5)], [0, 0]], [[-4, LOG(5)], [0, 9]], [[0, LOG(0.05)], [1, LOG(1e4)]],
             [[-9, LOG(0.5)], [9, LOG(0.5)]], [[30, 2], [20, 1]]],
    "poisson": [[[-9], [9]], [[3], [3.1]], [[20], [0]], [[34], [34.1]]],
    "negative_binomial": [[[3, -9], [3, 3]], [[9, -1], [-3, 0]], [[18, 2], [18, -2]]],
    "zero_inflated_poisson": [[[9, 3], [0, -3]], [[20, 0], [3, -9]]],
    "zero_inflated_negative_binomial": [[[9, -1, 3], [0, 2, -3]], [[15, 1, 0], [3, -4, -9]]],
    "ordinal": [[[30, 0, 0, 0], [-30, 1, -9, 2]], [[1, -20, 3, 0], [0, 0, 0, 0]]],
}  # fmt: skip
ORDERED = list(EXTREME) + [
    name for name, kind in RESPONSES.items()
    if name not in EXTREME and not (kind.nominal or example(name).response.y_shape)
]  # fmt: skip
Q = np.concatenate([np.logspace(-6, LOG(0.5) / LOG(10), 40), 1 - np.logspace(-0.31, -6, 40)])


def response_of(name):
    return example(name).response if name == "ordinal" else as_response(name)


def rows(name):
    """Mixtures of one row each; their particles in the order given, reversed, and weighted."""
    response, usual = response_of(name), example(name).theta[0, 0]
    default = [[usual, usual - 4], [usual - 4, usual + 4]]
    for particles in EXTREME.get(name, default):
        theta = np.array(particles, dtype=np.float64)
        yield Mixture(response, theta[None])
        yield Mixture(response, theta[None, ::-1], weights=np.linspace(1e-4, 1, len(theta))[None])
        for one in theta:
            yield Mixture(response, one[None, None])


def neighbours(y):
    """The next smaller and larger numbers: where they are far apart, q lies between their cdf.

    Numbers with fewer digits than others, below 2e-308, count as 0.
    """
    least = np.finfo(np.float64).tiny
    down, up = np.nextafter(y, -np.inf), np.nextafter(y, np.inf)
    return np.where(abs(down) < least, 0, down), np.where((up > 0) & (up < least), least, up)


@pytest.mark.parametrize("name", ORDERED)
def test_quantiles_invert_the_cdf_and_rise(name):
    for dist in rows(name):
        y, from_above = dist.ppf(Q), dist.isf(1 - Q)
        down, up = neighbours(y)
        if dist.response.discrete:
            down, up = np.minimum(np.ceil(down) - 1, y - 1), y
        below, at, above = dist.cdf(down), dist.cdf(y), dist.cdf(up)
        exact = np.abs(at - Q) <= 1e-8 * np.minimum(Q, 1 - Q)
        if dist.response.discrete:
            exact = at >= Q
        between = (below <= Q * (1 + 1e-8)) & (above >= Q * (1 - 1e-8))
        assert (exact | between).all(), (dist.particles, Q[~(exact | between)])
        if dist.response.discrete:
            assert between.all(), (dist.particles, Q[~between])
        assert (np.diff(y) >= 0).all(), dist.particles
        assert (np.diff(from_above) >= 0).all(), dist.particles


@pytest.mark.parametrize("name", ORDERED)
def test_upper_quantiles_invert_the_upper_tail(name):
    for dist in rows(name):
        if dist.response.discrete:
            continue
        y = dist.isf(Q)
        down, up = neighbours(y)
        exact = np.abs(dist.sf(y) - Q) <= 1e-8 * Q
        between = (dist.sf(up) <= Q * (1 + 1e-8)) & (dist.sf(down) >= Q * (1 - 1e-8))
        assert (exact | between).all(), (dist.particles, Q[~(exact | between)])


def test_conformal_intervals_of_the_true_model_cover_what_they_promise():
    rng = np.random.default_rng(0)
    theta = np.array([[0, LOG(0.05)], [0, LOG(5)]])

    def draw(n):
        dist = Mixture(Gamma(), np.broadcast_to(theta, (n, 2, 2)))
        return dist, dist.rvs(random_state=rng)

    covered = []
    for _ in range(40):
        (held_out, y_held_out), (dist, y) = draw(200), draw(500)
        low, high = conformal_interval(held_out, y_held_out, dist, 0.9)
        covered.append(((low <= y) & (y <= high)).mean())
    # 0.9 to 0.9 + 1 / 201 is what the theorem gives; five standard errors are allowed.
    error = 5 * np.std(covered) / np.sqrt(len(covered))
    assert 0.9 - error <= np.mean(covered) <= 0.905 + error
    assert error < 0.025
