"""Metrics against their definitions, scikit-learn and dense integration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import integrate, stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss

from mixture_examples import KINDS, categorical_mixture, normal_mixture, normal_mixtures
from wgboost import metrics
from wgboost.predictive import Mixture
from wgboost.predictive.crps import normal_crps, numeric_crps
from wgboost.responses import Categorical, Normal, Units

NUMBERS = (metrics.nll, metrics.crps, metrics.rmse, metrics.coverage, metrics.interval_width)
CLASSES = (metrics.nll, metrics.brier, metrics.accuracy, metrics.error_rate, metrics.coverage)
weighted = pytest.mark.parametrize("weighted", [False, True])


def dense_crps(dist, y, width, steps=400_001):
    """The definition, by Simpson's rule to both sides of y; one row."""
    total = 0.0
    for low, high, above in ((y - width, y, 0), (y, y + width, 1)):
        grid = np.linspace(low, high, steps)
        total += integrate.simpson((dist.cdf(grid) - above) ** 2, x=grid)
    return total


@weighted
def test_the_crps_is_the_integral_of_the_squared_gap_to_the_step(weighted):
    dist = normal_mixture(weighted=weighted)
    y = np.array([50.0, 41.0, 58.0, 20.0, 110.0])
    expected = [dense_crps(dist[i], y[i], 300) for i in range(5)]
    assert_allclose(normal_crps(dist, y), expected, rtol=1e-7)
    assert_allclose(numeric_crps(dist, y), expected, rtol=1e-7)
    assert_allclose(metrics.crps(dist, y), np.mean(expected), rtol=1e-7)


@given(normal_mixtures(log_scales=(-8.0, 8.0)), st.integers(0, 99))
def test_the_closed_and_the_numeric_crps_agree(dist, seed):
    y = dist.rvs(random_state=seed)
    for at in (y, y + 30 * dist.std(), y - 1e4 * dist.std()):
        assert_allclose(numeric_crps(dist, at), normal_crps(dist, at), rtol=1e-7)


def test_the_crps_of_one_normal_is_the_known_formula():
    z = np.array([-3.0, 0.0, 0.4, 8.0])
    dist = Mixture(Normal(), np.tile([0.3, -1.0], (4, 1, 1)), Units(7.0, 2.0))
    scale = 2 * np.exp(-1.0)
    known = scale * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))
    assert_allclose(normal_crps(dist, 7.6 + scale * z), known, rtol=1e-12)


@weighted
def test_the_crps_of_counts_is_a_sum(weighted):
    dist = KINDS["poisson"](weighted=weighted)
    y = np.array([0.0, 3.0, 9.0, 60.0, 400.0])
    codes = np.arange(0, 1000)[None]
    expected = ((dist.cdf(codes) - (codes >= y[:, None])) ** 2).sum(axis=1)
    assert_allclose(numeric_crps(dist, y), expected, rtol=1e-9)


def test_a_point_has_the_absolute_error_as_crps():
    dist = Mixture(Normal(), np.tile([1.0, -100.0], (3, 4, 1)), Units(0.0, 5.0))
    assert_allclose(normal_crps(dist, np.array([5.0, 4.0, -20.0])), [0, 1, 25], atol=1e-12)


def test_nll_and_rmse_are_in_the_units_of_the_user():
    dist = Mixture(Normal(), np.tile([0.5, -1.0], (3, 4, 1)), Units(10.0, 3.0))
    y = np.array([9.0, 11.5, 14.0])
    expected = -stats.norm.logpdf(y, 11.5, 3 * np.exp(-1.0))
    assert_allclose(metrics.nll(dist, y), expected.mean(), rtol=1e-12)
    assert_allclose(metrics.rmse(dist, y), np.sqrt((2.5**2 + 0 + 2.5**2) / 3), rtol=1e-12)


def test_class_metrics_are_those_of_scikit_learn():
    dist = categorical_mixture(n=200)
    y = dist.rvs(random_state=1)
    probabilities = dist.probabilities()
    assert_allclose(metrics.nll(dist, y), log_loss(y, probabilities, labels=range(4)), rtol=1e-10)
    assert_allclose(
        metrics.brier(dist, y), ((probabilities - np.eye(4)[y]) ** 2).sum(axis=1).mean()
    )
    assert_allclose(metrics.accuracy(dist, y), (probabilities.argmax(axis=1) == y).mean())
    assert_allclose(metrics.error_rate(dist, y), 1 - metrics.accuracy(dist, y))
    two = categorical_mixture(n=200, k=2)
    y = two.rvs(random_state=1)
    assert_allclose(metrics.brier(two, y), 2 * brier_score_loss(y, two.probabilities()[:, 1]))


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_intervals_of_the_truth_cover_as_they_say(confidence):
    dist = normal_mixture(n=20_000)
    y = dist.rvs(random_state=3)
    assert_allclose(metrics.coverage(dist, y, confidence), confidence, atol=0.012)
    low, high = dist.interval(confidence)
    assert_allclose(metrics.interval_width(dist, y, confidence), np.mean(high - low))
    assert_allclose(metrics.interval_width(dist, confidence=confidence), np.mean(high - low))


