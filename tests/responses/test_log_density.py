"""Densities of one's own."""

import pickle

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from wgboost import LogDensity, Normal, Target, TreeLearner, WGBoost
from wgboost.targets.conversion import as_row_target

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(300, 2))
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=300)


def log_normal_posterior(theta, y):
    """The posterior of the built-in normal response."""
    mean, log_scale = theta
    likelihood = -0.5 * ((y - mean) * jnp.exp(-log_scale)) ** 2 - log_scale
    prior = -0.5 * (mean / 10) ** 2 - 0.01 * log_scale - 0.01 * jnp.exp(-log_scale)
    return likelihood + prior


def log_likelihood(theta, y):
    z = (y - theta[0]) * jnp.exp(-theta[1])
    return -0.5 * z**2 - theta[1] - 0.5 * jnp.log(2 * jnp.pi)


DENSITY = LogDensity(log_normal_posterior, n_params=2, likelihood=log_likelihood)


def test_derivatives_are_those_of_the_response():
    target = as_row_target(DENSITY, Y, 300)
    theta = RNG.normal(size=(300, 5, 2)).astype(np.float32)
    rows, response = slice(0, 300), Normal()
    for needs, expected in (
        ("curvature", response.curvature(Y, theta)),
        ("hessian", response.hessian(Y, theta)),
    ):
        score, second = target.derivatives(theta, rows, needs, 1)
        assert_allclose(score, response.score(Y, theta), rtol=1e-3, atol=1e-3)
        assert_allclose(second, expected, rtol=1e-3, atol=1e-3)
    _, log = target.derivatives(theta[10:20], slice(10, 20), "log_density", 1)
    expected = response.log_posterior(Y[10:20], theta[10:20])
    assert_allclose(log - log[:, :1], expected - expected[:, :1], rtol=1e-3, atol=1e-3)


def test_models_of_a_log_density_and_a_response_agree():
    options = {"n_particles": 6, "n_estimators": 50, "random_state": 0, "n_jobs": 1}
    ours = WGBoost(DENSITY, **options).fit(X, Y)
    response = Normal()
    plain = WGBoost(
        Target(
            score=lambda t, y: response.score(y[:, 0], t),
            curvature=lambda t, y: response.curvature(y[:, 0], t),
        ),
        n_params=2, **options,
    ).fit(X, Y)  # fmt: skip
    difference = np.abs(ours.predict_particles(X) - plain.predict_particles(X))
    assert np.median(difference) < 1e-3
    scale = np.exp(ours.predict_particles(X)[..., 1])
    density = stats.norm.pdf(Y[:, None], ours.predict_particles(X)[..., 0], scale).mean(axis=1)
    assert_allclose(ours.log_likelihood(X, Y), np.log(density), rtol=1e-4, atol=1e-4)


def test_early_stopping_uses_the_likelihood_of_held_out_rows():
    held = np.arange(300) % 3 == 0
    options = {"n_particles": 4, "n_estimators": 40, "learning_rate": 0.5, "random_state": 0}
    options |= {
        "learner": TreeLearner(leaf="newton", support=False),
        "l2": 1.0,
        "early_stopping": True,
        "refit": False,
    }
    fitted = WGBoost(DENSITY, **options).fit(X, Y, validation_rows=held)
    history = fitted.history_["validation"]["nll"]
    assert fitted.n_estimators_ == np.argmin(history) > 0
    mean, log_scale = np.moveaxis(fitted.predict_particles(X[held]).astype(float), 2, 0)
    likelihood = stats.norm.pdf(Y[held, None], mean, np.exp(log_scale)).mean(axis=1)
    assert_allclose(min(history), -np.log(likelihood).mean(), rtol=1e-4)
    without = LogDensity(log_normal_posterior, n_params=2)
    with pytest.raises(ValueError, match=r"needs targets .*LogDensity\(..., likelihood=...\)"):
        WGBoost(without, **options).fit(X, Y)


def test_y_may_have_columns_and_the_density_can_be_pickled():
    def banana(theta, y):
        return -((theta[0] - y[0]) ** 2) - (theta[1] - y[1] - theta[0] ** 2) ** 2

    target = as_row_target(LogDensity(banana, n_params=2), np.stack([Y, Y], axis=1), 300)
    theta = np.zeros((300, 4, 2), np.float32)
    score, _ = target.derivatives(theta, slice(0, 300), "score", 1)
    assert_allclose(score[:, 0, 1], 2 * Y, rtol=1e-5, atol=1e-6)
    again = pickle.loads(pickle.dumps(DENSITY))
    assert again == DENSITY
    fitted = WGBoost(DENSITY, n_estimators=3, random_state=0).fit(X, Y)
    assert_allclose(
        pickle.loads(pickle.dumps(fitted)).predict_particles(X), fitted.predict_particles(X)
    )


def test_errors_name_the_cause():
    odd = np.where(np.arange(300) == 7, -1.0, 1.0)
    square = WGBoost(LogDensity(lambda t, y: -((t[0] - y) ** 2)), n_estimators=1).fit(X, Y)
    with pytest.raises(ValueError, match="score returned a value that is not finite, row 7"):
        WGBoost(LogDensity(lambda t, y: jnp.log(y) * t[0])).fit(X, odd)
    with pytest.raises(TypeError, match="must be a function"):
        LogDensity(3)
    with pytest.raises(TypeError, match=r"log_likelihood needs target=LogDensity"):
        square.log_likelihood(X, Y)
    with pytest.raises(ValueError, match="particles have 3 parameters, not 2"):
        WGBoost(DENSITY, init=np.zeros((4, 3)), n_estimators=1).fit(X, Y)
    with pytest.raises(ValueError, match="a density has no samples"):
        WGBoost(DENSITY, direction="energy", n_estimators=1).fit(X, Y)
