"""Expectations, tails, densest intervals and modes of mixtures, against scipy and brute force."""

import doctest
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, optimize, stats

from mixture_examples import (
    UNITS,
    categorical_mixture,
    normal_mixture,
    poisson_mixture,
    scipy_normals,
)
from wgboost import Beta, Exponential, Gamma, Mixture, NegativeBinomial, Normal, Poisson, StudentT
from wgboost.predictive import make_mixture, probabilities, summaries
from wgboost.responses import MultivariateNormal

weighted = pytest.mark.parametrize("weighted", [False, True])


def gammas():
    theta = np.array([[[0.0, np.log(0.05)], [0.0, np.log(5.0)]], [[1.0, 1.0], [2.0, 2.0]]])
    return Mixture(Gamma(), theta)


def integral(dist, function, *points):
    """The mean of a function over a mixture of one row, piece by piece."""
    ends = [float(dist.ppf(q)[0]) for q in (1e-15, 1e-6, 0.01, 0.3, 0.7, 0.99, 1 - 1e-6)]
    ends = sorted({*ends, float(dist.isf(1e-15)[0]), *points})
    pieces = (
        integrate.quad(lambda y: function(y) * dist.pdf(y)[0], a, b, epsabs=1e-13, limit=200)[0]
        for a, b in pairwise(ends)
    )
    return sum(pieces)


# --- expectations -----------------------------------------------------------------------------


@weighted
def test_expectations_of_smooth_functions_are_the_moments(weighted):
    for dist in (normal_mixture(weighted=weighted), poisson_mixture(weighted=weighted)):
        assert_allclose(dist.expect(lambda y: y), dist.mean(), rtol=1e-9)
        centre = dist.mean()[:, None]
        assert_allclose(dist.expect(lambda y, c=centre: (y - c) ** 2), dist.var(), rtol=1e-7)
        assert_allclose(dist.expect(lambda y: np.ones_like(y)), 1, rtol=1e-14)
    classes = categorical_mixture(weighted=weighted)
    assert_allclose(classes.expect(lambda y: y == 2), classes.probabilities()[:, 2], rtol=1e-12)


@weighted
def test_expectations_match_quadrature_by_scipy(weighted):
    dist = normal_mixture(weighted=weighted)
    found = dist.expect(lambda y: np.sin(y) + np.log1p(y * y))
    for i in range(len(dist)):
        plain = integral(dist[i], lambda y: np.sin(y) + np.log1p(y * y))
        assert_allclose(found[i], plain, rtol=1e-8)


@pytest.mark.parametrize("make", [normal_mixture, gammas])
def test_a_jump_or_a_kink_that_is_named_costs_no_precision(make):
    dist = make()
    at = dist.ppf(0.7)
    for points in (at[:, None], float(at[0])):
        value = np.broadcast_to(points, (len(dist), 1))
        jump = dist.expect(lambda y, v=value: y > v, points)
        assert_allclose(jump, dist.sf(value[:, 0]), rtol=1e-9)
        loss = dist.expect(lambda y, v=value: np.maximum(y - v, 0), points)
        for i in range(len(dist)):
            v = float(value[i, 0])
            assert_allclose(loss[i], integral(dist[i], lambda y, v=v: max(y - v, 0), v), rtol=1e-6)
    unnamed = dist.expect(lambda y: y > at[:, None])
    assert_allclose(unnamed, 0.3, atol=2e-3)


def test_expectations_of_counts_too_many_to_be_listed():
    dist = Mixture(Poisson(), np.log([[[1e6], [1.1e6]], [[3.0], [4.0]]]))
    assert_allclose(dist.expect(lambda y: y), dist.mean(), rtol=1e-7)
    assert_allclose(dist.expect(np.square), dist.var() + dist.mean() ** 2, rtol=1e-6)


def test_steep_and_degenerate_densities_have_their_means():
    assert_allclose(gammas().expect(lambda y: y), gammas().mean(), rtol=1e-7)
    steep = Mixture(Beta(), [[[4.0, np.log(5.0)]], [[-4.0, np.log(5.0)]]])
    assert_allclose(steep.expect(lambda y: y), steep.mean(), rtol=1e-7)
    points = Mixture(Normal(), [[[1.0, -100.0], [1.0, -100.0]]])
    assert_allclose(points.expect(np.exp), np.e, rtol=1e-12)


