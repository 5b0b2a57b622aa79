"""Evidence: with more of it the predicted distributions come close to the truth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBRegressor, metrics
from wgboost.estimators.paper import PAPER_TREES


def made(n, seed):
    """X, y, and the true mean and log scale of y."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 5))
    mean, log_scale = np.sin(2 * X[:, 0]), X[:, 1] / 2
    return X, mean + np.exp(log_scale) * rng.standard_normal(n), mean, log_scale


def gap(evidence, seed, kernel, bandwidth):
    """How much the test NLL exceeds that of the true distribution."""
    X, y, *_ = made(5000, 2 * seed)
    X_test, y_test, mean, log_scale = made(4000, 2 * seed + 1)
    settings = {
        **PAPER_TREES,
        "n_estimators": 4000,
        "learning_rate": 0.05,
        "subsample": 0.6,
        "colsample": 0.7,
        "learner": TreeLearner(leaf="newton", split_on="particle_mean", growth="depth_wise"),
        "l2": 1,
        "evidence": evidence,
        "direction": DiagonalNewton(Kernel(kernel, bandwidth)),
        "early_stopping": True,
        "n_iter_no_change": 150,
        "refit": False,
        "random_state": seed,
        "n_jobs": 1,
    }
    model = WGBRegressor(**settings).fit(X, y)
    residual = (y_test - mean) / np.exp(log_scale)
    true = np.mean(0.5 * residual**2 + log_scale + 0.5 * np.log(2 * np.pi))
    return metrics.nll(model.predict_dist(X_test), y_test) - true


def mean_gap(*args, seeds=4):
    return np.mean([gap(args[0], seed, *args[1:]) for seed in range(seeds)])


KNOWN = {1.0: 0.125, 3.0: 0.100, 10.0: 0.024, 30.0: 0.011, 100.0: 0.010}


@pytest.mark.slow
@pytest.mark.parametrize("evidence", KNOWN)
def test_the_gap_to_the_true_nll_is_no_larger_than_known(evidence):
    assert mean_gap(evidence, "gaussian", 0.1) < KNOWN[evidence] + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("evidence", [3.0, 10.0, 30.0, 100.0])
def test_a_kernel_in_the_posteriors_units_has_the_known_gap(evidence):
    assert_allclose(mean_gap(evidence, "scaled", 1.5), KNOWN[evidence], atol=0.01)
