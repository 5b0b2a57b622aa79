"""Draws from a Gaussian process have the mean and the variance of its posterior."""

import numpy as np
import pytest

from wgboost.smooth.columns import Columns
from wgboost.smooth.covariance import Covariance
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.posterior_draws import PosteriorDraws, tune_covariance


def covariance_of(X):
    columns = Columns.fit(X, np.zeros(X.shape[1], dtype=int))
    logs = np.array([0.0, np.log(0.5), np.log(0.3), *np.log([0.8] * columns.n_lengths)])
    return Covariance(columns, "matern52", logs)


def test_draws_have_the_moments_of_the_exact_posterior():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (30, 2))
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.standard_normal(30)
    weight = rng.uniform(0.5, 2.0, 30)
    new = rng.uniform(-1.5, 1.5, (25, 2))
    covariance = covariance_of(X)
    exact = ExactGP.fit(covariance, X, y, covariance.noise / weight)
    mean, variance = exact.at(covariance, new)
    draws = PosteriorDraws.of(covariance, X, y[:, None], weight, 3000, rng).at(new)[:, :, 0]
    error = np.sqrt(variance / 3000)
    assert np.abs((draws.mean(axis=1) - mean) / error).max() < 4.5
    np.testing.assert_allclose(draws.var(axis=1), variance, rtol=0.2)


def test_outputs_are_independent_draws():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (20, 1))
    y = np.column_stack([np.sin(3 * X[:, 0]), np.zeros(20)])
    found = PosteriorDraws.of(covariance_of(X), X, y, np.ones(20), 400, rng).at(X)
    assert found.shape == (20, 400, 2)
    residual = found - found.mean(axis=1, keepdims=True)
    assert abs(np.corrcoef(residual[5, :, 0], residual[5, :, 1])[0, 1]) < 0.2


@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_tuning_finds_the_noise(noise):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (300, 2))
    y = np.sin(3 * X[:, 0]) + noise * rng.standard_normal(300)
    spread = y.std()
    covariance = tune_covariance(X, (y / spread)[:, None], np.ones(300), np.zeros(2, dtype=int))
    assert 0.8 * noise < np.sqrt(covariance.noise) * spread < 1.2 * noise


def test_many_outputs_are_tuned_by_their_principal_components():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (100, 2))
    signal = np.sin(3 * X[:, :1])
    y = signal @ rng.standard_normal((1, 6)) + 0.1 * rng.standard_normal((100, 6))
    covariance = tune_covariance(X, y, np.ones(100), np.zeros(2, dtype=int))
    assert np.isfinite(covariance.logs).all()


def test_features_that_do_not_vary_have_no_covariance():
    X = np.ones((20, 2))
    assert tune_covariance(X, np.ones((20, 1)), np.ones(20), np.zeros(2, dtype=int)) is None