def test_functions_that_cannot_be_averaged_are_refused_by_name():
    dist = normal_mixture()
    with pytest.raises(TypeError, match="must be a function of y"):
        dist.expect(3.0)
    with pytest.raises(ValueError, match=r"returned shape \(5,\)"):
        dist.expect(lambda y: y[:, 0])
    with pytest.raises(ValueError, match=r"nan at y = .* of row 0"):
        dist.expect(lambda y: np.full(y.shape, np.nan))
    with pytest.raises(ValueError, match=r"points have shape \(2, 1\)"):
        dist.expect(np.square, points=[[1.0], [2.0]])
    joint = make_mixture(MultivariateNormal(2), np.zeros((1, 1, 5)))
    for method in ("expect", "hdi", "mode", "expected_shortfall", "particle_median"):
        arguments = [np.square] if method == "expect" else []
        with pytest.raises(AttributeError, match=r"marginal\(j\)"):
            getattr(joint, method)(*arguments)


# --- tails ------------------------------------------------------------------------------------


def test_the_shortfall_of_a_normal_is_its_closed_form():
    dist = Mixture(Normal(), [[[0.0, 0.0]]], UNITS)
    levels = [0.001, 0.05, 0.5, 1.0]
    z = stats.norm.ppf(levels)
    plain = 50 - 4 * stats.norm.pdf(z) / levels
    assert_allclose(dist.expected_shortfall(levels)[0], plain, rtol=1e-7)
    assert_allclose(dist.expected_shortfall(levels, upper=True)[0], 100 - plain, rtol=1e-7)
    assert_allclose(dist.expected_shortfall(0.05), plain[1:2], rtol=1e-7)


@weighted
def test_the_shortfall_of_a_mixture_is_the_mean_of_its_quantiles(weighted):
    dist = normal_mixture(weighted=weighted)
    q = (np.arange(4000) + 0.5) / 4000 * 0.1
    assert_allclose(dist.expected_shortfall(0.1), dist.ppf(q[None]).mean(axis=1), rtol=1e-4)
    assert_allclose(
        dist.expected_shortfall(0.1, upper=True), dist.isf(q[None]).mean(axis=1), rtol=1e-4
    )


def test_the_shortfall_of_counts_takes_a_part_of_the_last_value():
    dist = poisson_mixture()
    codes = np.arange(300)
    for i in range(len(dist)):
        mass, left, total = dist[i].pmf(codes), 0.1, 0.0
        for value, probability in zip(codes, mass, strict=True):
            part = min(left, probability)
            total, left = total + part * value, left - part
        assert_allclose(dist.expected_shortfall(0.1)[i], total / 0.1, rtol=1e-7, atol=1e-9)


def test_a_shortfall_needs_a_tail_and_an_order():
    with pytest.raises(ValueError, match="q=0 must be > 0"):
        normal_mixture().expected_shortfall(0)
    for method in ("expected_shortfall", "hdi"):
        with pytest.raises(ValueError, match="classes have no"):
            getattr(categorical_mixture(), method)(0.5)


# --- densest interval and mode ----------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.3, 0.9, 0.99])
def test_the_densest_interval_of_one_component_is_scipys_shortest(confidence):
    for response, theta, frozen in (
        (Normal(), [1.0, 0.5], stats.norm(1.0, np.exp(0.5))),
        (Exponential(), [0.3], stats.expon(scale=Exponential().mean(np.array([0.3])))),
        (StudentT(), [0.0, 0.0, 1.0], None),
    ):
        dist = Mixture(response, [[theta]])
        low, high = dist.hdi(confidence)
        assert_allclose(dist.cdf(high) - dist.cdf(low), confidence, rtol=1e-9)
        if frozen is None:
            frozen = dist[0]
        best = optimize.minimize_scalar(
            lambda p, f=frozen: float(np.squeeze(f.ppf(p + confidence) - f.ppf(p))),
            bounds=(0, 1 - confidence), method="bounded", options={"xatol": 1e-12},
        )  # fmt: skip
        assert (high - low)[0] <= best.fun * (1 + 1e-6)


