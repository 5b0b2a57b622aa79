"""Summaries of counts too many to be taken one by one, against sums over scipy's masses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from wgboost import Mixture
from wgboost.predictive.decisions import bayes_action
from wgboost.responses import as_response

LOG = np.log
CASES = {
    "poisson": ("poisson", [[LOG(1e6)]]),
    "two poisson": ("poisson", [[LOG(2e5)], [LOG(10)]]),
    "poisson in a crowd": ("poisson", [[LOG(2e5)], *[[LOG(10 + i)] for i in range(60)]]),
    "negative binomial": ("negative_binomial", [[LOG(5000), LOG(2)]]),
    "steep": ("negative_binomial", [[LOG(100), LOG(200)], [LOG(5), 0.0]]),
    "zeros": ("zero_inflated_poisson", [[LOG(1e6), -1.0]]),
    "zeros, short": ("zero_inflated_poisson", [[LOG(2000), -1.0]]),
    "zeros, two": ("zero_inflated_poisson", [[LOG(1e5), -1.0], [LOG(1e5) + 0.3, 0.0]]),
    "zeros, dispersed": ("zero_inflated_negative_binomial", [[LOG(1e6), LOG(1e-5), -1.0]]),
}


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def case(request):
    """A mixture of one row, the counts from 0 on, and their probabilities."""
    name, particles = request.param
    parts, size = [], 0
    for theta in particles:
        mean = np.exp(theta[0])
        part = stats.poisson(mean)
        if "negative_binomial" in name:
            part = stats.nbinom(np.exp(-theta[1]), 1 / (1 + mean * np.exp(theta[1])))
        extra = special.expit(theta[-1]) if name.startswith("zero") else 0.0
        parts.append((part, extra))
        tail = 40 * max(1.0, part.var() / part.mean())
        size = max(size, int(part.mean() + 12 * part.std() + tail))
    counts = np.arange(float(size))
    masses = np.zeros(size)
    for part, extra in parts:
        masses += (1 - extra) * part.pmf(counts) / len(parts)
        masses[0] += extra / len(parts)
    return Mixture(as_response(name), [particles]), counts, masses


def test_entropies_are_sums_over_the_masses(case):
    dist, _, masses = case
    assert_allclose(dist.entropy(), special.entr(masses).sum(), atol=1e-6)


def test_means_of_functions_are_sums_over_the_masses(case):
    dist, counts, masses = case
    mean = masses @ counts
    assert_allclose(dist.expect(lambda y: y), mean, rtol=1e-8)
    assert_allclose(
        dist.expect(lambda y: (y - mean) ** 2), masses @ (counts - mean) ** 2, rtol=3e-3
    )
    assert_allclose(dist.expect(lambda y: y == 0), masses[0], rtol=1e-8, atol=1e-15)
    point = float(np.searchsorted(np.cumsum(masses), 0.7))
    for jump in (lambda y: y > point, lambda y: y >= point):
        assert_allclose(dist.expect(jump, points=point), masses @ jump(counts), rtol=1e-8)


def test_functions_get_whole_numbers(case):
    values = []
    case[0].expect(lambda y: values.append(y) or y)
    assert_array_equal(values[0], np.floor(values[0]))
    assert values[0].min() >= 0


@pytest.mark.parametrize("q", [0.05, 0.3])
@pytest.mark.parametrize("upper", [False, True])
def test_shortfalls_are_sums_over_the_masses(case, q, upper):
    dist, counts, masses = case
    if upper:
        counts, masses = counts[::-1], masses[::-1]
    before = np.cumsum(masses) - masses
    exact = np.clip(q - before, 0, masses) @ counts / q
    assert_allclose(dist.expected_shortfall(q, upper=upper), exact, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_densest_intervals_cover_what_is_asked_with_the_fewest_counts(case, confidence):
    dist, counts, masses = case
    low, high = (int(end[0]) for end in dist.hdi(confidence))
    reached = np.concatenate([[0], np.cumsum(masses)])
    assert reached[high + 1] - reached[low] >= confidence - 1e-9
    last = np.searchsorted(reached[1:], reached[:-1] + confidence - 1e-12)
    fewest = (last - counts)[last < counts.size].min()
    assert high - low <= fewest + 2


@pytest.mark.parametrize("q", [0.2, 0.8])
def test_the_newsvendor_orders_the_quantile(case, q):
    dist, counts, masses = case

    def loss(action, y):
        return np.where(y > action, q * (y - action), (1 - q) * (action - y))

    action, risk = bayes_action(dist, loss, over="y", return_risks=True)
    quantile = np.searchsorted(np.cumsum(masses), q)
    assert_allclose(action, quantile, atol=0.6)
    assert_allclose(risk, masses @ loss(quantile, counts), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mean", [1e9, 1e12, 1e15])
def test_means_of_counts_near_the_largest(mean):
    dist = Mixture(as_response("negative_binomial"), [[[LOG(mean), 1.0]]])
    assert_allclose(dist.expect(lambda y: y), mean, rtol=1e-6)
