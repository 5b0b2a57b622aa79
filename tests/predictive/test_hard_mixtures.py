"""Mixtures with particles that count for nothing or have no moments, and tiny units."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from wgboost import Mixture, WGBRegressor, censored, metrics
from wgboost.responses import Cauchy, Gamma, LogNormal, MultivariateNormal, Normal, StudentT, Units


@pytest.mark.parametrize("last", [np.log(1000.0), 400.0])
def test_a_particle_of_weight_zero_counts_for_nothing(last):
    theta = np.array([[[0.2, -0.3], [0.5, 0.1], [0.0, last]]])
    ours = Mixture(LogNormal(), theta, weights=[[2.0, 1.0, 0.0]])
    theirs = Mixture(LogNormal(), theta[:, :2], weights=[[2.0, 1.0]])
    for method in ("mean", "var", "std", "aleatoric", "epistemic", "median"):
        assert_allclose(getattr(ours, method)(), getattr(theirs, method)(), rtol=1e-12)
    for y in (0.0, 0.5, 30.0):
        assert_allclose(ours.pdf(y), theirs.pdf(y), rtol=1e-12)
    ends = Mixture(Gamma(), [[[0.0, 1.0], [0.0, -1.0]]], weights=[[1.0, 0.0]])
    assert_array_equal(ends.pdf(0.0), [0.0])  # the other one's is infinite


@pytest.mark.parametrize("q", [0.05, 0.5, 0.9, 0.94])
def test_a_quantile_that_overflows_in_one_component_does_not_in_the_mixture(q):
    theta = np.array([[[0.0, 0.0], [0.0, np.log(1000.0)]]])
    dist = Mixture(LogNormal(), theta, weights=[[0.9, 0.1]])
    found = dist.ppf(q)
    assert np.isfinite(found).all()
    assert_allclose(dist.cdf(found), q, rtol=1e-9)
    below = 0.9 * stats.norm.cdf(np.log(found)) + 0.1 * stats.norm.cdf(np.log(found) / 1000)
    assert_allclose(below, q, rtol=1e-9)


def test_an_expectation_counts_what_is_beyond_all_numbers():
    theta = [[[0.0, np.log(1000.0)]], [[0.0, 0.0]]]
    dist = Mixture(LogNormal(), theta)
    assert_allclose(dist.expect(lambda y: y), [np.inf, np.exp(0.5)])
    assert_array_equal(dist.expected_shortfall(0.3, upper=True)[:1], [np.inf])
    assert_allclose(dist.expect(lambda y: y > 2, points=2.0), dist.sf(2.0), rtol=1e-6)
    beyond = stats.norm.sf(np.log(np.finfo(float).max / 8) / 1000)
    assert_allclose(dist.expect(np.isinf), [beyond, 0], rtol=1e-6)


def test_a_quantile_beyond_all_numbers_is_infinite():
    dist = Mixture(LogNormal(), [[[0.0, 0.0], [0.0, np.log(1000.0)]]])
    assert_array_equal(dist.ppf(0.99), [np.inf])
    largest = np.finfo(float).max
    beyond = 0.5 * stats.norm.sf(np.log(largest) / 1000)
    assert_allclose(dist.sf(largest), beyond, rtol=1e-9)
    assert beyond > 0.01
    single = Mixture(LogNormal(), [[[0.0, np.log(1000.0)]]])
    assert_array_equal(single.ppf([0.99]), [np.inf])


@pytest.mark.parametrize("unit", [1e-200, 1e-160, 1.0, 1e200])
def test_deviations_have_any_unit(unit):
    theta = [[[1.0, 0.0], [-1.0, 0.0]]]
    dist = Mixture(Normal(), theta, Units(0.0, unit))
    assert_allclose(dist.std(), np.sqrt(2) * unit, rtol=1e-12)


def test_deviations_of_columns_have_any_unit():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(50, 1)), rng.normal(size=(50, 2))
    model = WGBRegressor(response=MultivariateNormal(), n_estimators=2, random_state=0)
    plain = model.fit(X, Y).predict_dist(X).std()
    tiny = model.fit(X, Y * np.array([1e-200, 1.0])).predict_dist(X).std()
    assert_allclose(tiny, plain * np.array([1e-200, 1.0]), rtol=1e-3)


def heavy(df, n=600):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 3))
    return X, 2 * X[:, 0] + 0.3 * rng.standard_t(df, n)


@pytest.mark.parametrize("evidence", [1, 10])
def test_learned_degrees_of_freedom_leave_a_mean_to_every_row(evidence):
    X, y = heavy(3)
    model = WGBRegressor(
        response="student_t", evidence=evidence, n_estimators=150, random_state=0
    ).fit(X, y)
    prediction = model.predict(X)
    assert np.isfinite(prediction).all()
    assert np.corrcoef(prediction, X[:, 0])[0, 1] > 0.9
    assert (model.predict_dist(X).params()["df"] >= 1).all()


@pytest.mark.parametrize("response", [Cauchy(), StudentT(df=0.9)])
def test_without_a_mean_the_median_predicts(response):
    X, y = heavy(1)
    model = WGBRegressor(response=response, evidence=10, n_estimators=60, random_state=0).fit(X, y)
    prediction, dist = model.predict(X), model.predict_dist(X)
    assert_allclose(prediction, dist.median())
    assert np.corrcoef(prediction, X[:, 0])[0, 1] > 0.9
    assert_allclose(list(model.staged_predict(X[:3]))[-1], prediction[:3])
    assert np.isfinite(model.score(X, y))
    assert np.isnan(dist.mean()).all()
    locations = dist.params()["location"]
    score = model.ood_score(X, method="epistemic")
    assert_allclose(score, locations.var(axis=1), rtol=1e-6)
    assert np.isfinite(model.ood_score(X)).all()
    with pytest.raises(ValueError, match="has no mean and no variance"):
        model.predict_uncertainty(X)


def test_the_nll_of_y_measured_with_an_error_is_that_of_the_measurement():
    rng = np.random.default_rng(0)
    theta, y, noise = rng.normal(size=(6, 4, 2)), rng.normal(size=6), rng.uniform(0, 2, 6)
    dist = Mixture(Normal(), theta, Units(1.0, 3.0))
    mean, scale = 1 + 3 * theta[..., 0], 3 * np.exp(theta[..., 1])
    density = stats.norm.pdf(y[:, None], mean, np.hypot(scale, noise[:, None])).mean(axis=1)
    assert_allclose(metrics.nll(dist, y, y_std=noise), -np.log(density).mean(), rtol=1e-9)
    assert_allclose(metrics.nll(dist, y, y_std=0.0), metrics.nll(dist, y))
    for wrong, message in ((np.ones(3), "y_std has shape"), (-1.0, "y_std is -1.0 at row 0")):
        with pytest.raises(ValueError, match=message):
            metrics.nll(dist, y, y_std=wrong)
    with pytest.raises(ValueError, match="censored y with a measurement error"):
        metrics.nll(dist, censored(y, np.inf), y_std=1.0)