@weighted
def test_no_interval_of_a_mixture_is_shorter_than_the_densest(weighted):
    dist = normal_mixture(weighted=weighted)
    low, high = dist.hdi([0.5, 0.9])
    assert low.shape == high.shape == (5, 2)
    below = np.linspace(1e-9, 0.1 - 1e-9, 2001)[None]
    width = dist.isf(0.1 - below) - dist.ppf(below)
    assert ((high - low)[:, 1] <= width.min(axis=1) * (1 + 1e-9)).all()
    assert (high - low <= np.subtract(*dist.interval([0.5, 0.9])[::-1])).all()
    assert_allclose(dist.cdf(high) - dist.cdf(low), [[0.5, 0.9]] * 5, rtol=1e-9)


def test_the_densest_interval_of_counts_has_the_fewest_values():
    dist = Mixture(NegativeBinomial(), [[[1.0, 0.0], [2.0, 1.0]], [[3.0, 2.0], [3.0, 0.0]]])
    low, high = dist.hdi(0.8)
    codes = np.arange(400)
    for i in range(2):
        reached = np.concatenate([[0], np.cumsum(dist[i].pmf(codes))])
        held = reached[None, 1:] - reached[:-1, None] >= 0.8
        fewest = (codes[None] - codes[:, None])[held].min()
        assert high[i] - low[i] == fewest
        assert dist[i].cdf(high[i]) - dist[i].cdf(low[i] - 1) >= 0.8 - 1e-12


def test_ends_of_the_scale_of_confidence():
    dist = normal_mixture()
    low, high = dist.hdi(0)
    assert_array_equal(low, high)
    assert_array_equal(low, dist.mode())
    assert_array_equal(dist.hdi(1), dist.support())


@weighted
def test_the_mode_of_a_mixture_is_its_highest_peak(weighted):
    dist = normal_mixture(n=8, weighted=weighted)
    grid = np.linspace(25, 75, 200_001)[None]
    density = dist.pdf(grid)
    assert (dist.pdf(dist.mode()) >= density.max(axis=1) * (1 - 1e-12)).all()
    assert_allclose(dist.mode(), grid[0, density.argmax(axis=1)], atol=5e-4)


def test_modes_of_counts_and_of_densities_without_a_peak():
    counts = poisson_mixture(n=6)
    assert_array_equal(counts.mode(), counts.pmf(np.arange(200)[None]).argmax(axis=1))
    many = Mixture(Poisson(), np.log([[[1e6 + 0.5]]]))
    assert_array_equal(many.mode(), [1e6])
    assert_array_equal(Mixture(Exponential(), [[[0.0]]]).mode(), [0.0])
    assert_array_equal(gammas().mode()[:1], [0.0])


# --- by particle ------------------------------------------------------------------------------


def test_what_particles_say_averages_to_what_the_mixture_says():
    dist = normal_mixture(weighted=True)
    y = dist.rvs(3, random_state=0)
    assert dist.particle_sf(51.0).shape == dist.particle_median().shape == (5, 6)
    assert dist.particle_sf(y).shape == (5, 6, 3)
    for some in (51.0, y[:, 0]):
        assert_allclose((dist.particle_sf(some) * dist.weights).sum(axis=1), dist.sf(some))
        assert_allclose((dist.particle_cdf(some) * dist.weights).sum(axis=1), dist.cdf(some))
    mean = np.einsum("nmg,nm->ng", dist.particle_sf(y), dist.weights)
    assert_allclose(mean, dist.sf(y), rtol=1e-12)
    frozen, _ = scipy_normals(dist, 2)
    assert_allclose(dist.particle_median()[2], frozen.median(), rtol=1e-12)
    assert_allclose(dist.particle_ppf([[0.1, 0.9]])[2, :, 1], frozen.ppf(0.9), rtol=1e-12)
    with pytest.raises(ValueError, match="the distribution has 5 rows"):
        dist.particle_sf([1.0, 2.0])


def test_the_examples_in_docstrings_are_right():
    for module in (summaries, probabilities):
        found = doctest.testmod(module)
        assert found.attempted > 0
        assert found.failed == 0
