"""The predictive mixture far out, at awkward scales and with bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mixture_examples import (
    KINDS,
    UNITS,
    any_mixtures,
    categorical_mixture,
    normal_mixture,
    normal_mixtures,
)
from wgboost.predictive import Mixture
from wgboost.responses import Normal, Units

TAILS = (1e-300, 1e-10, 1e-6, 0.01, 0.3, 0.5)


def neighbours(dist, x):
    """x moved by rounding in standardised units, down and up."""
    ulp = np.spacing(abs(x)) + np.spacing(abs(x - dist.units.shift))
    return x - 2 * ulp, x + 2 * ulp


@given(normal_mixtures())
def test_quantiles_invert_the_cdf_from_tail_to_tail(dist):
    for p in TAILS:
        for quantile, above in ((dist.ppf(p), False), (dist.isf(p), True)):
            # Exact to the rounding of y itself: p lies between the values next to the quantile.
            down, up = neighbours(dist, quantile)
            ends = (dist.sf(up), dist.sf(down)) if above else (dist.cdf(down), dist.cdf(up))
            assert (ends[0] <= p * (1 + 1e-9)).all()
            assert (ends[1] >= p * (1 - 1e-9)).all()
        if p < 0.5:
            assert_array_equal(dist.ppf(1 - p), dist.isf(1 - (1 - p)))


@given(normal_mixtures(log_scales=(-4.0, 4.0)))
def test_quantiles_meet_their_probability_to_1e_8(dist):
    dist = Mixture(dist.response, dist.particles, Units(0.0, dist.units.scale), dist.weights)
    for q in (1e-10, 1e-4, 0.05, 0.5, 0.77, 1 - 1e-4):
        assert_allclose(dist.cdf(dist.ppf(q)), q, rtol=1e-9)
    assert_allclose(dist.sf(dist.ppf(1 - 1e-10)), 1e-10, rtol=1e-6)
    assert_allclose(dist.sf(dist.isf(1e-10)), 1e-10, rtol=1e-9)


def test_quantiles_of_distant_normals_give_no_warning():
    # Between the components the cdf is flat, and a Newton step goes out of the range of floats.
    dist = Mixture(Normal(), [[[3.3, -1.5], [-13.0, -1.5]]])
    tail = np.array([[1e-10, 1e-4, 0.05, 0.2, 0.4, 0.49]])
    for probability, quantile in ((dist.cdf, dist.ppf), (dist.sf, dist.isf)):
        assert_allclose(probability(quantile(tail)), tail, rtol=1e-9)


@given(any_mixtures(), st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_quantiles_rise_with_q(dist, q):
    quantiles = dist.ppf(np.sort(q)[None])
    slack = 1e-9 * dist.std()[:, None]
    assert (quantiles[:, 1:] >= quantiles[:, :-1] - slack).all()
    low, high = dist.interval(0.8)
    assert (low <= dist.median()).all()
    assert (dist.median() <= high).all()


@given(any_mixtures())
def test_total_uncertainty_is_aleatoric_plus_epistemic(dist):
    total = dist.entropy() if dist.response.nominal else dist.var()
    assert_allclose(dist.aleatoric() + dist.epistemic(), total, rtol=1e-9, atol=1e-12)
    assert (dist.epistemic() >= 0).all()


METHODS = ("mean", "var", "std", "median", "entropy", "aleatoric", "epistemic", "support",
           "effective_sample_size", "params")  # fmt: skip


def as_tuple(result):
    if isinstance(result, dict):
        return tuple(result.values())
    return result if isinstance(result, tuple) else (result,)


@given(any_mixtures(), st.data())
def test_slicing_commutes_with_every_method(dist, data):
    n = len(dist)
    rows = data.draw(
        st.one_of(
            st.integers(-n, n - 1),
            st.slices(n),
            st.lists(st.booleans(), min_size=n, max_size=n).map(np.array),
            st.lists(st.integers(-n, n - 1), max_size=4).map(lambda r: np.array(r, dtype=int)),
        )
    )
    part, chosen = dist[rows], np.atleast_1d(np.arange(n)[rows])
    assert len(part) == len(chosen)
    y = dist.rvs(random_state=0)
    for method in METHODS:
        for less, whole in zip(
            as_tuple(getattr(part, method)()), as_tuple(getattr(dist, method)()), strict=True
        ):
            assert_allclose(less, whole[chosen], rtol=1e-10, atol=1e-13)
    for method in ("log_likelihood", "cdf", "sf"):
        whole = getattr(dist, method)(y)
        assert_allclose(getattr(part, method)(y[chosen]), whole[chosen], rtol=1e-12)
    for method in ("ppf", "isf"):
        assert_allclose(getattr(part, method)(0.3), getattr(dist, method)(0.3)[chosen], rtol=1e-10)


def test_the_log_density_is_finite_a_thousand_scales_away():
    theta = np.array([[[0.0, -20.0], [0.1, 0.0]], [[0.0, 20.0], [0.1, -20.0]]])
    dist = Mixture(Normal(), theta, Units(2.0, 0.5))
    y = 2.0 + 0.5 * np.array([1e3, -1e3 * np.exp(20.0)])
    expected = [-0.5 * 999.9**2, -0.5e6 - 20]
    half, root = np.log(0.5), 0.5 * np.log(2 * np.pi)
    assert_allclose(dist.logpdf(y), np.array(expected) + half - root - np.log(0.5), rtol=1e-12)
    assert np.isfinite(dist.logpdf([[-1e12, 1e12, 0.0]])).all()


def test_log_scales_beyond_any_sense_do_no_harm():
    theta = np.stack([np.zeros((1, 5)), [[-1000.0, -100.0, 0.0, 100.0, 1000.0]]], axis=-1)
    for particles in (theta, theta.astype(np.float32)):
        dist = Mixture(Normal(), particles)
        y = np.array([[-1e6], [0.0], [1.0]])
        assert np.isfinite(dist.logpdf(y)).all()
        assert np.isfinite(dist.ppf(np.array([0.01, 0.5, 0.99])[:, None])).all()
        assert np.isfinite(dist.var()).all()
        assert np.isfinite(dist.entropy()).all()


def test_a_gap_in_the_middle_has_its_median_at_the_end_of_the_left_half():
    theta = np.array([[[-100.0, 0.0], [100.0, 0.0]]])
    dist = Mixture(Normal(), theta)
    assert -95 < dist.median()[0] < -90
    assert dist.cdf(dist.median())[0] >= 0.5 - 1e-15
    assert_allclose(dist.ppf(0.5 + 1e-6), 100 - 4.7, atol=0.2)


def test_ends_and_nonsense():
    dist, low = normal_mixture(), np.array([-np.inf, np.inf, np.nan, 50.0, 50.0])
    assert_array_equal(dist.ppf([0, 1, -0.1, 1.1, np.nan]), [-np.inf, np.inf, *[np.nan] * 3])
    assert_array_equal(dist.isf([0, 1, -0.1, 1.1, np.nan]), [np.inf, -np.inf, *[np.nan] * 3])
    assert_array_equal(dist.cdf(low)[:3], [0, 1, np.nan])
    assert_array_equal(dist.pdf(low)[:3], [0, 0, np.nan])
    assert_array_equal(dist.support(), [[-np.inf] * 5, [np.inf] * 5])
    classes = categorical_mixture()
    assert_array_equal(classes.ppf([0, 1, -0.1, 1.1, np.nan]), [0, 3, *[np.nan] * 3])
    assert_array_equal(classes.support(), [[0] * 5, [3] * 5])
    assert_array_equal(classes.pmf(low)[:3], [0, 0, np.nan])


def test_particles_that_are_not_finite_give_nan_and_end():
    theta = normal_mixture().particles.copy()
    theta[1, 2, 0], theta[2, 0, 1] = np.nan, np.nan
    dist = Mixture(Normal(), theta, UNITS)
    for values in (dist.ppf(0.3), dist.logpdf(50.0), dist.mean() + dist.var()):
        assert_array_equal(np.isnan(values), [False, True, True, False, False])


@pytest.mark.parametrize("kind", KINDS)
def test_values_broadcast_against_rows_on_the_first_axis(kind):
    dist = KINDS[kind]()
    y, q = dist.rvs(3, random_state=0), np.array([0.1, 0.5, 0.9])
    assert y.shape == (5, 3)
    for method in (dist.log_likelihood, dist.cdf, dist.sf):
        assert method(y[0, 0]).shape == (5,)
        assert method(y).shape == (5, 3)
        assert_allclose(method(y)[:, 1], method(y[:, 1]), rtol=1e-13)
        assert_allclose(method(y[:1]), np.transpose([method(v) for v in y[0]]), rtol=1e-13)
        assert method(y[:, None, :, None]).shape == (5, 1, 3, 1)
    assert_allclose(dist.ppf(q[None]), np.transpose([dist.ppf(v) for v in q]))
    assert dist[2].cdf(y[2]).shape == (3,)
    assert_allclose(dist[2].cdf(y[2]), dist.cdf(y)[2], rtol=1e-13)
    low, high = dist.interval(q)
    assert low.shape == high.shape == (5, 3)
    for end, one in zip(dist.interval(0.5), dist[2].interval([0.5]), strict=True):
        assert_allclose(end[2:3, None], one, rtol=1e-13)
    empty = dist[:0]
    assert empty.mean().shape == empty.ppf(0.5).shape == empty.entropy().shape == (0,)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_give_what_one_piece_gives(kind, monkeypatch):
    dist = KINDS[kind](n=7, weighted=True)
    y = dist.rvs(5, random_state=0)

    def everything():
        q = np.array([[0.2, 0.9]])
        yield from (dist.log_likelihood(y), dist.cdf(y), dist.ppf(q), dist.isf(q))
        yield from (dist.mean(), dist.var(), dist.entropy(), dist.aleatoric(), dist.epistemic())

    whole = list(everything())
    monkeypatch.setattr("wgboost.predictive.blocks.BLOCK", 8)
    for piecewise, expected in zip(everything(), whole, strict=True):
        assert_allclose(piecewise, expected, rtol=1e-12)
