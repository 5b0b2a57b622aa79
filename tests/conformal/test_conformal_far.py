"""Intervals around models that are far too narrow: tails that are too small for a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from mixture_examples import normal_mixture, poisson_mixture, scipy_normals
from plain_conformal import cv_plus, rank
from response_examples import EXAMPLES, example
from wgboost import ConformalRegressor, Mixture, WGBRegressor
from wgboost.conformal import (
    conformal_interval,
    cross_conformal_interval,
    interval_at,
    interval_scores,
)
from wgboost.conformal.interval_scores import interval_score_of
from wgboost.responses import Gumbel, Normal
from wgboost.responses.likelihood import Likelihood

ORDERED = [
    name for name in EXAMPLES
    if not (example(name).response.nominal or example(name).response.y_shape)
]  # fmt: skip


def narrow(n, times, *, m=1, seed=0):
    """Normal distributions, and y so many times as far from their mean as they say."""
    rng = np.random.default_rng(seed)
    mean, log_scale = rng.normal(size=n), rng.uniform(-1, 1, n)
    theta = np.stack([mean, log_scale], axis=-1)[:, None] + 0.01 * rng.normal(size=(n, m, 2))
    return Mixture(Normal(), theta), mean + times * np.exp(log_scale) * rng.normal(size=n)


@pytest.mark.parametrize("times", [50, 1e4, 1e20])
def test_intervals_of_a_model_that_is_too_narrow_are_those_by_its_scale(times):
    dist, y = narrow(600, times)
    by = {
        one: conformal_interval(dist[:300], y[:300], dist[300:], 0.9, conformity=one)
        for one in ("cdf", "scaled")
    }
    assert_allclose(by["cdf"], by["scaled"], rtol=1e-7, atol=1e-6)
    low, high = by["cdf"]
    assert 0.85 < ((low <= y[300:]) & (y[300:] <= high)).mean() < 0.95


def test_a_fitted_model_that_is_fifty_times_too_narrow_has_finite_intervals():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.normal(3, 2, 300)
    sure = WGBRegressor(n_estimators=0, init=np.array([[0.0, -np.log(50)]]), n_particles=1)
    sure.fit(X[:100], y[:100])
    ends = [
        ConformalRegressor(sure, method="prefit", conformity=by)
        .fit(X[100:], y[100:])
        .predict_interval(X[:5], 0.9)
        for by in ("cdf", "scaled")
    ]
    assert_allclose(*ends, rtol=1e-6)
    assert_allclose(ends[0][0], 3 + 2 * 1.645 * np.array([-1, 1]), atol=0.8)


def test_scores_go_on_rising_where_probabilities_have_ended():
    dist = Mixture(Normal(), np.zeros((1000, 3, 2)))
    y = np.linspace(1, 400, 1000)
    for values in (y, -y):
        scores = interval_scores(dist, values)
        assert (np.diff(scores) > 0).all()
        near = y < 30
        assert_array_equal(scores[near], -dist[near].sf(y[near]))
        assert (scores[y > 35] > 0).all()


@pytest.mark.parametrize("kind", ["normal", "poisson"])
@given(st.integers(2, 12), st.sampled_from(["0.5", "0.8", "0.9"]), st.integers(0, 2**32))
def test_far_out_too_enough_rows_are_held_when_each_is_left_out(kind, n, confidence, seed):
    if kind == "normal":
        dist, y = narrow(n + 1, 60, m=3, seed=seed)
    else:
        dist = poisson_mixture(n + 1, 3, seed=seed)
        y = np.random.default_rng(seed).integers(0, 2000, n + 1).astype(float)
    wanted, hits = rank(n, confidence), 0
    if wanted > n:
        return
    for row in range(n + 1):
        others = np.arange(n + 1) != row
        low, high = conformal_interval(dist[others], y[others], dist[row], float(confidence))
        hits += bool(low[0] <= y[row] <= high[0])
    assert hits >= wanted
    if kind == "normal":
        assert hits == wanted


def has_digits(y, end):
    """Whether the square of y is a number, and y not as near to the end as rounding goes."""
    if np.isinf(end):
        return np.abs(y) < 1e150
    return (np.abs(y - end) > 1e-9 * abs(end)) & (np.abs(y - end) > 1e-300)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("name", ORDERED)
def test_the_ends_are_as_odd_as_the_level(name, upper):
    case = example(name)
    dist, checked = Mixture(case.response, case.theta), 0
    sides, support = interval_score_of("cdf", dist), case.response.support
    odd, out, end = (sides.above if upper else sides.below), 2 * upper - 1, support[upper]
    for level in (0.0, 3.0, 400.0, 1e4):
        y = interval_at(dist, level)[upper]
        assert ((support[0] <= y) & (y <= support[1])).all()
        if sides.discrete:
            assert (odd(y) <= level * (1 + 1e-6) + 1e-6).all()
            assert (odd(y + out)[y != end] > level).all()
            checked += len(y)
        else:
            known = has_digits(y, end)
            assert_allclose(odd(y)[known], level, rtol=1e-6, atol=1e-5)
            checked += known.sum()
    # A Cauchy tail outlasts the numbers, and that of a beta ends at less than rounding from 1.
    assert checked >= len(dist) or name == "cauchy" or end == 1


@pytest.mark.parametrize("confidence", [0.55, 0.8, 0.9])
def test_cv_plus_far_out_is_the_order_statistic_of_all_rows_ends(confidence):
    dists = [narrow(7, 1, m=4, seed=seed)[0] for seed in range(3)]
    scores = [interval_scores(*narrow(6 + k, 100, m=4, seed=10 + k)) for k in range(3)]
    found = cross_conformal_interval(dists, scores, confidence)
    low, high = cv_plus(lambda k, score: interval_at(dists[k], score), scores, confidence)
    assert np.isfinite(found).all()
    assert_allclose(found, (np.minimum(low, high), np.maximum(low, high)), rtol=1e-6)


class _Plain(Normal):
    """A response that has lost its upper tail where the cdf is 1."""

    def sf(self, y, theta):
        return 1 - self.cdf(y, theta)

    logsf = Likelihood.logsf


def test_a_response_without_an_upper_tail_of_its_own_has_scores_there():
    theta = np.zeros((200, 1, 2))
    y = np.linspace(10, 60, 200)
    ours, exact = (interval_scores(Mixture(one, theta), y) for one in (_Plain(), Normal()))
    assert_allclose(ours, exact, rtol=1e-9)


def test_infinite_scores_warn():
    dist = Mixture(Gumbel(), np.zeros((30, 1, 2)))
    y = np.full(30, -1000.0)  # of log probability -exp(1000)
    with pytest.warns(UserWarning, match=r"30 of 30 calibration rows have an infinite score"):
        low, high = conformal_interval(dist, y, dist, 0.9)
    assert (low == -np.inf).all()
    assert (high == np.inf).all()
    with pytest.warns(UserWarning, match='conformity="scaled" has finite scores'):
        cross_conformal_interval([dist], [interval_scores(dist, y)], 0.9)
    assert np.isfinite(conformal_interval(dist, y, dist, 0.9, conformity="scaled")).all()


# --- logs of the tails of mixtures ------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_logs_of_a_mixtures_tails_are_those_of_its_components(weighted):
    dist = normal_mixture(weighted=weighted)
    y = np.array([-1e5, -300.0, 0.0, 50.0, 90.0, 1e3, 1e6])[:, None]
    below, above = dist.logcdf(y.T), dist.logsf(y.T)
    assert below.shape == above.shape == (5, 7)
    assert np.isfinite(below).all()
    assert np.isfinite(above).all()
    for i in range(5):
        parts, weights = scipy_normals(dist, i)
        assert_allclose(below[i], special.logsumexp(parts.logcdf(y), axis=1, b=weights), atol=1e-15)
        assert_allclose(above[i], special.logsumexp(parts.logsf(y), axis=1, b=weights), atol=1e-15)


def test_logs_of_a_mixtures_tails_are_logs_of_its_probabilities():
    for dist in (normal_mixture(), poisson_mixture(weighted=True)):
        y = dist.rvs(3, random_state=0)
        assert_allclose(dist.logcdf(y), np.log(dist.cdf(y)), rtol=1e-9)
        assert_allclose(dist.logsf(y), np.log(dist.sf(y)), rtol=1e-9)
        assert_array_equal(dist.logcdf([[np.inf, -np.inf]]), [[0.0, -np.inf]] * 5)
        assert_array_equal(dist.logsf([[np.inf, -np.inf]]), [[-np.inf, 0.0]] * 5)
