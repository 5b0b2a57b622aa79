"""Distributions through a transformer of y are right up to the ends of the range of y."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, QuantileTransformer

from wgboost import Mixture, Normal, WGBRegressor, metrics, predict_dist
from wgboost.predictive.transformed import inverse_transformed
from wgboost.responses import Units

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 2))
SMALL = WGBRegressor(n_estimators=10, evidence=10, random_state=0, n_jobs=1)
ONE = Mixture(Normal(), [[[0.2, 0.1]]], Units(0.5, 2.0))  # N(0.9, 2 e^0.1)
PLAIN = stats.norm(0.9, 2 * np.exp(0.1))


def power(lambda_, method="box-cox"):
    """Return a power transformer of this exponent."""
    found = PowerTransformer(method, standardize=False).fit(RNG.uniform(1, 2, size=(20, 1)))
    found.lambdas_ = np.array([lambda_])
    return found


def function(func, inverse_func):
    return FunctionTransformer(func, inverse_func, check_inverse=False)


@pytest.mark.parametrize("y", [1e-12, 0.3, 0.9, 0.99999472, 1 - 1e-9, 1 - 2.0**-45])
def test_the_density_of_a_logit_is_right_up_to_both_ends(y):
    dist = inverse_transformed(ONE, function(special.logit, special.expit))
    exact = PLAIN.logpdf(special.logit(y)) - np.log(y) - np.log1p(-y)
    assert_allclose(dist.logpdf(y), exact, rtol=1e-6)
    assert np.isfinite(dist.logpdf(np.nextafter(1.0, 0.0))).all()
    assert_array_equal(dist.logpdf(np.array([[-0.1, 1.1]])), -np.inf)


@pytest.mark.parametrize("y", [-1 + 1e-9, -1 + 1e-6, -1e-14, 0.0, 1e-300, 1e-14, 3.0, 1e9])
def test_the_density_of_a_shifted_log_is_right_near_its_end_and_near_zero(y):
    dist = inverse_transformed(ONE, function(np.log1p, np.expm1))
    assert_allclose(dist.logpdf(y), PLAIN.logpdf(np.log1p(y)) - np.log1p(y), rtol=1e-6)


def test_the_likelihood_of_proportions_near_one_is_finite():
    y = special.expit(2 * X[:, 0] + RNG.normal(size=150) + 4)
    y[0] = 0.99999472
    model = TransformedTargetRegressor(SMALL, func=special.logit, inverse_func=special.expit)
    model.fit(X, y)
    inner = model.regressor_.predict_dist(X).logpdf(special.logit(y))
    exact = -(inner - np.log(y) - np.log1p(-y)).mean()
    assert_allclose(metrics.nll(predict_dist(model, X), y), exact, rtol=1e-7)


def test_every_method_works_through_a_box_cox_transformer():
    y = np.exp(0.5 * X[:, 0] + 0.2 * RNG.normal(size=150))
    model = TransformedTargetRegressor(SMALL, transformer=PowerTransformer("box-cox")).fit(X, y)
    dist = predict_dist(model, X[:4])
    assert_array_equal(dist.support()[0], 0)
    assert_array_equal(dist.support()[1], np.inf)
    assert_array_equal(dist.cdf(np.array([[-1.0, 0.0]])), 0)
    draws = dist.rvs(20_000, random_state=0)
    assert_allclose(dist.expect(lambda y: np.log1p(y)), np.log1p(draws).mean(axis=1), rtol=0.02)
    low, high = dist.hdi(0.9)
    assert_allclose(dist.cdf(high) - dist.cdf(low), 0.9, atol=1e-4)
    assert (dist.logpdf(dist.mode()) >= dist.logpdf(dist.median())).all()
    assert_allclose(dist.entropy(), -dist.expect(lambda y: dist.logpdf(y)), rtol=1e-3)
    crps = np.abs(draws - y[:4, None]).mean(axis=1)
    crps -= 0.5 * np.abs(draws - draws[:, ::-1]).mean(axis=1)
    assert_allclose(metrics.crps(dist, y[:4]), crps.mean(), rtol=0.03)


def test_box_cox_of_exponent_zero_is_the_log():
    found, log = (inverse_transformed(ONE, t) for t in (power(0.0), function(np.log, np.exp)))
    y = np.array([[1e-5, 0.3, 2.0, 50.0]])
    for method in ("logpdf", "cdf", "sf"):
        assert_allclose(getattr(found, method)(y), getattr(log, method)(y), rtol=1e-7)
    assert_allclose(found.entropy(), log.entropy(), rtol=1e-6)
    assert_allclose(metrics.crps(found, [2.0]), metrics.crps(log, [2.0]), rtol=1e-6)


@pytest.mark.parametrize(("method", "exponent"), [("box-cox", -0.1), ("yeo-johnson", -0.1)])
def test_mass_at_infinity_has_infinite_moments(method, exponent):
    dist = inverse_transformed(ONE, power(exponent, method))
    mass = PLAIN.sf(10)
    assert_allclose(dist.sf(1e300), mass, rtol=1e-6)
    for found in (dist.mean(), dist.var(), dist.std(), dist.entropy()):
        assert_array_equal(found, np.inf)
    for moment in (np.abs, lambda y: y, lambda y: np.log(np.maximum(y, 1))):
        assert_array_equal(dist.expect(moment), np.inf)
    assert_array_equal(dist.expected_shortfall(0.05, upper=True), np.inf)
    assert np.isfinite(dist.expected_shortfall(0.05)).all()
    assert_allclose(dist.expect(lambda y: y > 1e290, points=1e290), dist.sf(1e290), rtol=1e-8)
    with pytest.raises(ValueError, match="the function is nan at y = inf of row 0"):
        dist.expect(lambda y: np.where(y < np.inf, 0.0, np.nan))
    assert metrics.crps(dist, [2.0]) == np.inf
    assert np.isfinite(metrics.nll(dist, [2.0]))
    assert np.isfinite(dist.median()).all()
    assert_array_equal(dist.ppf(1 - mass / 2), np.inf)


def test_mass_below_the_range_of_a_power_lies_at_zero():
    dist = inverse_transformed(ONE, power(0.2))  # defined from -5 on
    mass = PLAIN.cdf(-5)
    assert_array_equal(dist.ppf(mass / 2), 0)
    assert_allclose(dist.cdf(1e-40), mass, rtol=1e-5)
    z = np.linspace(-5, 40, 100_001)
    mean = integrate.trapezoid((1 + z / 5) ** 5 * PLAIN.pdf(z), z)
    assert_allclose(dist.mean(), mean, rtol=1e-6)
    assert_array_equal(dist.entropy(), -np.inf)
    draws = np.sort(dist.rvs(100_000, random_state=0)[0])
    exact = np.abs(draws - 2).mean() - np.abs(draws - RNG.permutation(draws)).mean() / 2
    assert_allclose(metrics.crps(dist, [2.0]), exact, rtol=0.03)


def test_a_quantile_transformer_ends_where_its_data_do():
    y = np.sort(RNG.gamma(2.0, size=(200, 1)), axis=0)
    ranks = QuantileTransformer(n_quantiles=200, output_distribution="normal").fit(y)
    dist = inverse_transformed(Mixture(Normal(), [[[0.0, 0.0]]]), ranks)
    assert_array_equal(np.ravel(dist.support()), [y.min(), y.max()])
    assert_allclose(dist.mean(), y.mean(), rtol=0.01)
    assert y.min() <= dist.ppf(1e-12) <= dist.ppf(1 - 1e-12) <= y.max()
