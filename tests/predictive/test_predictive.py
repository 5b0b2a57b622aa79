"""The predictive mixture against scipy, dense sums and samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special

from mixture_examples import KINDS, UNITS, normal_mixture, scipy_normals, shares
from wgboost.predictive import Mixture
from wgboost.responses import Normal, Units

weighted = pytest.mark.parametrize("weighted", [False, True])
every = pytest.mark.parametrize("kind", KINDS)
counted = pytest.mark.parametrize("kind", ["categorical", "poisson"])


@weighted
def test_a_mixture_of_normals_is_the_weighted_mean_of_scipy_normals(weighted):
    dist = normal_mixture(weighted=weighted)
    grid = np.linspace(30, 70, 41)
    for i in range(len(dist)):
        frozen, weights = scipy_normals(dist, i)
        for method in ("pdf", "cdf", "sf"):
            plain = getattr(frozen, method)(grid[:, None]) @ weights
            assert_allclose(getattr(dist, method)(grid[None])[i], plain, rtol=1e-11)
        mean = frozen.mean() @ weights
        assert_allclose(dist.mean()[i], mean, rtol=1e-12)
        variance = (frozen.var() + frozen.mean() ** 2) @ weights - mean**2
        assert_allclose(dist.var()[i], variance, rtol=1e-9)
        assert_allclose(dist.aleatoric()[i], frozen.var() @ weights, rtol=1e-12)
        assert_allclose(dist.epistemic()[i], (frozen.mean() - mean) ** 2 @ weights, rtol=1e-9)


@weighted
def test_moments_mass_and_entropy_match_dense_integration(weighted):
    dist = normal_mixture(weighted=weighted)
    grid = np.linspace(50 - 200, 50 + 200, 200_001)[None]
    density = dist.pdf(grid)

    def total(values):
        return integrate.simpson(values, x=grid[0], axis=1)

    assert_allclose(total(density), 1, rtol=1e-9)
    assert_allclose(total(density * grid), dist.mean(), rtol=1e-9)
    assert_allclose(total(density * (grid - dist.mean()[:, None]) ** 2), dist.var(), rtol=1e-8)
    assert_allclose(dist.entropy(), total(special.entr(density)), atol=1e-8)
    half = grid[:, :100_001]
    below = integrate.simpson(dist.pdf(half), x=half[0], axis=1)
    assert_allclose(dist.cdf(half[0, -1]), below, atol=1e-9)


@counted
@weighted
def test_a_discrete_mixture_is_the_weighted_mean_of_masses(kind, weighted):
    dist = KINDS[kind](weighted=weighted)
    codes = np.arange(0, 4 if kind == "categorical" else 200)[None]
    each = np.exp(dist.response.logpdf(codes[..., None], dist.particles[:, None]))  # (n, codes, m)
    mass = (each * shares(dist)[:, None]).sum(axis=-1)
    assert_allclose(mass.sum(axis=1), 1, rtol=1e-10)
    assert_allclose(dist.pmf(codes), mass, rtol=1e-10, atol=1e-300)
    assert_allclose(dist.logpmf(codes), np.log(mass), rtol=1e-9, atol=1e-12)
    assert_allclose(dist.cdf(codes), np.cumsum(mass, axis=1), rtol=1e-10)
    above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
    assert_allclose(dist.sf(codes - 1), above, rtol=1e-8, atol=1e-14)
    mean = (mass * codes).sum(axis=1)
    assert_allclose(dist.mean(), mean, rtol=1e-9)
    assert_allclose(dist.var(), (mass * (codes - mean[:, None]) ** 2).sum(axis=1), rtol=1e-9)
    assert_allclose(dist.entropy(), special.entr(mass).sum(axis=1), rtol=1e-9)
    assert_array_equal(dist.pmf([[-1.0, 0.5, 1.5]]), 0)
    for q in (1e-10, 0.05, 0.5, 0.9, 1 - 1e-10):
        assert_array_equal(dist.ppf(q), (np.cumsum(mass, axis=1) < q).sum(axis=1))
        assert_array_equal(dist.isf(q), (dist.sf(codes) > q).sum(axis=1))


@counted
@weighted
def test_discrete_quantiles_are_the_smallest_code_that_reaches_q(kind, weighted):
    dist = KINDS[kind](n=40, weighted=weighted)
    codes = np.arange(0, 3 if kind == "categorical" else 15)[None]
    reached = dist.cdf(codes)
    assert_array_equal(dist.ppf(reached), np.broadcast_to(codes, reached.shape))
    assert (dist.ppf(np.nextafter(reached, 1)) > codes).all()
    beyond = dist.sf(codes)
    assert_array_equal(dist.isf(beyond), np.broadcast_to(codes, beyond.shape))


@weighted
def test_class_uncertainty_is_entropies_and_mutual_information(weighted):
    dist = KINDS["categorical"](weighted=weighted)
    each = special.softmax(np.concatenate([dist.particles, np.zeros((5, 6, 1))], axis=-1), axis=-1)
    mean = (each * shares(dist)[..., None]).sum(axis=1)
    assert_allclose(dist.probabilities(), mean, rtol=1e-12)
    assert_allclose(dist.pmf(np.arange(4)[None]), mean, rtol=1e-12)
    assert_array_equal(dist.mode(), mean.argmax(axis=1))
    expected = (special.entr(each).sum(axis=-1) * shares(dist)).sum(axis=1)
    assert_allclose(dist.aleatoric(), expected, rtol=1e-12)
    assert_allclose(dist.epistemic(), special.entr(mean).sum(axis=1) - expected, rtol=1e-9)
    assert_allclose(dist.aleatoric() + dist.epistemic(), dist.entropy(), rtol=1e-12)


@every
@weighted
def test_samples_follow_the_cdf_of_their_row(kind, weighted):
    dist = KINDS[kind](n=3, weighted=weighted)
    draws = dist.rvs(20_000, random_state=5)
    assert draws.shape == (3, 20_000)
    assert draws.dtype == (np.int64 if dist.response.discrete else np.float64)
    for i in range(3):
        grid = np.unique(dist[i].ppf(np.linspace(0.03, 0.97, 25)))
        share = (draws[i, :, None] <= grid).mean(axis=0)
        assert abs(share - dist[i].cdf(grid)).max() < 0.0138  # Kolmogorov-Smirnov, level 1e-3
    assert_allclose(draws.mean(axis=1), dist.mean(), atol=5 * (dist.std() / 141).max())


def test_samples_are_repeatable_and_shaped_as_asked():
    dist = normal_mixture(weighted=True)
    assert_array_equal(dist.rvs(random_state=1), dist.rvs(random_state=1))
    assert (dist.rvs(random_state=1) != dist.rvs(random_state=2)).any()
    assert dist.rvs().shape == (5,)
    assert dist.rvs(1).shape == (5, 1)
    assert dist.rvs((5, 7, 3), random_state=np.random.default_rng(0)).shape == (5, 7, 3)
    with pytest.raises(ValueError, match=r"size=\(7, 3\)"):
        dist.rvs((7, 3))


def test_particles_without_weight_play_no_role():
    inside = normal_mixture(m=3)
    theta = np.concatenate([inside.particles, np.full((5, 2, 2), 1e3)], axis=1)
    weights = np.tile([7.0, 7, 7, 0, 0], (5, 1))
    dist = Mixture(Normal(), theta[:, [3, 0, 1, 4, 2]], UNITS, weights[:, [3, 0, 1, 4, 2]])
    y = inside.rvs(random_state=0)
    for method in ("pdf", "logpdf", "cdf", "sf"):
        assert_allclose(getattr(dist, method)(y), getattr(inside, method)(y), rtol=1e-12)
    for q in (1e-6, 0.3, 0.99):
        assert_allclose(dist.ppf(q), inside.ppf(q), rtol=1e-12)
    for method in ("mean", "var", "effective_sample_size"):
        assert_allclose(getattr(dist, method)(), getattr(inside, method)(), rtol=1e-12)
    assert abs(dist.rvs(1000, random_state=0)).max() < 1000


def test_weights_are_normalised_row_by_row():
    theta, weights = normal_mixture(n=3, m=4).particles, np.random.default_rng(0).random((3, 4))
    factor = np.array([1e-300, 1.0, 1.7e308])[:, None]
    one, other = (
        Mixture(Normal(), theta, UNITS, weights),
        Mixture(Normal(), theta, UNITS, weights * factor),
    )
    assert_allclose(one.weights, other.weights, rtol=1e-14)
    assert_allclose(one.weights.sum(axis=1), 1, rtol=1e-15)
    equal = Mixture(Normal(), theta, UNITS, np.full((3, 4), 9))
    assert_allclose(equal.logpdf(50.0), Mixture(Normal(), theta, UNITS).logpdf(50.0), rtol=1e-14)
    assert_allclose(equal.effective_sample_size(), 4)
    assert_allclose(Mixture(Normal(), theta).effective_sample_size(), 4)
    single = Mixture(Normal(), theta, None, np.eye(3, 4))
    assert_allclose(single.effective_sample_size(), 1)


def test_parameters_come_in_the_units_of_the_user():
    dist = normal_mixture()
    params = dist.params()
    assert_allclose(params["mean"], 50 + 4 * dist.particles[..., 0])
    assert_allclose(params["scale"], 4 * np.exp(dist.particles[..., 1]))
    assert params["mean"].shape == (5, 6)


def test_changing_units_is_changing_variables():
    plain, dist = normal_mixture(units=None), normal_mixture(units=Units(1e8, 1e-3))
    z = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    y = 1e8 + 1e-3 * z
    z = (y - 1e8) / 1e-3  # after rounding
    assert_allclose(dist.logpdf(y), plain.logpdf(z) + np.log(1e3), rtol=1e-12)
    assert_allclose(dist.cdf(y), plain.cdf(z), rtol=1e-12)
    assert_allclose(dist.mean() - 1e8, 1e-3 * plain.mean(), atol=3e-8)
    assert_allclose(dist.var(), 1e-6 * plain.var(), rtol=1e-12)
    assert_allclose(dist.std(), 1e-3 * plain.std(), rtol=1e-12)
    assert_allclose(dist.entropy(), plain.entropy() + np.log(1e-3), atol=1e-12)
    assert_allclose(dist.epistemic(), 1e-6 * plain.epistemic(), rtol=1e-12)
