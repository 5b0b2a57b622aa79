"""The CRPS of counts against sums of SciPy's cdf over every whole number."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from wgboost import Mixture
from wgboost.predictive.count_crps import count_crps
from wgboost.predictive.crps import mixture_crps, numeric_crps
from wgboost.responses import Poisson, as_response

LOG = np.log


def scipy_cdf(dist, row, counts):
    """The mixture's cdf from scipy.stats, extra zeros included."""
    theta, weights = dist.theta()[row], dist.weights
    share = np.full(len(theta), 1 / len(theta)) if weights is None else weights[row]
    total = np.zeros(counts.shape)
    for part, weight in zip(theta, share, strict=True):
        name = dist.response.name
        extra = special.expit(part[-1]) if name.startswith("zero") else 0.0
        mean = np.exp(part[0])
        if "binomial" in name and part[1] > -20:  # the limit is Poisson
            r = np.exp(-part[1])
            cdf = stats.nbinom(r, 1 / (1 + mean / r)).cdf(counts)
        else:
            cdf = stats.poisson(mean).cdf(counts)
        total += weight * (extra + (1 - extra) * cdf)
    return total


def plain_crps(dist, y, last):
    counts = np.arange(last)
    return np.array([
        np.square(scipy_cdf(dist, row, counts) - (counts >= at)).sum() for row, at in enumerate(y)
    ])  # fmt: skip


CASES = [
    ("poisson", [LOG(0.01)], 0.3, 100), ("poisson", [LOG(300)], 0.3, 2500),
    ("poisson", [LOG(4000)], 0.05, 8000), ("poisson", [LOG(4000)], 0.3, 20_000),
    ("negative_binomial", [LOG(6), 3], 0.2, 40_000), ("negative_binomial", [LOG(6), -30], 0.2, 100),
    ("negative_binomial", [LOG(900), -0.5], 0.2, 40_000),
    ("negative_binomial", [LOG(4000), -5], 0.2, 20_000),
    ("negative_binomial", [LOG(4000), -10], 0.2, 20_000),
    ("zero_inflated_poisson", [LOG(4000), -1], 0.1, 10_000),
    ("zero_inflated_negative_binomial", [LOG(6), -1, -1], 0.3, 1000),
    ("zero_inflated_negative_binomial", [LOG(900), -1, -1], 0.2, 30_000),
]  # fmt: skip


@pytest.mark.parametrize(("name", "theta", "spread", "last"), CASES)
def test_the_score_is_the_sum_over_all_counts(name, theta, spread, last):
    rng = np.random.default_rng(3)
    particles = np.array(theta) + spread * rng.normal(size=(2, 3, len(theta)))
    dist = Mixture(as_response(name), particles, weights=rng.exponential(size=(2, 3)))
    for y in (dist.rvs(random_state=0), np.zeros(2), np.floor(dist.mean() * 1.1), dist.isf(1e-4)):
        scores, bad = count_crps(dist, np.asarray(y, dtype=float))
        assert not bad.any()
        assert_allclose(scores, plain_crps(dist, y, last), rtol=2e-9)


@pytest.mark.parametrize("means", [(1, 900), (20, 1200), (2, 3000), (5, 1e5)])
def test_components_may_be_distant(means):
    """Masses of the larger component underflow where the smaller one begins."""
    dist = Mixture(Poisson(), LOG(means)[None, :, None], weights=[[0.3, 0.7]])
    last = int(means[1] + 30 * np.sqrt(means[1]))
    for y in (0.0, np.floor(np.mean(means)), means[1] + 3.0):
        expected = plain_crps(dist, [y], last)
        assert_allclose(mixture_crps(dist, np.array([y])), expected, rtol=1e-8)


def test_a_component_without_weight_has_no_say():
    theta = np.array([[[LOG(6), -1.0], [LOG(1e7), 1.0]]])
    dist = Mixture(as_response("negative_binomial"), theta, weights=[[1.0, 0.0]])
    alone = Mixture(as_response("negative_binomial"), theta[:, :1])
    y = np.array([4.0])
    assert_allclose(mixture_crps(dist, y), mixture_crps(alone, y), rtol=1e-12)


def test_y_far_beyond_the_range_is_its_distance():
    dist = Mixture(as_response("negative_binomial"), [[[LOG(6), -1.0], [LOG(9), -2.0]]] * 2)
    near, far = mixture_crps(dist, np.array([1e4, 1e12]))
    assert_allclose(far - near, 1e12 - 1e4, rtol=1e-12)
    assert_allclose(near, numeric_crps(dist[:1], np.array([1e4]))[0], rtol=1e-9)


def test_rows_of_any_length_keep_their_order():
    rng = np.random.default_rng(0)
    theta = np.stack([rng.uniform(-3, 7, (60, 1)), rng.uniform(-4, 1, (60, 1))], axis=-1)
    theta = theta + 0.1 * rng.normal(size=(60, 3, 2))
    dist = Mixture(as_response("negative_binomial"), theta)
    y = dist.rvs(random_state=0).astype(float)
    each = [mixture_crps(dist[row], y[row : row + 1])[0] for row in range(60)]
    assert_allclose(mixture_crps(dist, y), each, rtol=1e-12)
