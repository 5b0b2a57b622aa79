"""Bands contain the curves of correct predictions as often as their confidence says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from wgboost import censored
from wgboost.plotting import CalibrationDisplay, CoverageDisplay, Display, PITDisplay
from wgboost.plotting.bands import binomial_band, number_at_risk
from wgboost.predictive import Mixture
from wgboost.responses import Categorical, Normal, Poisson


@pytest.fixture(autouse=True)
def _only_numbers(monkeypatch):
    """Skip drawing: the tests make hundreds of displays."""
    monkeypatch.setattr(Display, "plot", lambda self, ax=None: self)  # noqa: ARG005


def one_normal(n):
    return Mixture(Normal(), np.zeros((n, 1, 2)))


def share_inside(make, n, repeats=150):
    """Return how often the curve of a correct prediction is in the band, averaged over levels."""
    inside = []
    for seed in range(repeats):
        shown, values = make(n, seed)
        inside.append((values >= shown.low) & (values <= shown.high))
    return np.mean(inside)


def coverage(n, seed):
    y = stats.norm.rvs(size=n, random_state=seed)
    shown = CoverageDisplay.from_predictions(y, one_normal(n))
    return shown, shown.coverage


def reliability(n, seed):
    y = stats.norm.rvs(size=n, random_state=seed)
    shown = CalibrationDisplay.from_predictions(y, one_normal(n))
    return shown, shown.share


def histogram(n, seed):
    y = stats.poisson.rvs(3, size=n, random_state=seed)
    dist = Mixture(Poisson(), np.full((n, 1, 1), np.log(3)))
    shown = PITDisplay.from_predictions(y, dist, random_state=seed, n_bins=8)
    return shown, shown.density


def classes(n, seed):
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    # theta is the log-ratio of the two classes; the response defines its sign.
    second = Categorical(n_classes=2).probabilities(np.array([5.0]))[1] > 0.5
    dist = Mixture(Categorical(n_classes=2), (logit if second else -logit)[:, None, None])
    shown = CalibrationDisplay.from_predictions(y, dist, n_bins=5)
    return shown, shown.share


def right_censored(n, seed):
    rng = np.random.default_rng(seed)
    y, end = rng.normal(size=n), rng.normal(0.7, 1, size=n)
    bounds = censored(np.minimum(y, end), np.where(y < end, y, np.inf))
    shown = CalibrationDisplay.from_predictions(bounds, one_normal(n))
    # The estimate beyond the last observed row is a convention.
    known = shown.level < 0.9
    for name in ("low", "high", "share"):
        setattr(shown, name, getattr(shown, name)[known])
    return shown, shown.share


@pytest.mark.parametrize("make", [coverage, reliability, histogram, classes, right_censored])
@pytest.mark.parametrize("n", [60, 400])
def test_correct_predictions_are_in_the_band_with_its_confidence(make, n):
    # At least 95%, and more where few rows make the binomial distribution coarse.
    assert 0.93 < share_inside(make, n) < 0.995


def test_wrong_predictions_leave_the_band():
    y = stats.norm.rvs(0, 1.6, size=400, random_state=0)
    for kind in (CoverageDisplay, PITDisplay):
        shown = kind.from_predictions(y, one_normal(400))
        values = shown.coverage if kind is CoverageDisplay else shown.density
        assert ((values < shown.low) | (values > shown.high)).mean() > 0.25


def test_band_has_binomial_coverage():
    low, high = binomial_band(0.3, 50, 0.9)
    inside = stats.binom.cdf(high * 50, 50, 0.3) - stats.binom.cdf(low * 50 - 1, 50, 0.3)
    assert 0.9 <= inside < 0.95
    assert_allclose(binomial_band(np.array([0.0, 1.0]), 10), [[0, 1], [0, 1]])


def test_band_with_weights_matches_the_rows_with_weight():
    y = stats.norm.rvs(size=100, random_state=0)
    weight = np.repeat([1.0, 0.0], 50)
    weighted = CoverageDisplay.from_predictions(y, one_normal(100), sample_weight=weight)
    half = CoverageDisplay.from_predictions(y[:50], one_normal(50))
    for name in ("coverage", "low", "high"):
        assert_allclose(getattr(weighted, name), getattr(half, name))


def test_effective_sample_size_with_censoring_matches_kaplan_meier_variance():
    n, levels, estimates = 300, np.array([0.3, 0.6, 0.8]), []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        u, end = rng.random(n), rng.random(n) ** 0.5
        time, event = np.minimum(u, end), u < end
        order = np.argsort(time)
        factors = 1 - event[order] / np.arange(n, 0, -1)
        survival = np.cumprod(factors)
        estimates.append(survival[np.searchsorted(time[order], levels) - 1])
    effective = number_at_risk(levels, time, event, np.ones(n))
    expected = levels * (1 - levels) / np.var(estimates, axis=0)
    assert_allclose(effective, expected, rtol=0.2)
    assert_allclose(number_at_risk(levels, u, np.ones(n, bool), np.ones(n)), n)
