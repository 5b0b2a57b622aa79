"""Intervals that hold y as often as they say, whatever the model is worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from mixture_examples import normal_mixture, poisson_mixture
from plain_conformal import cv_plus, rank
from wgboost import Mixture, StudentT
from wgboost.conformal import (
    conformal_interval,
    conformal_level,
    cross_conformal_interval,
    interval_at,
    interval_scores,
    rows_needed,
)
from wgboost.conformal.level import conformal_rank
from wgboost.predictive import JointMixture
from wgboost.responses import Cauchy, Gamma, MultivariateNormal, Normal

both = pytest.mark.parametrize("conformity", ["cdf", "scaled"])
DECIMALS = ["0.5", "0.55", "0.8", "0.9", "0.95"]


def held(interval, y):
    low, high = interval
    return (low <= y) & (y <= high)


@pytest.mark.parametrize("confidence", [0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_the_rank_is_exact_and_so_is_the_number_of_rows_needed(confidence):
    needed = rows_needed(confidence)
    assert rank(needed, confidence) == needed
    assert rank(needed - 1, confidence) == needed  # one more than there are
    for n in range(needed, needed + 300):
        assert conformal_rank(n, confidence) == rank(n, confidence)


def test_the_level_is_an_order_statistic():
    scores = np.random.default_rng(0).permutation(19.0 + np.arange(19))
    assert conformal_level(scores, 0.95) == 37
    assert conformal_level(scores, 0.9) == 36
    assert conformal_level(scores, 0.05) == 19
    assert conformal_level([np.inf, 1.0, 2.0], 0.75) == np.inf


MADE = {"normal": normal_mixture, "poisson": poisson_mixture}


@both
@given(
    st.sampled_from(sorted(MADE)), st.integers(2, 25), st.sampled_from(DECIMALS),
    st.booleans(), st.integers(0, 2**32),
)  # fmt: skip
def test_of_any_rows_enough_are_held_when_each_is_left_out(
    conformity, kind, n, confidence, tied, seed
):
    """Exchangeability in the finite: of n + 1 rows at least ceil((n + 1) confidence) are inside.

    The model has nothing to do with y, and rows may be equal to others.
    """
    dist = MADE[kind](n + 1, 3, seed=seed)
    rng = np.random.default_rng(seed)
    y = rng.poisson(4, n + 1).astype(float) if kind == "poisson" else rng.normal(50, 20, n + 1)
    if tied:
        rows = rng.integers(0, 3, n + 1)
        dist, y = dist[rows], y[rows]
    wanted = rank(n, confidence)
    if wanted > n:
        return
    hits = 0
    for row in range(n + 1):
        others = np.arange(n + 1) != row
        interval = conformal_interval(
            dist[others], y[others], dist[row], float(confidence), conformity=conformity
        )
        hits += bool(held(interval, y[row])[0])
    assert hits >= wanted
    if kind == "normal" and not tied:
        assert hits == wanted


@both
def test_the_coverage_of_a_bad_model_is_what_was_asked_for(conformity):
    """Exactly k / (n + 1) over draws of everything; 99.99 % bounds of that binomial."""
    rng, n, repeats = np.random.default_rng(1), 24, 1500
    hits = 0
    for seed in range(repeats):
        dist = normal_mixture(n + 1, 2, seed=seed)
        y = 50 + rng.standard_t(2, n + 1) * np.exp(dist.particles[:, 0, 0])
        interval = conformal_interval(dist[:n], y[:n], dist[n:], 0.8, conformity=conformity)
        hits += bool(held(interval, y[n:])[0])
    low, high = stats.binom(repeats, 20 / 25).interval(0.9999)
    assert low <= hits <= high


@both
def test_with_too_few_rows_everything_is_inside_and_a_warning_says_how_many_it_takes(conformity):
    dist = normal_mixture(8)
    with pytest.warns(UserWarning, match=r"8 calibration rows .* 0.9, .*; 9 rows are needed"):
        low, high = conformal_interval(dist, np.full(8, 50.0), dist, 0.9, conformity=conformity)
    assert (low == -np.inf).all()
    assert (high == np.inf).all()
    positive = Mixture(Gamma(), np.zeros((5, 2, 2)))
    with pytest.warns(UserWarning, match="19 rows are needed"):
        low, high = conformal_interval(positive, np.ones(5), positive, 0.95, conformity=conformity)
    assert (low == 0).all()
    assert (high == np.inf).all()


@both
def test_widths_follow_the_predicted_spread(conformity):
    """The model knows where y is noisy but not how much: intervals get both right."""
    rng = np.random.default_rng(2)
    log_scale = rng.uniform(-2, 1, 4000)
    y = rng.normal(size=4000) * np.exp(log_scale)
    theta = np.stack([np.zeros(4000), log_scale - np.log(3)], axis=-1)[:, None]  # thrice too sure
    dist = Mixture(Normal(), theta)
    low, high = conformal_interval(dist[:2000], y[:2000], dist[2000:], 0.9, conformity=conformity)
    assert_allclose((high - low) / np.exp(log_scale[2000:]), 2 * stats.norm.ppf(0.95), rtol=0.08)
    for part in (log_scale[2000:] < -0.5, log_scale[2000:] >= -0.5):
        assert abs(held((low, high), y[2000:])[part].mean() - 0.9) < 0.03


def test_by_cdf_the_interval_keeps_the_skewness_of_the_distribution():
    dist = Mixture(Gamma(), np.tile([0.0, 0.0], (400, 1, 1)))  # exponential
    y = 1.5 * dist.rvs(random_state=0)
    low, high = conformal_interval(dist, y, dist[:1], 0.9)
    level = -conformal_level(interval_scores(dist, y), 0.9)
    assert_allclose([low[0], high[0]], stats.expon.ppf([level, 1 - level]), rtol=1e-6)
    assert high[0] - 1 > 3 * (1 - low[0])


@both
@pytest.mark.parametrize("response", [Cauchy(), StudentT(df=1.5), StudentT()])
def test_heavy_tails_and_missing_moments_are_no_obstacle(conformity, response):
    theta = np.random.default_rng(3).normal(size=(300, 3, response.n_params))
    theta[..., 2:] -= 5  # barely a mean
    dist = Mixture(response, theta)
    y = dist.rvs(random_state=3)
    low, high = conformal_interval(dist[:200], y[:200], dist[200:], 0.8, conformity=conformity)
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    assert 0.68 < held((low, high), y[200:]).mean() < 0.92


@both
@pytest.mark.parametrize("kind", sorted(MADE))
@pytest.mark.parametrize("confidence", [0.3, 0.55, 0.8, 0.9])
def test_cv_plus_is_the_order_statistic_of_all_rows_ends(kind, conformity, confidence):
    dists = [MADE[kind](7, 4, seed=seed) for seed in range(3)]
    own = [MADE[kind](6 + k, 4, seed=10 + k) for k in range(3)]
    scores = [
        interval_scores(dist, dist.rvs(random_state=k), conformity) for k, dist in enumerate(own)
    ]
    found = cross_conformal_interval(dists, scores, confidence, conformity=conformity)
    low, high = cv_plus(
        lambda k, score: interval_at(dists[k], score, conformity), scores, confidence
    )
    expected = np.minimum(low, high), np.maximum(low, high)
    if kind == "poisson":  # where ends are rounded outwards row by row, the result is not
        for ours, plain, out in zip(found, expected, (1, -1), strict=True):
            assert (out * (ours - plain) >= 0).all()
            assert (abs(ours - plain) <= (0 if conformity == "cdf" else 1)).all()
    else:
        assert_allclose(found, expected, rtol=1e-6)


@both
def test_cv_plus_of_a_single_model_is_split_conformal_prediction(conformity):
    dist, new = normal_mixture(30, seed=1), normal_mixture(9, seed=2)
    y = dist.rvs(random_state=0)
    scores = interval_scores(dist, y, conformity)
    assert_array_equal(
        cross_conformal_interval([new], [scores], 0.9, conformity=conformity),
        conformal_interval(dist, y, new, 0.9, conformity=conformity),
    )


def test_what_has_no_interval_is_told_what_to_do():
    dist = normal_mixture(30)
    y = np.full(30, 50.0)
    with pytest.raises(ValueError, match="confidence=1 needs infinitely many rows"):
        conformal_interval(dist, y, dist, 1)
    with pytest.raises(ValueError, match="must be one of 'cdf', 'scaled'; did you mean 'scaled'"):
        conformal_interval(dist, y, dist, conformity="scale")
    with pytest.raises(ValueError, match="scores is nan at row 1"):
        conformal_level([1.0, np.nan])
    joint = JointMixture(MultivariateNormal(n_dims=2), np.zeros((3, 1, 5)))
    with pytest.raises(ValueError, match=r"dist.marginal\(j\)"):
        interval_scores(joint, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="2 distributions with 1 arrays of scores"):
        cross_conformal_interval([dist, dist], [[1.0]])
    with pytest.raises(ValueError, match="the folds predict"):
        cross_conformal_interval([dist, dist[:3]], [[1.0], [1.0]])
