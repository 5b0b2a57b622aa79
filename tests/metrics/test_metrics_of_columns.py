"""Metrics of several columns of y."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from joint_examples import CASE, UNITS, components, joint
from wgboost import metrics
from wgboost.predictive import JointMixture
from wgboost.predictive.crps import normal_crps
from wgboost.predictive.energy import mean_length
from wgboost.responses import ColumnUnits, MultivariateNormal, Normal


def test_the_mean_length_of_a_normal_vector_is_the_known_one():
    eye = np.eye(3)
    assert_allclose(mean_length(np.zeros(3), eye), np.sqrt(8 / np.pi), rtol=1e-10)
    assert_allclose(mean_length(np.array([3.0, 4.0]), np.zeros((2, 2))), 5, rtol=1e-9)
    assert mean_length(np.zeros(2), np.zeros((2, 2))) == 0
    # A single line: the length is a folded normal.
    flat = np.array([[4.0, 0.0], [0.0, 0.0]])
    assert_allclose(mean_length(np.zeros(2), flat), 2 * np.sqrt(2 / np.pi), rtol=1e-8)
    rng = np.random.default_rng(0)
    cov, shift = np.array([[1.0, 0.9], [0.9, 2.0]]), np.array([0.5, -1.0])
    draws = np.linalg.norm(rng.multivariate_normal(shift, cov, size=200_000), axis=1)
    error = 5 * draws.std() / np.sqrt(draws.size)
    assert abs(mean_length(shift, cov) - draws.mean()) < error


@pytest.mark.parametrize("weighted", [False, True])
def test_the_energy_score_is_that_of_draws(weighted):
    dist, y = joint(weighted=weighted), UNITS.restore(CASE.y)
    one, other = (UNITS.standardise(dist.rvs(40_000, random_state=seed)) for seed in (0, 1))
    length = lambda difference: np.linalg.norm(difference, axis=-1)  # noqa: E731
    plain = length(one - CASE.y[:, None]) - length(one - other) / 2
    error = 5 * plain.std() / np.sqrt(plain.size)
    assert abs(metrics.energy_score(dist, y) - plain.mean()) < error


def test_the_energy_score_of_one_column_is_its_crps():
    theta = CASE.theta[..., :2]
    response = MultivariateNormal(n_dims=1)
    dist = JointMixture(response, theta, ColumnUnits([5.0], [2.0]))
    y = np.linspace(0, 10, 6)
    crps = normal_crps(dist.marginal(0), y).mean()
    assert_allclose(2.0 * metrics.energy_score(dist, y[:, None]), crps, rtol=1e-8)


def test_nll_and_rmse_of_columns():
    dist, y = joint(), UNITS.restore(CASE.y)
    weight = np.arange(6.0)
    densities = [[one.pdf(y[i]) for one in components(dist, i)[0]] for i in range(6)]
    surprise = -np.log(np.mean(densities, axis=1))
    assert_allclose(metrics.nll(dist, y), np.mean(surprise), rtol=1e-9)
    assert_allclose(
        metrics.nll(dist, y, sample_weight=weight), np.average(surprise, weights=weight), rtol=1e-9
    )
    error = (dist.mean() - y) / UNITS.scale
    assert_allclose(metrics.rmse(dist, y), np.sqrt(np.square(error).mean()))


def test_metrics_of_columns_refuse_what_they_cannot_take():
    dist, y = joint(), UNITS.restore(CASE.y)
    with pytest.raises(ValueError, match=r"dist.marginal\(j\); for all columns use energy_score"):
        metrics.crps(dist, y)
    with pytest.raises(ValueError, match=r"for 'multivariate_normal'; .* the crps"):
        metrics.energy_score(dist.marginal(0), y[:, 0])
    with pytest.raises(ValueError, match=r"needs columns, \(n, 3\)"):
        metrics.nll(dist, y[:, :2])
    with pytest.raises(ValueError, match="for the response 'multivariate_normal'='crps'"):
        metrics.as_metric("crps", CASE.response)
    with pytest.raises(ValueError, match="for the response 'normal'='energy_score'"):
        metrics.as_metric("energy_score", Normal())
