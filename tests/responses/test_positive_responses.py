"""Positive numbers and shares: extremes, units, bad input, and fits with rows far from the rest."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from wgboost import TreeLearner, WGBRegressor
from wgboost.responses import (
    Beta,
    Exponential,
    Gamma,
    InverseGaussian,
    Units,
    Weibull,
    as_response,
)
from wgboost.responses.gamma_functions import (
    log_gamma_remainder,
    scaled_digamma_remainder,
    scaled_trigamma_remainder,
)

POSITIVE = (Gamma, Weibull, Exponential, InverseGaussian)
every = pytest.mark.parametrize("cls", [*POSITIVE, Beta])
positive = pytest.mark.parametrize("cls", POSITIVE)


def test_remainders_of_gamma_functions_match_scipy_and_have_the_right_limits():
    x = np.geomspace(1e-8, 50, 60)
    assert_allclose(log_gamma_remainder(x), special.gammaln(x) - x * np.log(x) + x, atol=1e-12)
    assert_allclose(scaled_digamma_remainder(x), x * (np.log(x) - special.digamma(x)), atol=1e-12)
    assert_allclose(scaled_trigamma_remainder(x), x**2 * special.zeta(2, x) - x, atol=1e-11)
    large = np.exp([20.0, 100.0, 170.0])
    assert_allclose(log_gamma_remainder(large), 0.5 * np.log(2 * np.pi / large), atol=1e-8)
    for rest in (scaled_digamma_remainder, scaled_trigamma_remainder):
        assert_allclose(rest(large), 0.5, atol=1e-8)
        assert_allclose(rest(1 / large), 1, atol=1e-6)
        assert_allclose(rest(x.astype(np.float32)), rest(x), rtol=1e-5)


@every
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_particles_and_extreme_y_give_finite_derivatives(cls, dtype):
    response = cls()
    ends = itertools.product([-1000, -50, 0, 50, 1000], repeat=response.n_params)
    theta = np.array(list(ends), dtype=dtype)[None]
    for y in (1e-300, 1e-50, 0.3, 1 - 1e-16) + (() if cls is Beta else (1e6, 1e30)):
        for function in (response.score, response.curvature, response.log_posterior):
            assert np.isfinite(function(np.array([y]), theta, 10.0)).all()
        assert (response.curvature(np.array([y]), theta, 10.0) >= 0).all()


def test_shape_one_is_exponential():
    y, log_mean = np.geomspace(1e-3, 10, 9), 0.4
    plain, theta = Exponential(), np.array([log_mean, 0.0])
    for response in (Gamma(), Weibull()):
        for name in ("logpdf", "cdf", "sf"):
            expected = getattr(plain, name)(y, theta[:1])
            assert_allclose(getattr(response, name)(y, theta), expected, rtol=1e-12)
        assert_allclose(response.entropy(theta), plain.entropy(theta[:1]), rtol=1e-12)


@pytest.mark.parametrize("log_precision", [-15, -3, 0, 3, 15, 30])
def test_inverse_gaussian_quantiles_invert_the_tails_at_any_precision(log_precision):
    response, theta = InverseGaussian(), np.array([0.7, 0.7 + log_precision])
    tails = np.array([1e-300, 1e-30, 1e-3, 0.2, 0.5, 0.9])
    assert_allclose(response.cdf(response.ppf(tails, theta), theta), tails, rtol=1e-6)
    assert_allclose(response.sf(response.isf(tails, theta), theta), tails, rtol=1e-6)


def test_beta_quantiles_near_zero_invert_the_cdf():
    tails, theta = np.array([1e-60, 1e-10, 1e-3]), np.array([-1.0, 2.0])
    assert_allclose(Beta().cdf(Beta().ppf(tails, theta), theta), tails, rtol=1e-9)


@positive
def test_the_unit_is_the_weighted_mean(cls):
    y, weight = np.array([1.0, 2.0, 6.0, 1e9]), np.array([1.0, 1.0, 2.0, 0.0])
    assert cls().units(y, weight) == Units(0.0, 3.75)
    assert_allclose(cls().units(y[:3] * 1e-300).scale, 3e-300)
    assert_allclose(cls().units(np.full(4, 1.5e308)).scale, 1.5e308)
    assert Exponential().units(np.zeros(3)) == Units()


def test_natural_parameters_are_in_the_units_of_the_user():
    theta, units = np.log([[2.0, 3.0]]), Units(0.0, 10.0)
    assert_allclose([*Gamma().natural(theta, units).values()], [[20], [3]])
    assert_allclose([*InverseGaussian().natural(theta, units).values()], [[20], [30]])
    assert list(Weibull().natural(theta, units)) == ["scale", "shape"]
    assert_allclose(Exponential().natural(theta, units)["mean"], 20)
    shares = Beta().natural(np.array([0.0, np.log(7)]), Units())
    assert_allclose([*shares.values()], [0.5, 7])


@pytest.mark.parametrize(
    ("name", "y", "message"),
    [
        ("gamma", 0.0, "y is 0 at row 1.*needs numbers > 0"),
        ("weibull", -1.0, "y is -1 at row 1.*needs numbers > 0"),
        ("exponential", -1.0, "numbers >= 0"),
        ("inverse_gaussian", 0.0, "numbers > 0"),
        ("beta", 1.0, "between 0 and 1, both excluded"),
    ],
)
def test_y_outside_the_support_is_refused(name, y, message):
    with pytest.raises(ValueError, match=message):
        as_response(name).check([0.5, y])


def made(cls, n=400):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 2))
    theta = np.stack([np.sin(2 * X[:, 0]), 1 + X[:, 1] / 2], axis=-1)
    return X, cls().rvs(theta[:, : cls().n_params], rng)


@positive
@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_a_fit_does_not_depend_on_the_unit_of_y(cls, unit):
    X, y = made(cls)
    model = WGBRegressor(response=cls.name, evidence=10, n_estimators=20, random_state=0)
    plain = model.fit(X, y).predict_dist(X)
    other = model.fit(X, y * unit).predict_dist(X)
    assert_allclose(other.logpdf(y * unit) + np.log(unit), plain.logpdf(y), atol=1e-3)


@every
@pytest.mark.parametrize("leaf", ["mean", "newton"])
def test_outliers_do_not_throw_particles_off(cls, leaf):
    X, y = made(cls)
    y[:3] = 1e-6
    if cls is not Beta:
        y[3:6] = 1e3
    model = WGBRegressor(
        response=cls.name,
        evidence=10,
        n_estimators=40,
        learner=TreeLearner(leaf=leaf),
        random_state=0,
    ).fit(X, y)
    assert abs(model.predict_dist(X).particles).max() < 30
