"""Intervals, calibration and OOD scores against direct counts, scipy and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.calibration import calibration_curve as sklearn_curve
from sklearn.metrics import log_loss, roc_auc_score

from mixture_examples import KINDS, categorical_mixture, normal_mixture, poisson_mixture
from wgboost import censored, metrics
from wgboost.predictive import Mixture
from wgboost.responses import Normal


def one_normal(n, mean=0.0, log_scale=0.0):
    return Mixture(Normal(), np.tile([mean, log_scale], (n, 1, 1)))


def test_the_interval_score_is_the_width_and_what_a_miss_costs():
    dist = one_normal(4)
    z = stats.norm.ppf(0.9)
    y = np.array([0.0, z, z + 1, -z - 0.5])
    expected = 2 * z + np.array([0, 0, 10.0, 5.0])  # 2 / 0.2 = 10
    for i in range(4):
        ours = metrics.interval_score(dist[i], y[i : i + 1], 0.8)
        assert_allclose(ours, expected[i], rtol=1e-9)
    weighted = metrics.interval_score(dist, y, 0.8, sample_weight=[1, 0, 2, 1])
    assert_allclose(weighted, np.average(expected, weights=[1, 0, 2, 1]), rtol=1e-7)


def test_the_interval_score_is_the_one_of_scoringrules():
    rules = pytest.importorskip("scoringrules")
    dist = normal_mixture(n=50, weighted=True)
    y = dist.rvs(random_state=1) + 3
    low, high = dist.interval(0.7)
    assert_allclose(
        metrics.interval_score(dist, y, 0.7), rules.interval_score(y, low, high, 0.3).mean()
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_crps_of_normal_mixtures_is_the_one_of_scoringrules(weighted):
    rules = pytest.importorskip("scoringrules")
    dist = normal_mixture(n=20, weighted=weighted)
    y = dist.rvs(random_state=1)
    params = dist.params()
    mean, scale = (np.asarray(value, dtype=float) for value in params.values())
    theirs = rules.crps_mixnorm(y, mean, scale, dist.weights)
    assert_allclose(metrics.crps(dist, y), theirs.mean(), rtol=1e-9)


def test_nobody_beats_the_right_interval():
    y = stats.norm.rvs(size=5000, random_state=0)
    score = [metrics.interval_score(one_normal(5000, 0, s), y) for s in (-0.3, 0.0, 0.3)]
    assert score[1] < min(score[0], score[2])


def test_the_log_loss_is_that_of_scikit_learn():
    dist = categorical_mixture(n=100)
    y = dist.rvs(random_state=1)
    assert_allclose(metrics.log_loss(dist, y), log_loss(y, dist.probabilities(), labels=range(4)))
    with pytest.raises(ValueError, match="log loss is for classes"):
        metrics.log_loss(normal_mixture(), np.zeros(5))


@pytest.mark.parametrize("kind", ["normal", "poisson"])
def test_the_calibration_curve_of_the_truth_is_the_diagonal(kind):
    dist = KINDS[kind](n=20_000)
    level, share = metrics.calibration_curve(dist, dist.rvs(random_state=2))
    assert_allclose(share, level, atol=0.012)
    assert metrics.calibration_error(dist, dist.rvs(random_state=2)) < 0.006


def test_the_calibration_curve_counts_rows_below_quantiles():
    dist = normal_mixture(n=300)
    y = dist.rvs(random_state=0) + 1.5
    level, share = metrics.calibration_curve(dist, y, [0.1, 0.35, 0.9])
    assert_allclose(share, [(y <= dist.ppf(q)).mean() for q in level])
    weight = np.random.default_rng(1).integers(0, 4, 300)
    rows = np.repeat(np.arange(300), weight)
    _, ours = metrics.calibration_curve(dist, y, level, sample_weight=weight)
    assert_allclose(ours, metrics.calibration_curve(dist[rows], y[rows], level)[1])


def test_counts_enter_the_curve_as_the_mean_of_all_randomised_transforms():
    dist = poisson_mixture(n=40)
    y = dist.rvs(random_state=0)
    many = np.stack([metrics.pit(dist, y, random_state=seed) for seed in range(2000)])
    level, share = metrics.calibration_curve(dist, y, [0.1, 0.5, 0.8])
    assert_allclose(share, [(many <= q).mean() for q in level], atol=0.005)


def test_truncated_rows_count_given_that_they_are_observed():
    y = stats.norm.rvs(size=40_000, random_state=0)
    y = y[(y > -0.5) & (y < 1.5)]
    dist = one_normal(len(y))
    level, share = metrics.calibration_curve(dist, censored(y, y, above=-0.5, below=1.5))
    assert_allclose(share, level, atol=0.015)
    _, naive = metrics.calibration_curve(dist, y)
    assert abs(naive - level).max() > 0.2


@pytest.mark.parametrize(("shift", "log_scale"), [(0.0, 0.0), (0.4, 0.0), (0.0, -0.7)])
def test_the_calibration_error_is_the_transport_distance_to_uniform(shift, log_scale):
    y = stats.norm.rvs(size=500, random_state=3)
    dist = one_normal(500, shift, log_scale)
    uniform = (np.arange(20_000) + 0.5) / 20_000
    expected = stats.wasserstein_distance(metrics.pit(dist, y), uniform)
    assert_allclose(metrics.calibration_error(dist, y), expected, atol=5e-4)


def test_chance_leaves_about_a_third_over_the_root_of_n():
    errors = [
        metrics.calibration_error(one_normal(100), stats.norm.rvs(size=100, random_state=seed))
        for seed in range(300)
    ]
    assert_allclose(np.mean(errors), 0.0313, rtol=0.06)


def test_reliability_is_that_of_scikit_learn():
    dist = categorical_mixture(n=400, k=2)
    y = dist.rvs(random_state=0)
    predicted, share, rows = metrics.reliability_curve(dist, y)
    expected = sklearn_curve(y, dist.probabilities()[:, 1], n_bins=10)
    assert_allclose(share, expected[0])
    assert_allclose(predicted, expected[1])
    assert rows.sum() == 400
    error = np.abs(predicted - share) @ rows / 400
    assert_allclose(metrics.calibration_error(dist, y), error)


def test_of_many_classes_the_most_probable_is_looked_at_or_one_by_name():
    dist = categorical_mixture(n=500)
    y, shares = dist.rvs(random_state=0), dist.probabilities()
    hit = shares.argmax(axis=1) == y
    _, share, _ = metrics.reliability_curve(dist, y, n_bins=1)
    assert_allclose(share, hit.mean())
    predicted, share, _ = metrics.reliability_curve(dist, y, code=2, n_bins=5)
    expected = sklearn_curve(y == 2, shares[:, 2], n_bins=5)
    assert_allclose(share, expected[0])
    assert_allclose(predicted, expected[1])
    with pytest.raises(ValueError, match="code=4"):
        metrics.reliability_curve(dist, y, code=4)


def test_the_roc_area_is_the_probability_of_the_right_order():
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(0, 1, 80).round(1), rng.normal(1, 1, 60).round(1)
    pairs = (outside[:, None] > inside) + 0.5 * (outside[:, None] == inside)
    ours = metrics.ood_roc_auc(inside, outside)
    assert_allclose(ours, pairs.mean())
    assert_allclose(ours, roc_auc_score(np.repeat([0, 1], [80, 60]), np.append(inside, outside)))
    assert metrics.ood_roc_auc([0, 1], [2, np.inf]) == 1


def test_concordance_weighs_pairs():
    dist = normal_mixture(n=8)
    y, weight = dist.rvs(random_state=0), np.array([1, 0, 3, 2, 0, 1, 1, 2])
    rows = np.repeat(np.arange(8), weight)
    # Copies of a row are no pair: their y are equal.
    repeated = metrics.concordance(dist[rows], y[rows])
    assert_allclose(metrics.concordance(dist, y, sample_weight=weight), repeated)


def test_what_makes_no_sense_is_refused():
    dist, classes = normal_mixture(), categorical_mixture()
    with pytest.raises(ValueError, match="confidence=1 has an infinite penalty"):
        metrics.interval_score(dist, np.zeros(5), 1)
    with pytest.raises(ValueError, match="for classes use brier"):
        metrics.interval_score(classes, np.zeros(5))
    with pytest.raises(ValueError, match="see reliability_curve"):
        metrics.calibration_curve(classes, np.zeros(5))
    with pytest.raises(ValueError, match="levels"):
        metrics.calibration_curve(dist, np.zeros(5), [0.5, 1.5])
    with pytest.raises(TypeError, match="must be a distribution from predict_dist"):
        metrics.nll(np.zeros(5), np.zeros(5))
    with pytest.raises(ValueError, match="y has 4 rows, the distribution 5"):
        metrics.calibration_error(dist, np.zeros(4))
