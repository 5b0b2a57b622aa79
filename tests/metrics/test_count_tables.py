"""Quantiles and CV+ intervals of counts from tables, against sums over every count by SciPy."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from wgboost import Mixture
from wgboost.conformal import cross_conformal_interval, interval_scores
from wgboost.conformal.level import conformal_rank
from wgboost.predictive.count_tables import table_quantile
from wgboost.responses import as_response

CASES = [
    ("poisson", [np.log(0.3)]),
    ("poisson", [np.log(6)]),
    ("poisson", [np.log(150)]),
    ("poisson", [np.log(700)]),  # too large for a table
    ("negative_binomial", [np.log(6), -0.5]),
    ("negative_binomial", [np.log(60), 1]),
    ("negative_binomial", [np.log(100), -8]),
    ("zero_inflated_poisson", [np.log(6), -0.5]),
    ("zero_inflated_negative_binomial", [np.log(6), -1, -1]),
]


def exact(dist, side, counts):
    """The cdf or sf (n, counts) of a mixture by scipy.stats."""
    name, theta = dist.response.name, dist.theta()
    mean, extra = np.exp(theta[..., 0])[..., None], np.zeros(theta.shape[:2])[..., None]
    if name.startswith("zero_inflated"):
        extra = special.expit(theta[..., -1])[..., None]
    if name.endswith("poisson"):
        each = getattr(stats.poisson, side)(counts, mean)
    else:
        size = np.exp(-theta[..., 1])[..., None]
        each = getattr(stats.nbinom, side)(counts, size, size / (size + mean))
    zeros = extra * ((counts >= 0) if side == "cdf" else (counts < 0))
    each = zeros + (1 - extra) * each
    weights = np.full(theta.shape[:2], 1 / theta.shape[1]) if dist.weights is None else dist.weights
    return np.einsum("nmc,nm->nc", each, weights)


def mixture(name, centre, n, particles=4, weighted=False):
    rng = np.random.default_rng(0)
    theta = np.array(centre) + 0.2 * rng.normal(size=(n, particles, len(centre)))
    weights = rng.random((n, particles)) if weighted else None
    return Mixture(as_response(name), theta, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "centre"), CASES)
def test_quantiles_are_the_first_counts_with_enough_probability(name, centre, weighted):
    dist = mixture(name, centre, 20, weighted=weighted)
    cdf = exact(dist, "cdf", np.arange(6000.0))
    for q in (1e-5, 0.03, 0.31, 0.77, 0.98):
        assert_array_equal(dist.ppf(q), (cdf >= q).argmax(axis=1))
        assert_array_equal(dist.isf(q), (1 - cdf <= q).argmax(axis=1))


@pytest.mark.parametrize(("name", "centre"), CASES)
def test_a_count_is_the_quantile_of_its_own_probability(name, centre):
    dist = mixture(name, centre, 30)
    for q in (0.1, 0.6):
        count = dist.ppf(q)
        assert_array_equal(dist.ppf(dist.cdf(count)), count)
        assert_array_equal(dist.isf(dist.sf(count)), count)


def test_tables_leave_ties_and_long_ranges_to_the_search():
    dist = mixture("negative_binomial", [np.log(6), -0.5], 30)
    theta, q = dist.theta(), dist.cdf(4)
    assert np.isnan(table_quantile(dist.response, theta, None, q, upper=False)).all()
    assert not np.isnan(table_quantile(dist.response, theta, None, q - 1e-6, upper=False)).any()
    large = mixture("poisson", [np.log(1e4)], 30)
    half = np.full(30, 0.5)
    assert np.isnan(table_quantile(large.response, large.theta(), None, half, upper=True)).all()


def counted(dists, scores, confidence):
    """The outermost counts inside for enough rows, from the tails of all counts."""
    n = sum(len(of_fold) for of_fold in scores)
    least = n + 1 - conformal_rank(n, confidence)
    counts = np.arange(12 * max(dist.mean().max() for dist in dists) + 30)
    below, above = 0, 0
    for dist, of_fold in zip(dists, scores, strict=True):
        given = np.sort(-of_fold)
        for_small, for_large = exact(dist, "cdf", counts), exact(dist, "sf", counts - 1)
        # A tail as large as a given one, up to rounding, counts.
        below = below + np.searchsorted(given, for_small * (1 + 1e-9), side="right")
        above = above + np.searchsorted(given, for_large * (1 + 1e-9), side="right")
    return (below >= least).argmax(axis=1), (above >= least).sum(axis=1) - 1


def folds_of(name, centre, n, folds, distance):
    dist, rng = mixture(name, centre, n), np.random.default_rng(1)
    y = dist.rvs(random_state=0)
    moved = [
        dist.particles + distance * rng.normal(size=dist.particles.shape) for _ in range(folds)
    ]
    dists = [dist.with_particles(one) for one in moved]
    return dists, [interval_scores(dist[k::folds], y[k::folds]) for k, dist in enumerate(dists)]


@pytest.mark.parametrize("distance", [0.0, 0.05, 0.4])
@pytest.mark.parametrize(("name", "centre"), CASES)
def test_ends_of_the_intervals_of_folds_are_counted(name, centre, distance):
    dists, scores = folds_of(name, centre, 30, 3, distance)
    low, high = cross_conformal_interval(dists, scores, 0.8)
    slow_low, slow_high = counted(dists, scores, 0.8)
    assert_array_equal(low, slow_low)
    assert_array_equal(high, slow_high)


def test_folds_of_equal_and_of_weighted_particles_are_counted_too():
    dists, scores = folds_of("negative_binomial", [np.log(6), -0.5], 60, 3, 0.05)
    weights = np.random.default_rng(2).random(dists[0].particles.shape[:2])
    dists[1] = Mixture(dists[1].response, dists[1].particles, weights=weights)
    assert_array_equal(cross_conformal_interval(dists, scores, 0.8), counted(dists, scores, 0.8))


def tail_sum(y, log_mean, log_dispersion):
    """The probability of a count > y, summed mass by mass with 30 digits."""
    with mpmath.workdps(30):
        mean, dispersion = mpmath.exp(log_mean), mpmath.exp(log_dispersion)
        size, p, k = 1 / dispersion, dispersion * mean / (1 + dispersion * mean), mpmath.mpf(y) + 1
        log_mass = mpmath.loggamma(k + size) - mpmath.loggamma(size) - mpmath.loggamma(k + 1)
        mass = mpmath.exp(log_mass + k * mpmath.log(p) - size * mpmath.log1p(dispersion * mean))
        total = mpmath.mpf(0)
        while mass > total * mpmath.mpf(10) ** -18 * (1 - p):
            total += mass
            k += 1
            mass *= p * (k - 1 + size) / k
        return float(total)


@pytest.mark.parametrize("log_dispersion", [-5.0, -0.5, 1.5])
@pytest.mark.parametrize("mean", [6, 100])
@pytest.mark.parametrize("tail", [0.4, 0.05, 1e-10])
def test_upper_tails_of_negative_binomial_counts_have_all_digits(mean, log_dispersion, tail):
    response = as_response("negative_binomial")
    theta = np.array([np.log(mean), log_dispersion])
    y = response.isf(np.array(tail), theta)
    assert_allclose(response.sf(y, theta), tail_sum(float(y), *theta), rtol=1e-13)
