"""The contract of a response: its distribution of y at given parameters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from response_examples import EXAMPLES, example
from wgboost.responses import Categorical, Normal, Units

# Several columns of y have no order, hence no cdf and no quantiles: test_multivariate.py is theirs.
SINGLE = [name for name in EXAMPLES if not example(name).response.y_shape]
every = pytest.mark.parametrize("name", SINGLE)
continuous = pytest.mark.parametrize(
    "name", [name for name in SINGLE if not example(name).response.discrete]
)
discrete = pytest.mark.parametrize(
    "name", [name for name in SINGLE if example(name).response.discrete]
)
Q = np.array([1e-10, 1e-3, 0.1, 0.37, 0.5, 0.9, 0.999])


def thetas(name):
    return example(name).theta.reshape(-1, example(name).theta.shape[-1])[:6]


def points(response, theta):
    """Values of y from the far left to the far right, or all codes and what lies between."""
    if response.discrete:
        return np.arange(-1, response.isf(1e-12, theta) + 2, 0.5)
    return response.ppf(np.concatenate([Q, 1 - Q]), theta)


@pytest.mark.parametrize("name", [name for name in SINGLE if example(name).scipy])
def test_it_is_the_distribution_of_scipy(name):
    response = example(name).response
    for theta in thetas(name):
        frozen, y = example(name).scipy(theta), points(response, theta)
        density = frozen.logpmf if response.discrete else frozen.logpdf
        with np.errstate(divide="ignore"):
            assert_allclose(response.logpdf(y, theta), density(y), rtol=1e-9)
        assert_allclose(response.cdf(y, theta), frozen.cdf(y), rtol=1e-9, atol=1e-15)
        assert_allclose(response.sf(y, theta), frozen.sf(y), rtol=1e-9, atol=1e-15)
        assert_allclose(response.ppf(Q, theta), frozen.ppf(Q), rtol=1e-9)
        assert_allclose(response.isf(Q, theta), frozen.isf(Q), rtol=1e-9)
        assert_allclose(response.mean(theta), frozen.mean(), rtol=1e-9)
        assert_allclose(response.var(theta), frozen.var(), rtol=1e-9)
        assert_allclose(response.entropy(theta), frozen.entropy(), rtol=1e-6)


TAILS = np.geomspace(1e-14, 0.5, 60)


def pieces(response, theta):
    """Points and weights of Gauss-Legendre rules between quantiles from 1e-14 to 1 - 1e-14."""
    ends = np.unique(np.concatenate([response.ppf(TAILS, theta), response.isf(TAILS, theta)]))
    nodes, weights = np.polynomial.legendre.leggauss(24)
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


@continuous
def test_the_density_has_unit_mass_and_the_stated_moments(name):
    case = example(name)
    response = case.response
    for theta in thetas(name):
        y, weight = pieces(response, theta)
        density = weight * np.exp(response.logpdf(y, theta))
        assert_allclose(density.sum(), 1, atol=1e-9)
        middle = response.ppf(TAILS[-5:], theta)  # ends of pieces
        mass = [density[y <= one].sum() for one in middle]
        assert_allclose(response.cdf(middle, theta), mass, atol=1e-9)
        if case.light:
            mean = density @ y
            assert_allclose(response.mean(theta), mean, rtol=1e-8, atol=1e-8)
            assert_allclose(response.var(theta), density @ (y - mean) ** 2, rtol=1e-8)
            entropy = -(density @ response.logpdf(y, theta))
            assert_allclose(response.entropy(theta), entropy, atol=1e-8)


@discrete
def test_the_mass_sums_to_one_and_to_the_cdf(name):
    response = example(name).response
    for theta in thetas(name):
        codes = np.arange(0, response.isf(1e-14, theta) + 3)
        mass = np.exp(response.logpdf(codes, theta))
        assert_allclose(mass.sum(), 1, atol=1e-12)
        assert_allclose(response.cdf(codes, theta), np.cumsum(mass), atol=1e-12)
        assert_array_equal(response.logpdf(np.array([-1, 0.5, 1.5]), theta), -np.inf)
        mean = mass @ codes
        assert_allclose(response.mean(theta), mean, rtol=1e-10)
        assert_allclose(response.var(theta), mass @ (codes - mean) ** 2, rtol=1e-9)
        entropy = -(mass @ np.log(np.maximum(mass, 1e-300)))
        assert_allclose(response.entropy(theta), entropy, rtol=1e-6)


@continuous
def test_quantiles_invert_the_cdf_in_both_tails(name):
    response = example(name).response
    tails = np.array([1e-300, 1e-100, 1e-10, 1e-3, 0.5])
    tails = np.maximum(tails, example(name).tail)
    for theta in thetas(name):
        assert_allclose(response.cdf(response.ppf(tails, theta), theta), tails, rtol=1e-9)
        assert_allclose(response.sf(response.isf(tails, theta), theta), tails, rtol=1e-9)


@discrete
def test_quantiles_are_the_smallest_code_that_reaches_q(name):
    response = example(name).response
    for theta in thetas(name):
        codes = np.arange(0, response.isf(1e-6, theta) + 1)
        reached = response.cdf(codes, theta)
        assert_array_equal(response.ppf(reached * (1 - 1e-9), theta), codes)
        found = response.ppf(Q, theta)
        assert (response.cdf(found, theta) >= Q).all()
        assert (response.cdf(found - 1, theta) < Q).all()


@every
def test_samples_follow_the_cdf(name):
    response, rng = example(name).response, np.random.default_rng(3)
    for theta in thetas(name)[:3]:
        draws = response.rvs(np.broadcast_to(theta, (20_000, theta.size)), rng)
        grid = np.unique(response.ppf(np.linspace(0.02, 0.98, 30), theta))
        share = (draws[:, None] <= grid).mean(axis=0)
        # 0.0138 is the Kolmogorov-Smirnov bound at level 1e-3 for this many draws.
        assert abs(share - response.cdf(grid, theta)).max() < 0.0138
        if np.isfinite(response.var(theta)):
            assert_allclose(draws.mean(), response.mean(theta), atol=5 * draws.std() / 141)


@every
def test_ends_of_the_support_and_invalid_probabilities(name):
    response, theta = example(name).response, thetas(name)[0]
    low, high = response.support
    assert_array_equal(response.cdf(np.array([-np.inf, np.inf]), theta), [0, 1])
    assert_array_equal(response.sf(np.array([-np.inf, np.inf]), theta), [1, 0])
    assert_array_equal(response.logpdf(np.array([-np.inf, np.inf]), theta), -np.inf)
    assert response.ppf(np.array(1.0), theta) == high
    if not response.discrete:
        assert response.ppf(np.array(0.0), theta) == low
    outside = np.array([-0.1, 1.1, np.nan])
    assert np.isnan(response.ppf(outside, theta)).all()
    assert np.isnan(response.isf(outside, theta)).all()
    assert np.isnan(response.cdf(np.array(np.nan), theta))


@every
def test_y_broadcasts_against_the_leading_axes_of_theta(name):
    case = example(name)
    response, theta = case.response, case.theta  # (6, 4, d)
    grid = case.y[:3]
    for function in (response.logpdf, response.cdf, response.sf):
        joint = function(grid[:, None, None], theta)
        assert joint.shape == (3, 6, 4)
        for k in range(3):
            assert_array_equal(joint[k], function(np.full((6, 4), grid[k]), theta))
    assert response.likelihood_score(case.y[:, None], theta).shape == theta.shape
    assert response.rvs(theta, np.random.default_rng(0)).shape == (6, 4)


def test_natural_parameters_are_in_the_units_of_the_user():
    theta = example("normal").theta
    natural = Normal().natural(theta, Units(100.0, 3.0))
    assert_allclose(natural["mean"], 100 + 3 * theta[..., 0])
    assert_allclose(natural["scale"], 3 * np.exp(theta[..., 1]))
    shares = Categorical(n_classes=4).natural(example("categorical").theta, Units())
    assert list(shares) == [f"probability_{j}" for j in range(4)]
    assert_allclose(sum(shares.values()), 1)


def test_only_classes_have_probabilities():
    with pytest.raises(NotImplementedError, match="no classes"):
        Normal().probabilities(np.zeros(2))


def test_the_normal_log_density_is_exact_a_thousand_scales_away():
    theta = np.array([0.5, -2.0])
    y = 0.5 + np.array([-1e3, 1e3]) * np.exp(-2.0)
    assert_allclose(Normal().logpdf(y, theta), stats.norm.logpdf(y, 0.5, np.exp(-2)), rtol=1e-14)
