"""Errors that a model makes on data made from itself, and evidence that follows them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBRegressor
from wgboost.boosting.parametric_bootstrap import ParametricBootstrap
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.responses import as_response
from wgboost.training import evidence_trials
from wgboost.training.error_evidence import expected
from wgboost.training.posterior_data import PosteriorData
from wgboost.trees import TreeSettings

GROUP = np.repeat([0, 1], [30, 300])


def bootstrap(n_rounds, rate, newton=True, seed=0, **settings):
    X = GROUP[:, None].astype(float)
    features = Features.from_raw(X, bins=255, n_levels=None, weight=None, rng=None)
    learner = HistTree(TreeSettings(max_depth=1, **settings))
    return ParametricBootstrap(features, learner, n_rounds, rate, newton, seed=seed)


@pytest.mark.parametrize("newton", [False, True])
def test_the_error_of_a_group_mean_is_the_noise_over_the_size_of_the_group(newton):
    """One question with two answers, one round at full rate: the mean of the rows of a side."""
    truth, variance = np.full((330, 1), 3.0), np.array([4.0, 0.25])[GROUP][:, None]
    found = np.mean(
        [
            np.square(bootstrap(1, 1.0, newton, seed).errors(truth, 1 / variance, truth)).mean(
                axis=1
            )
            for seed in range(40)
        ],
        axis=0,
    )[:, 0]
    # 800 draws of chi-squared with one degree of freedom: a standard error of 5 %.
    assert_allclose(found[[0, -1]], [4.0 / 30, 0.25 / 300], rtol=0.2)
    assert_array_equal(found[:30], found[0])


def test_what_rounds_do_not_reach_is_an_error():
    """Each round goes a tenth of the way: 0.9 to the power of the rounds is left."""
    truth = np.array([[1.0, -2.0], [4.0, 3.0]])[GROUP]
    errors = bootstrap(5, 0.1).errors(truth, np.full((330, 2), 1e8), np.zeros((330, 2)))
    assert errors.shape == (330, 20, 2)
    assert_allclose(errors, np.repeat(-(0.9**5) * truth[:, None], 20, axis=1), atol=1e-3)


@pytest.mark.parametrize("newton", [False, True])
def test_smoothed_values_are_means_over_neighbours(newton):
    values = np.random.default_rng(0).exponential(size=330)
    smooth = bootstrap(1, 1.0, newton).smoothed(values)
    expected_means = np.array([values[:30].mean(), values[30:].mean()])
    assert_allclose(smooth, expected_means[GROUP], rtol=1e-5)


def test_smoothed_values_are_a_function_of_x():
    values = np.random.default_rng(0).exponential(size=330)
    made = bootstrap(6, 0.3)
    there = made.smoothed(values)
    assert_array_equal(made.smoothed(values, GROUP[:, None].astype(float)), there)
    assert_array_equal(made.smoothed(values, np.array([[9.0], [-9.0]])), there[[-1, 0]])
    assert_allclose(bootstrap(0, 0.3).smoothed(values, np.zeros((2, 1))), values.mean(), rtol=1e-6)


def test_no_round_errs_by_the_distance_to_the_start():
    truth = np.arange(330.0)[:, None]
    errors = bootstrap(0, 0.1).errors(truth, np.ones((330, 1)), np.full((330, 1), 7.0))
    assert_allclose(errors[:, 0], 7.0 - truth)


def test_what_is_expected_of_y():
    theta = np.array([[1.0, 2.0], [-3.0, 0.5]])
    assert_array_equal(expected(as_response("normal"), theta), theta[:, :1])
    assert_allclose(expected(as_response("cauchy"), theta), theta[:, :1])
    shares = expected(as_response("categorical", n_classes=3), theta)
    raw = np.exp(np.column_stack([theta, np.zeros(2)]))
    assert_allclose(np.sort(shares), np.sort(raw / raw.sum(axis=1, keepdims=True)))


def rows(each, sought, weight=None):
    X = np.zeros((3, 1))
    return PosteriorData(X, weight, np.zeros(3), as_response("normal"), each, sought=sought)


def test_evidence_that_was_sought_does_not_make_a_row_count_more():
    each, weight = np.array([10.0, 20.0, 40.0]), np.array([1.0, 2.0, 0.0])
    counted = rows(each, True).tree_weight("newton")
    assert np.ptp(counted * each) < 1e-12
    assert_allclose(counted.mean(), 1.0)
    counted = rows(each, True, weight).tree_weight("newton")
    assert_allclose(counted * each / weight.clip(1e-9), [15.0, 15.0, 0.0])
    assert_allclose(counted.sum(), weight.sum())


def test_evidence_that_was_given_does():
    each, weight = np.array([10.0, 20.0, 40.0]), np.array([1.0, 2.0, 0.0])
    assert rows(each, False, weight).tree_weight("newton") is weight
    assert rows(30.0, True, weight).tree_weight("newton") is weight
    assert rows(each, True, weight).tree_weight("mean") is weight


def test_the_spread_is_wider_where_rows_are_few(monkeypatch):
    """Nine rows of ten lie below zero; with the same evidence particles spread about alike."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 3))
    X[:, 0] = np.abs(X[:, 0]) * np.where(rng.random(2000) < 0.9, -1, 1)
    y = np.sin(2 * X[:, 0]) + rng.standard_normal(2000)
    settings = {
        "early_stopping": True,
        "n_iter_no_change": 20,
        "n_estimators": 200,
        "learner": TreeLearner(leaf="newton", split_on="particle_mean"),
        "l2": 1,
        "random_state": 0,
        "n_jobs": 1,
        "refit": False,
    }
    monkeypatch.setattr(evidence_trials, "_KEPT", 0.0)  # whatever it costs
    model = WGBRegressor(evidence="auto", **settings).fit(X, y)
    [chosen] = [one for one in model.evidence_trials_ if one.get("chosen")]
    assert chosen["by_error"]
    same = WGBRegressor(
        evidence=model.evidence_, direction=DiagonalNewton(Kernel("scaled")), **settings
    ).fit(X, y)
    even = rng.uniform(-1, 1, (1000, 3))
    by_error, constant = (
        variance[even[:, 0] > 0].mean() / variance[even[:, 0] < 0].mean()
        for variance in (one.predict_dist(even).epistemic() for one in (model, same))
    )
    assert constant < 1.5
    assert by_error > 2
