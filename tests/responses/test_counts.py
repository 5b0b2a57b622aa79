"""Counts and classes in order: limits, large numbers, and what an estimator does with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from response_examples import example
from wgboost import WGBRegressor
from wgboost.responses import (
    NegativeBinomial,
    Ordinal,
    Poisson,
    Units,
    ZeroInflatedNegativeBinomial,
    ZeroInflatedPoisson,
)
from wgboost.responses.dispersion import dispersion_information

COUNTS = (Poisson(), NegativeBinomial(), ZeroInflatedPoisson(), ZeroInflatedNegativeBinomial())
every_count = pytest.mark.parametrize("response", COUNTS, ids=lambda r: r.name)


def exact_log_mass(y, mean, dispersion):
    """The negative binomial mass as a product, which loses no digits at any dispersion."""
    k = np.arange(y)
    steps = np.log1p(k * dispersion) + np.log(mean) - np.log(k + 1) - np.log1p(dispersion * mean)
    return steps.sum() - np.log1p(dispersion * mean) / dispersion


@pytest.mark.parametrize("log_dispersion", [-60, -30, -12, -3, 0, 4, 10])
@pytest.mark.parametrize(("y", "mean"), [(0, 3.0), (1, 3.0), (50, 3.0), (10**6, 1e6), (10**6, 2.0)])
def test_the_negative_binomial_mass_is_exact_at_any_dispersion(y, mean, log_dispersion):
    theta = np.array([np.log(mean), log_dispersion])
    exact = exact_log_mass(y, mean, np.exp(log_dispersion))
    assert_allclose(NegativeBinomial().logpdf(y, theta), exact, rtol=1e-9, atol=2e-8)


@pytest.mark.parametrize("mean", [0.3, 4.0, 1e3, 1e6])
def test_without_dispersion_a_negative_binomial_count_is_poisson(mean):
    extended = np.array([np.log(mean), -60.0])
    theta, y = extended[:1], np.unique(stats.poisson(mean).ppf([0.001, 0.2, 0.5, 0.9, 0.9999]))
    limit, response = Poisson(), NegativeBinomial()
    for function in ("logpdf", "cdf", "sf"):
        expected = getattr(limit, function)(y, theta)
        assert_allclose(getattr(response, function)(y, extended), expected, rtol=1e-8)
    q = np.array([1e-10, 0.3, 0.5, 0.99])
    assert_array_equal(response.ppf(q, extended), limit.ppf(q, theta))
    assert_array_equal(response.isf(q, extended), limit.isf(q, theta))
    score = response.likelihood_score(y[:, None], np.broadcast_to(extended, (1, 1, 2)))
    assert_allclose(score[..., 0], (y - mean)[:, None], rtol=1e-9, atol=1e-9 * mean)
    assert_allclose(score[..., 1], 0, atol=1e-8)


@pytest.mark.parametrize("log_dispersion", [-12, -3, -0.4, -0.3, 1, 3])
@pytest.mark.parametrize("log_mean", [-6, 0, 2, 6])
def test_the_information_of_the_dispersion_is_a_sum_over_counts(log_mean, log_dispersion):
    mean, size = np.exp(log_mean), np.exp(-log_dispersion)
    frozen = stats.nbinom(size, size / (size + mean))
    k = np.arange(frozen.isf(1e-14) + 50)
    tails = (size**2 * frozen.sf(k) / (size + k) ** 2).sum() - size * mean / (size + mean)
    found = dispersion_information(np.array([mean]), 1 / np.array([size]))
    assert_allclose(found, tails, rtol=3e-5, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("response", [*COUNTS, Ordinal(n_classes=4)], ids=lambda r: r.name)
def test_extreme_parameters_give_finite_derivatives(response, dtype):
    ends = np.array([-1000.0, -50, -8, 0, 8, 50, 1000])
    grid = np.stack(np.meshgrid(*[ends] * response.n_params), axis=-1)
    theta = grid.reshape(1, -1, response.n_params).astype(dtype)
    for y in (0.0, 1.0, 3.0 if response.name == "ordinal" else 1e6):
        for function in ("score", "curvature", "hessian", "log_posterior"):
            assert np.isfinite(getattr(response, function)(np.array([y]), theta, 10.0)).all()
        assert (response.curvature(np.array([y]), theta, 10.0) > 0).all()


@pytest.mark.parametrize("mean", [0.01, 3.0, 200.0, 255.5, 300.0, 1e4, 1e7])
def test_the_entropy_of_large_counts_is_that_of_a_normal(mean):
    entropy = Poisson().entropy(np.log([mean]))
    if mean > 1e3:
        assert_allclose(entropy, 0.5 * np.log(2 * np.pi * np.e * mean) - 1 / (12 * mean), rtol=1e-8)
    else:
        mass = stats.poisson(mean).pmf(np.arange(2000))
        assert_allclose(entropy, special.entr(mass).sum(), rtol=1e-7)
    assert_allclose(NegativeBinomial().entropy(np.log([mean, 1e-20])), entropy, rtol=1e-7)


@every_count
def test_statistics_merge_large_counts_of_similar_size(response):
    rng = np.random.default_rng(0)
    y = np.floor(np.exp(rng.normal(6, 3, 20_000)))
    weight, theta = rng.integers(0, 3, y.size), rng.normal(0, 0.3, (3, response.n_params))
    theta[:, 0] += 6
    table = response.statistics(y, weight)
    assert table.shape[1] < 1500
    for average, plain in (
        (response.average_score, response.likelihood_score),
        (response.average_curvature, response.likelihood_curvature),
    ):
        prior = average(theta, table, 0.0)
        expected = np.average(plain(y[:, None], theta), axis=0, weights=weight)
        assert_allclose(average(theta, table) - prior, expected, rtol=1e-4)


def test_zero_inflation_adds_only_zeros():
    theta = np.array([0.7, 0.2, special.logit(0.3)])
    counted, whole = NegativeBinomial(), ZeroInflatedNegativeBinomial()
    y = np.arange(4.0)
    mass = 0.7 * np.exp(counted.logpdf(y, theta[:2])) + np.array([0.3, 0, 0, 0])
    assert_allclose(np.exp(whole.logpdf(y, theta)), mass, rtol=1e-12)
    natural = whole.natural(theta, Units())
    assert_allclose(natural["extra_zero"], 0.3)
    assert_allclose([natural["mean"], natural["dispersion"]], np.exp(theta[:2]))


def test_two_ordered_classes_are_a_logistic_regression():
    response, theta = Ordinal(n_classes=2), np.array([[[0.4], [-3.0]]])
    assert_allclose(response.probabilities(theta)[..., 1], special.expit(theta[..., 0]))
    assert_allclose(response.likelihood_score(np.ones((1, 1)), theta), special.expit(-theta))
    assert response.param_names == ("location",)


def test_natural_parameters_of_ordered_classes_are_location_and_cuts():
    theta = example("ordinal").theta
    natural = Ordinal(n_classes=5).natural(theta, Units())
    assert list(natural) == ["location", "cut_1", "cut_2", "cut_3", "cut_4"]
    below = special.expit(natural["cut_3"] - natural["location"])
    assert_allclose(Ordinal(n_classes=5).cdf(2, theta), below)


# --- estimators -------------------------------------------------------------------------------


def test_an_estimator_finds_the_number_of_ordered_classes_in_y():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = np.digitize(3 * X[:, 0] + rng.logistic(size=300), [-1.5, 0, 1.5])
    model = WGBRegressor(response="ordinal", n_estimators=20, evidence=10.0, random_state=0)
    model.fit(X, y, X_val=X[:5], y_val=y[:5])
    assert model.response_ == Ordinal(n_classes=4)
    probabilities = model.predict_dist(X).probabilities()
    assert probabilities.shape == (300, 4)
    assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.6
    with pytest.raises(ValueError, match=r"y is 4 at row 1.*0 to 3"):
        model.fit(X, y, X_val=X[:2], y_val=[0, 4])
    with pytest.raises(ValueError, match=r"y is -1 at row 0.*from 0 on"):
        model.fit(X, y - 1 - y[0])
    with pytest.raises(ValueError, match="give n_classes"):
        Ordinal().n_params  # noqa: B018


@every_count
@pytest.mark.parametrize("mean", [0.05, 3.0, 1e6])
def test_counts_of_any_size_are_learnt(response, mean):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 2))
    centre = mean * np.exp(np.sin(2 * X[:, 0]))
    y = rng.poisson(centre * rng.gamma(4, 1 / 4, 600))
    model = WGBRegressor(response=response, n_estimators=30, evidence=30.0, random_state=0)
    model.fit(X, y)
    found = model.predict(X)
    assert_allclose(found.mean(), y.mean(), rtol=0.35)
    if mean > 1:
        assert np.corrcoef(np.log(found), np.log(centre))[0, 1] > 0.8
    with pytest.raises(ValueError, match=r"y is 0.5 at row 1.*whole numbers >= 0"):
        model.fit(X[:2], [1, 0.5])


@every_count
def test_an_outlier_hardly_changes_the_mean(response):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    y = rng.poisson(np.exp(np.sin(2 * X[:, 0])))
    y[7] = 10_000
    model = WGBRegressor(response=response, n_estimators=60, evidence=10.0, random_state=0)
    dist = model.fit(X, y).predict_dist(X)
    assert abs(dist.particles[..., 0]).max() < 15
    assert -np.delete(dist.logpmf(y), 7).mean() < 3