@pytest.mark.parametrize("kind", KINDS)
def test_the_probability_integral_transform_of_the_truth_is_uniform(kind):
    dist = KINDS[kind](n=20_000)
    transform = metrics.pit(dist, dist.rvs(random_state=3), random_state=4)
    assert stats.kstest(transform, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("make", "functions"), [(normal_mixture, NUMBERS), (categorical_mixture, CLASSES)]
)
def test_a_weight_is_a_number_of_repeats(make, functions):
    dist = make(n=6)
    y, weight = dist.rvs(random_state=0), np.array([1, 0, 3, 2, 0, 1])
    rows = np.repeat(np.arange(6), weight)
    for function in functions:
        repeated = function(dist[rows], y[rows])
        assert_allclose(function(dist, y, sample_weight=weight), repeated, rtol=1e-7)
        assert_allclose(function(dist, y, sample_weight=np.ones(6)), function(dist, y), rtol=1e-12)


def test_a_row_of_weight_zero_counts_for_nothing_even_if_it_is_impossible():
    theta = np.array([[[0.0, 0.0]], [[np.nan, 0.0]]])
    value = metrics.nll(Mixture(Normal(), theta), np.zeros(2), sample_weight=[1.0, 0.0])
    assert_allclose(value, stats.norm.logpdf(0) * -1)


def test_ood_average_precision_finds_the_inside_by_small_scores():
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(0, 1, 300).round(1), rng.normal(1, 1, 200).round(1)
    expected = average_precision_score(np.repeat([1, 0], [300, 200]), -np.append(inside, outside))
    assert_allclose(metrics.ood_average_precision(inside, outside), expected, rtol=1e-12)
    assert metrics.ood_average_precision([0, 1, 2], [3, np.inf]) == 1
    assert_allclose(metrics.ood_average_precision([1, 1, 1], [1]), 0.75)
    for wrong, message in (([np.nan], "nan at row 0"), ([], "shape"), ([[1.0]], "shape")):
        with pytest.raises(ValueError, match=f"score_out.*{message}"):
            metrics.ood_average_precision([0.0], wrong)


def test_a_metric_is_given_by_name_or_function():
    dist = normal_mixture()
    y, weight = dist.rvs(random_state=0), np.arange(1.0, 6)
    assert metrics.as_metric(None, Normal()).name == "nll"
    for name in ("nll", "crps", "rmse"):
        metric = metrics.as_metric(name, Normal())
        assert metric.name == name
        expected = getattr(metrics, name)(dist, y, sample_weight=weight)
        assert metric(dist, y, weight) == expected
    assert metrics.as_metric("accuracy", Categorical()).name == "error_rate"

    def largest(dist, y):
        return abs(dist.mean() - y).max()

    mine = metrics.as_metric(largest, Normal())
    assert mine.name == "largest"
    assert mine(dist, y, weight) == largest(dist, y)
    assert metrics.as_metric(mine, Normal()) is mine
    assert metrics.as_metric(metrics.crps, Normal())(dist, y, weight) == metrics.crps(
        dist, y, sample_weight=weight
    )
    with pytest.raises(ValueError, match="returned shape"):
        metrics.as_metric(lambda dist, y: dist.mean() - y, Normal())(dist, y)


@pytest.mark.parametrize(
    ("name", "response", "message"),
    [
        ("rmsee", Normal(), "did you mean 'rmse'"),
        ("brier", Normal(), "for the response 'normal'"),
        ("crps", Categorical(), "for the response 'categorical'"),
        (3, Normal(), "must be one of"),
    ],
)
def test_a_metric_that_makes_no_sense_is_refused(name, response, message):
    with pytest.raises(ValueError, match=message):
        metrics.as_metric(name, response)


def test_bad_input_is_refused():
    dist, classes = normal_mixture(), categorical_mixture()
    y = np.full(5, 50.0)
    with pytest.raises(ValueError, match="y has 4 rows, the distribution 5"):
        metrics.nll(dist, y[:4])
    with pytest.raises(ValueError, match="y is nan at row 0"):
        metrics.crps(dist, y * np.nan)
    with pytest.raises(ValueError, match="y is 50 at row 0"):
        metrics.brier(classes, y)
    for function in (metrics.crps, metrics.rmse):
        with pytest.raises(ValueError, match=r"use .*brier"):
            function(classes, np.zeros(5))
    with pytest.raises(NotImplementedError, match="'normal' has no classes"):
        metrics.accuracy(dist, y)
    with pytest.raises(ValueError, match=r"confidence=1.5"):
        metrics.coverage(dist, y, 1.5)
    with pytest.raises(ValueError, match=r"weight -1.0 of row 2"):
        metrics.nll(dist, y, sample_weight=[1.0, 1, -1, 1, 1])
    with pytest.raises(ValueError, match="all sample weights are zero"):
        metrics.nll(dist, y, sample_weight=np.zeros(5))
