"""Particles with the spread of an error keep the mean and the variance of y."""

import numpy as np
import pytest
from scipy import stats

from wgboost.predictive import Mixture, make_mixture
from wgboost.predictive.posterior_particles import dirichlet_information
from wgboost.responses import RESPONSES, Categorical, MultivariateNormal, as_response

NUMBERS = [
    name for name in RESPONSES if name not in ("categorical", "ordinal", "multivariate_normal")
]


def some_particles(name, n=6, m=8):
    rng = np.random.default_rng(len(name))
    response = as_response(name)
    theta = 0.2 * rng.standard_normal((n, m, response.n_params))
    if name == "student_t":
        theta[..., 2] += 3.0
    return response, theta


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_and_variance_of_y_stay(name, weighted):
    response, theta = some_particles(name)
    weights = np.random.default_rng(0).random(theta.shape[:2]) if weighted else None
    error = np.full((len(theta), 1), 0.01)
    dist = Mixture(response, theta, weights=weights, error=error)
    moved = dist.posterior_particles()
    location = moved[..., response.location]
    spread = np.average(
        np.square(location - np.average(location, axis=1, weights=dist.weights)[:, None]),
        axis=1, weights=dist.weights,
    )  # fmt: skip
    np.testing.assert_allclose(spread, 0.01, rtol=1e-6)
    if not response.has_mean:
        return
    again = Mixture(response, moved, weights=weights)
    np.testing.assert_allclose(again.mean(), dist.mean(), rtol=1e-6)
    if response.has_dispersion:
        np.testing.assert_allclose(again.var(), dist.var(), rtol=1e-6)
    np.testing.assert_allclose(dist.epistemic(), again.disagreement(), rtol=1e-10)
    np.testing.assert_allclose(dist.aleatoric() + dist.epistemic(), dist.var(), rtol=1e-10)


@pytest.mark.parametrize("name", NUMBERS)
def test_errors_larger_than_the_variance_leave_some_noise(name):
    response, theta = some_particles(name)
    dist = Mixture(response, theta, error=np.full((len(theta), 1), 1e6))
    assert np.isfinite(dist.posterior_particles()).all()
    if response.has_mean:
        assert (dist.aleatoric() > 1e-6 * dist.var()).all()
    if response.has_mean and response.offset_link == "identity":
        again = Mixture(response, dist.posterior_particles())
        np.testing.assert_allclose(again.var(), dist.var(), rtol=1e-6)


def test_particles_that_agree_get_the_spread_of_normal_quantiles():
    dist = Mixture(as_response("normal"), np.zeros((1, 99, 2)), error=[[0.04]])
    location = dist.posterior_particles()[0, :, 0]
    assert location.std() == pytest.approx(0.2)
    assert np.quantile(location, 0.9) == pytest.approx(0.2 * stats.norm.ppf(0.9), rel=0.05)


def test_without_an_error_the_particles_are_those_of_the_model():
    response, theta = some_particles("normal")
    dist = Mixture(response, theta)
    np.testing.assert_array_equal(dist.posterior_particles(), theta)
    np.testing.assert_allclose(dist.epistemic(), dist.disagreement())


@pytest.mark.parametrize("k", [2, 3, 7])
def test_class_probabilities_keep_their_mean(k):
    rng = np.random.default_rng(k)
    theta = rng.standard_normal((5, 10, k - 1))
    dist = Mixture(Categorical(n_classes=k), theta, error=np.full((5, 1), 1e-3))
    again = Mixture(Categorical(n_classes=k), dist.posterior_particles())
    np.testing.assert_allclose(again.probabilities(), dist.probabilities(), rtol=1e-9)
    each = again.response.probabilities(again.theta())
    np.testing.assert_allclose(each.var(axis=1).sum(axis=1), 1e-3, rtol=1e-6)
    far = Mixture(Categorical(n_classes=k), theta, error=np.full((5, 1), 10.0))
    assert np.isfinite(far.posterior_particles()).all()
    np.testing.assert_allclose(dist.aleatoric() + dist.epistemic(), dist.entropy())


@pytest.mark.parametrize("p", [0.03, 0.4])
@pytest.mark.parametrize("variance", [1e-4, 5e-3])
def test_information_of_two_classes_is_that_of_a_beta_distribution(p, variance):
    total = p * (1 - p) / variance - 1
    beta = stats.beta(total * p, total * (1 - p))
    entropy = beta.expect(lambda q: stats.entropy([q, 1 - q]))
    expected = stats.entropy([p, 1 - p]) - entropy
    found = dirichlet_information(np.array([[p, 1 - p]]), np.array([2 * variance]))
    assert found[0] == pytest.approx(expected, rel=1e-4)


def test_columns_have_errors_of_their_own():
    rng = np.random.default_rng(0)
    theta = 0.3 * rng.standard_normal((4, 9, 5))
    dist = make_mixture(MultivariateNormal(2), theta, error=[[0.01, 0.04]] * 4)
    np.testing.assert_allclose(dist.epistemic(), [[0.01, 0.04]] * 4)
    np.testing.assert_allclose(dist.marginal(1).epistemic(), 0.04)
    np.testing.assert_allclose(dist.aleatoric() + dist.epistemic(), dist.var())


def test_rows_and_particles_are_selected_with_their_errors():
    response, theta = some_particles("normal")
    dist = Mixture(response, theta, error=np.arange(1.0, 7.0)[:, None] / 100)
    np.testing.assert_allclose(dist[2:4].epistemic(), [0.03, 0.04])
    np.testing.assert_allclose(dist[[5]].epistemic(), [0.06])
    np.testing.assert_allclose(dist.select_particles(slice(0, 4)).error, dist.error)


@pytest.mark.parametrize("error", [[[0.1, 0.1]], [[-0.1]], [[np.nan]], [0.1]])
def test_errors_of_another_form_are_refused(error):
    with pytest.raises(ValueError, match="error"):
        Mixture(as_response("normal"), np.zeros((1, 3, 2)), error=error)


def test_errors_of_counts_with_zeros_do_not_add_to_their_variance():
    response = as_response("zero_inflated_negative_binomial")
    theta = np.random.default_rng(0).normal(0.0, 0.3, size=(20, 8, 3)) - [0.5, 2.0, 0.0]
    for error in (0.1, 0.5, 2.0):
        dist = Mixture(response, theta, error=np.full((20, 1), error))
        posterior = Mixture(response, dist.posterior_particles())
        np.testing.assert_allclose(posterior.var(), dist.var(), rtol=1e-3)
        np.testing.assert_allclose(posterior.disagreement(), dist.epistemic(), rtol=1e-9)
