"""Errors of boosted models on simulated data."""

import numpy as np
import pytest
from scipy.special import softmax

from wgboost.boosting.simulated_errors import (
    N_FOLDS,
    SimulatedErrors,
    label_movement,
    noise_movement,
)
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.responses import Categorical
from wgboost.trees import TreeSettings


def simulation_of(X, n_rounds=1, rate=1.0, **settings):
    learner = HistTree(TreeSettings(**{"max_depth": 1, **settings}))
    return SimulatedErrors(Features.from_raw(X, bins=255), learner, n_rounds, rate)


def test_the_error_of_a_mean_is_its_variance():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    simulation = simulation_of(X)
    truth = np.broadcast_to(3 * X[:, None, :], (100, 400, 1))
    rng = np.random.default_rng(0)
    fitted = simulation.fitted(noise_movement(truth, np.full((100, 1), 0.25), rng), 0 * truth)
    squared = simulation.left_out(np.square(fitted - truth))
    # Each leaf averages the rows of one value that are not left out, 4 of 5.
    assert squared.mean() == pytest.approx(0.25 / 40, rel=0.15)


def test_structure_that_trees_miss_is_an_error():
    X = np.linspace(-1, 1, 200)[:, None]
    truth = np.repeat(np.sin(3 * X)[:, None, :], N_FOLDS, axis=1)
    rng = np.random.default_rng(0)
    errors = []
    for n_rounds in (2, 200):
        simulation = simulation_of(X, n_rounds, 0.1)
        movement = noise_movement(truth, np.full((200, 1), 1e-6), rng)
        fitted = simulation.fitted(movement, np.zeros_like(truth))
        errors.append(simulation.left_out(np.square(fitted - truth)).mean())
    assert errors[0] > 20 * errors[1]


def test_every_row_is_left_out_by_one_fold():
    simulation = simulation_of(np.arange(23.0)[:, None])
    used = simulation.used(23, 2 * N_FOLDS)
    np.testing.assert_array_equal((~used).sum(axis=1), 2)
    values = np.random.default_rng(0).random((23, 2 * N_FOLDS))
    expected = [values[i, ~used[i]].mean() for i in range(23)]
    np.testing.assert_allclose(simulation.left_out(values), expected)


def test_noise_weighs_rows_by_its_variance():
    truth, variance = np.zeros((4, 1, 1)), np.array([[1.0], [1.0], [2.0], [4.0]])
    movement = noise_movement(truth, variance, np.random.default_rng(0))
    _, curvature = movement(np.zeros((4, 1, 1), np.float32))
    np.testing.assert_allclose(curvature[:, 0, 0], 2 / variance[:, 0])


def test_labels_follow_their_probabilities():
    rng = np.random.default_rng(0)
    probabilities = np.broadcast_to([0.2, 0.5, 0.3], (4000, 1, 3))
    movement = label_movement(probabilities, Categorical(n_classes=3), rng)
    theta = np.zeros((4000, 1, 2), np.float32)
    gradient, curvature = movement(theta)
    at_zero = softmax([0.0, 0.0, 0.0])[:2]
    np.testing.assert_allclose(gradient.mean(axis=(0, 1)), [0.2, 0.5] - at_zero, atol=0.03)
    np.testing.assert_allclose(curvature[0, 0], at_zero * (1 - at_zero), rtol=1e-6)
