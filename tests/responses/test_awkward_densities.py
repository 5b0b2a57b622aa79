"""Densities at the ends of the support, far below the mean, and integrals of skewed ones."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from wgboost import Mixture, WGBRegressor, metrics
from wgboost.responses import (
    Beta,
    Cauchy,
    Exponential,
    Gamma,
    InverseGaussian,
    LogNormal,
    Normal,
    StudentT,
    Units,
    Weibull,
)

SHAPES = [0.05, 0.5, 1.0, 2.0, 3.0]


def frozen(cls, mean, shape):
    if cls is Gamma:
        return stats.gamma(shape, scale=mean / shape)
    return stats.weibull_min(shape, scale=mean)


def one(response, *theta):
    return Mixture(response, np.array([[theta]], dtype=float))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cls", [Gamma, Weibull])
def test_the_density_of_tiny_y_is_that_of_scipy(cls, shape):
    theta, theirs = np.array([0.7, np.log(shape)]), frozen(cls, np.exp(0.7), shape)
    y = np.array([1e-300, 1e-200, 1e-100, 1e-74, 1e-20, 1.0, 30.0])
    assert_allclose(cls().logpdf(y, theta), theirs.logpdf(y), rtol=1e-12, atol=1e-12)
    with np.errstate(divide="ignore"):
        assert_allclose(one(cls(), *theta).pdf(0.0), theirs.pdf(0.0), rtol=1e-9)


@pytest.mark.parametrize(("mean", "precision"), [(0.5, 1), (0.5, 2), (0.5, 4), (0.25, 4)])
def test_the_density_at_the_ends_of_a_share_is_that_of_scipy(mean, precision):
    theirs = stats.beta(mean * precision, (1 - mean) * precision)
    ends = np.array([0.0, 1.0])
    ours = one(Beta(), special.logit(mean), np.log(precision)).pdf(ends)
    expected = theirs.pdf(ends)
    if expected[1] == np.inf:  # doubles near 1 are rounded to it
        expected[1] = theirs.pdf(np.nextafter(1, 0))
    assert_allclose(ours, expected, rtol=1e-9)


def test_an_inverse_gaussian_and_an_exponential_at_zero():
    assert_array_equal(one(InverseGaussian(), 0.3, -5.0).pdf(0.0), [0.0])
    assert_allclose(one(Exponential(), 0.3).pdf(0.0), np.exp(-0.3))


@pytest.mark.parametrize("power", [2, 100, 1e3])
def test_a_weibull_density_falls_for_ever(power):
    shape, y = 5.0, power
    expected = stats.weibull_min.logpdf(y, shape)
    assert_allclose(one(Weibull(), 0.0, np.log(shape)).logpdf(y), expected, rtol=1e-12)


@pytest.mark.parametrize("cls", [Gamma, Weibull])
def test_a_small_shape_is_learned_without_bias(cls):
    rng = np.random.default_rng(0)
    y = frozen(cls, 1.0, 0.05).rvs(1500, random_state=rng)
    y = np.maximum(y, 1e-30 * y.mean())  # float32 ends at 1e-38
    best = _most_likely_shape(cls, y)
    X = rng.normal(size=(len(y), 1))
    model = WGBRegressor(
        response=cls.name, evidence=100, n_estimators=20, learning_rate=0.3, max_depth=1,
        min_samples_leaf=500, random_state=0,
    ).fit(X, y)  # fmt: skip
    shape = model.predict_dist(X).params()["shape"]
    assert_allclose(np.exp(np.log(shape).mean()), best, rtol=0.03)


def _most_likely_shape(cls, y):
    if cls is Gamma:
        return stats.gamma.fit(y, floc=0)[0]
    return stats.weibull_min.fit(y, floc=0)[0]


SKEWED = [
    (Gamma(), (0.0, np.log(0.1)), 1e-6),
    (Gamma(), (2.0, np.log(0.3)), 1e-7),
    (Beta(), (0.0, 0.0), 1e-6),
    (Weibull(), (0.0, np.log(0.3)), 1e-8),
    (LogNormal(), (0.0, np.log(3.0)), 1e-8),
    (Cauchy(), (0.0, 0.0), 1e-8),
    (StudentT(df=0.7), (0.0, 1.0), 1e-8),
    (InverseGaussian(), (0.0, -3.0), 1e-8),
    (Normal(), (0.3, -2.0), 1e-10),
]


@pytest.mark.parametrize(("response", "theta", "tolerance"), SKEWED)
def test_the_entropy_of_one_component_is_its_closed_form(response, theta, tolerance):
    expected = response.entropy(np.array(theta))
    ours = one(response, *theta).entropy()[0]
    assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)
    twice = Mixture(response, np.tile(theta, (1, 2, 1)), Units(0.0, 10.0))
    assert_allclose(twice.entropy()[0], ours + np.log(10), rtol=1e-9, atol=1e-12)


def test_the_entropy_of_components_of_all_sizes_is_that_of_their_parts_and_of_the_choice():
    # Far apart: the entropy of the choice and the mean of the entropies.
    theta = np.array([[[-200.0, np.log(0.5)], [0.0, np.log(0.5)]]])
    expected = LogNormal().entropy(theta).mean() + np.log(2)
    assert_allclose(Mixture(LogNormal(), theta).entropy(), expected, rtol=1e-8)


def lognormal_crps(y, scale):
    w, cdf = np.log(y) / scale, stats.norm.cdf
    far = np.exp(scale**2 / 2) * (cdf(w - scale) + cdf(scale / np.sqrt(2)) - 1)
    return y * (2 * cdf(w) - 1) - 2 * far


def gamma_crps(y, shape):
    scale, cdf = 1 / shape, stats.gamma.cdf
    first = y * (2 * cdf(y, shape, scale=scale) - 1)
    return first - (2 * cdf(y, shape + 1, scale=scale) - 1) - scale / special.beta(0.5, shape)


@pytest.mark.parametrize("y", [1e-6, 0.5, 20.0])
def test_the_crps_of_skewed_distributions_is_its_closed_form(y):
    ours = metrics.crps(one(LogNormal(), 0.0, np.log(3.0)), [y])
    assert_allclose(ours, lognormal_crps(y, 3.0), rtol=1e-8)
    ours = metrics.crps(one(Gamma(), 0.0, np.log(0.1)), [y])
    assert_allclose(ours, gamma_crps(y, 0.1), rtol=1e-8)


def test_the_crps_of_tails_without_a_mean_is_the_integral():
    df, y = mp.mpf("0.7"), mp.mpf("0.5")

    def tail(z):
        x = df / (df + z**2)
        return mp.betainc(df / 2, 0.5, 0, x, regularized=True) / 2

    def square(x, below):
        p = tail(abs(x)) if (x < 0) == below else 1 - tail(abs(x))
        return p**2

    ends = [mp.mpf(10) ** k for k in range(0, 21, 2)]
    left = mp.quad(lambda x: square(x, True), [-e for e in ends[::-1]] + [0, y])
    right = mp.quad(lambda x: square(x, False), [y, *ends])
    ours = metrics.crps(one(StudentT(df=0.7), 0.0, 0.0), [0.5])
    assert_allclose(ours, float(left + right), rtol=1e-6)
