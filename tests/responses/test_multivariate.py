"""Several columns of y: the distribution, the mixture over particles and its scores."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from joint_examples import CASE, UNITS, components, joint
from wgboost import metrics
from wgboost.predictive import JointMixture, Mixture, make_mixture
from wgboost.responses import ColumnUnits, MultivariateNormal, Normal, Units

# --- the response -----------------------------------------------------------------------------


def test_it_is_the_distribution_of_scipy():
    response, rng = CASE.response, np.random.default_rng(0)
    for theta in CASE.theta.reshape(-1, 9)[:6]:
        frozen = CASE.scipy(theta)
        y = rng.normal(size=(20, 3)) * 5
        assert_allclose(response.logpdf(y, theta), frozen.logpdf(y), rtol=1e-9)
        assert_allclose(response.mean(theta), frozen.mean)
        assert_allclose(response.cov(theta), frozen.cov, rtol=1e-9)
        assert_allclose(response.var(theta), np.diag(frozen.cov), rtol=1e-9)
        assert_allclose(response.entropy(theta), frozen.entropy(), rtol=1e-9)


def test_samples_have_the_mean_the_covariance_and_the_density():
    theta = CASE.theta[0, 0]
    draws = CASE.response.rvs(np.broadcast_to(theta, (100_000, 9)), np.random.default_rng(2))
    cov = CASE.response.cov(theta)
    scale = np.sqrt(np.diag(cov))
    assert_allclose(draws.mean(axis=0) / scale, CASE.response.mean(theta) / scale, atol=0.015)
    unit = np.outer(scale, scale)
    assert_allclose(np.cov(draws.T) / unit, cov / unit, atol=0.02)
    surprise = -CASE.response.logpdf(draws, theta)
    assert_allclose(surprise.mean(), CASE.response.entropy(theta), atol=0.02)


def test_one_column_is_the_normal_response():
    single, normal = MultivariateNormal(n_dims=1), Normal()
    theta, y = CASE.theta[..., :2], CASE.y[:, 0]
    assert single.n_params == 2
    for function in ("log_posterior", "score", "hessian"):
        ours = getattr(single, function)(y[:, None], theta, 3.0)
        assert_allclose(ours, getattr(normal, function)(y, theta, 3.0), rtol=1e-12)


@pytest.mark.parametrize("j", range(3))
def test_a_marginal_is_the_normal_distribution_of_the_column(j):
    response, theta = CASE.response.marginal(CASE.theta, j)
    assert isinstance(response, Normal)
    assert_allclose(response.mean(theta), CASE.response.mean(CASE.theta)[..., j])
    assert_allclose(response.var(theta), CASE.response.var(CASE.theta)[..., j], rtol=1e-12)


def test_natural_parameters_are_moments_in_the_units_of_the_user():
    natural = CASE.response.natural(CASE.theta[0, 0], UNITS)
    frozen = components(joint(), 0)[0][0]
    scale = np.sqrt(np.diag(frozen.cov))
    for j in range(3):
        assert_allclose(natural[f"mean_{j}"], frozen.mean[j])
        assert_allclose(natural[f"scale_{j}"], scale[j])
        for k in range(j):
            correlation = frozen.cov[j, k] / scale[j] / scale[k]
            assert_allclose(natural[f"correlation_{j}_{k}"], correlation)
    assert len(natural) == 9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_particles_have_finite_derivatives_and_covariances(dtype):
    far = np.array([-1e3, -50, -5, 0, 5, 50, 1e3])
    theta = np.zeros((27, 1, 9), dtype)
    theta[:, 0, 3:] = np.random.default_rng(3).choice(far, size=(27, 6))
    response, y = CASE.response, np.linspace(-3, 3, 81).reshape(27, 3)
    for function in (response.score, response.curvature, response.hessian):
        assert np.isfinite(function(y, theta)).all()
    assert (response.curvature(y, theta) >= 0).all()
    assert np.isfinite(response.fisher(theta[:, 0])).all()
    dist = JointMixture(response, theta, UNITS)
    for values in (dist.mean(), dist.cov(), dist.logpdf(y), dist.rvs(random_state=0)):
        assert np.isfinite(values).all()
    assert np.isfinite(dist.marginal(2).ppf(0.9)).all()
    assert np.isfinite(metrics.energy_score(dist, y))


def test_the_number_of_columns_must_be_known():
    with pytest.raises(ValueError, match=r"give n_dims, as MultivariateNormal\(n_dims=2\)"):
        MultivariateNormal().n_params  # noqa: B018
    assert MultivariateNormal().for_columns(4) == MultivariateNormal(n_dims=4)
    assert MultivariateNormal(n_dims=3).for_columns(4).n_dims == 3
    with pytest.raises(ValueError, match="n_dims=0 must be >= 1"):
        MultivariateNormal(n_dims=0)


def test_units_belong_to_columns():
    y = CASE.y * [1, 100, 1e-6] + [0, 5, 7]
    weight = np.array([1.0, 0, 2, 0.5, 3, 1e-3])
    units = CASE.response.units(y, weight)
    for j in range(3):
        assert units[j] == Normal().units(y[:, j], weight)
    assert_allclose(units.restore(units.standardise(y)), y)
    twin = pickle.loads(pickle.dumps(units))
    assert twin == units
    assert hash(twin) == hash(units)
    assert units != UNITS
    assert Units(50.0, 4.0) != UNITS
    with pytest.raises(ValueError, match=r"scale=0\.0"):
        ColumnUnits([0.0, 1.0], [1.0, 0.0])


# --- the mixture ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_density_and_moments_are_those_of_the_mixture(weighted):
    dist = joint(weighted=weighted)
    y = UNITS.restore(CASE.y)
    for i in range(6):
        parts, share = components(dist, i)
        density = share @ [one.pdf(y[i]) for one in parts]
        assert_allclose(dist.logpdf(y)[i], np.log(density), rtol=1e-9)
        means, covs = (np.array([getattr(one, what) for one in parts]) for what in ("mean", "cov"))
        mean = share @ means
        within = np.tensordot(share, covs, 1)
        between = (share[:, None] * (means - mean)).T @ (means - mean)
        assert_allclose(dist.mean()[i], mean, rtol=1e-9)
        assert_allclose(dist.cov()[i], within + between, rtol=1e-9)
        assert_allclose(dist.aleatoric()[i], np.diag(within), rtol=1e-9)
        assert_allclose(dist.epistemic()[i], np.diag(between), rtol=1e-9)
    assert_allclose(dist.var(), np.einsum("nii->ni", dist.cov()), rtol=1e-9)
    assert_allclose(dist.std(), np.sqrt(dist.var()))
    assert dist.support()[1].shape == (6, 3)


def test_draws_and_densities_take_several_values_per_row():
    dist = joint(weighted=True, units=None)
    assert dist.rvs(random_state=0).shape == (6, 3)
    draws = dist.rvs(20_000, random_state=0)
    assert draws.shape == (6, 20_000, 3)
    spread = dist.std()
    assert_allclose(draws.mean(axis=1) / spread, dist.mean() / spread, atol=0.04)
    assert dist.logpdf(draws[:, :5]).shape == (6, 5)
    assert_array_equal(dist.logpdf(draws[:, :5])[:, 3], dist.logpdf(draws[:, 3]))
    assert_array_equal(dist.logpdf(draws[0, 0])[2], dist[2].logpdf(draws[0, 0])[0])
    assert dist[:2].logpdf(draws[:2]).shape == (2, 20_000)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_marginal_is_an_ordinary_mixture_of_the_column(weighted):
    dist = joint(weighted=weighted)
    y = UNITS.restore(CASE.y)
    for j in range(3):
        column = dist.marginal(j)
        assert type(column) is Mixture
        assert column.units == UNITS[j]
        assert_allclose(column.mean(), dist.mean()[:, j], rtol=1e-9)
        assert_allclose(column.var(), dist.var()[:, j], rtol=1e-9)
        assert_allclose(column.epistemic(), dist.epistemic()[:, j], rtol=1e-9)
        parts, share = components(dist, 0)
        normals = [stats.norm(one.mean[j], np.sqrt(one.cov[j, j])) for one in parts]
        assert_allclose(column.cdf(y[:, j])[0], share @ [one.cdf(y[0, j]) for one in normals])
        assert_allclose(column.cdf(column.ppf(0.05)), 0.05)
    assert_array_equal(dist.marginal(-1).mean(), dist.marginal(2).mean())
    with pytest.raises(ValueError, match="j=3 must be between -3 and 2"):
        dist.marginal(3)


def test_methods_of_one_column_point_to_the_marginals():
    dist = joint()
    y = UNITS.restore(CASE.y)
    calls = [
        lambda: dist.cdf(y), lambda: dist.sf(y), lambda: dist.ppf(0.5), lambda: dist.isf(0.5),
        dist.median, lambda: dist.interval(0.9), dist.entropy, lambda: metrics.pit(dist, y),
        lambda: metrics.coverage(dist, y), lambda: CASE.response.cdf(y, CASE.theta[:, 0]),
        lambda: CASE.response.ppf(0.5, CASE.theta),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(AttributeError, match=r"marginal\(j\)"):
            call()


def test_a_mixture_is_for_its_kind_of_response():
    with pytest.raises(TypeError, match="use JointMixture for the response 'multivariate_normal'"):
        Mixture(CASE.response, CASE.theta)
    with pytest.raises(TypeError, match="use Mixture for the response 'normal'"):
        JointMixture(Normal(), CASE.theta[..., :2])
    assert type(make_mixture(Normal(), CASE.theta[..., :2])) is Mixture
    with pytest.raises(ValueError, match="units of 2 columns for a y of 3"):
        joint(units=ColumnUnits([0, 0], [1, 1]))
    same = joint(units=Units(1.0, 2.0)).logpdf(CASE.y)
    assert_array_equal(same, joint(units=ColumnUnits([1] * 3, [2] * 3)).logpdf(CASE.y))
    with pytest.raises(ValueError, match=r"y has shape \(6, 2\); \(6, 3\) is needed"):
        joint().logpdf(CASE.y[:, :2])
    twin = pickle.loads(pickle.dumps(joint()))
    assert_array_equal(twin.mean(), joint().mean())
    assert repr(twin[:2]) == "<JointMixture of multivariate_normal: 2 rows, 4 particles>"
