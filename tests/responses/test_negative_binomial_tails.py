"""Tails of large negative binomial counts, and of gamma responses of small shapes, by mpmath."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from wgboost.responses import NegativeBinomial
from wgboost.responses.incomplete_gamma import inverse_lower_gamma, lower_gamma, upper_gamma
from wgboost.responses.negative_binomial_tails import lower_tail, tail_and_slope, upper_tail


def exact_tails(y, mean, dispersion):
    with mp.workdps(50):
        y, mean, a = (mp.mpf(float(one)) for one in (y, mean, dispersion))
        ratio, r = a * mean / (1 + a * mean), 1 / a
        below = mp.betainc(r, y + 1, 0, 1 - ratio, regularized=True)
        return float(below), float(mp.betainc(y + 1, r, 0, ratio, regularized=True))


@pytest.mark.parametrize("q", [1e-6, 0.05, 0.5, 0.95, 1 - 1e-6])
@pytest.mark.parametrize("r", [0.05, 0.5, 1.0, 1.65, 5.0, 20.0, 50.0, 150.0])
@pytest.mark.parametrize("mean", [300.0, 4000.0, 1e5])
def test_tails_of_large_counts_are_those_of_mpmath(mean, r, q):
    y = np.floor(mean * special.gammaincinv(r, q) / r)
    below, above = exact_tails(y, mean, 1 / r)
    assert_allclose(lower_tail(y, mean, 1 / r), below, rtol=2e-13)
    assert_allclose(upper_tail(y, mean, 1 / r), above, rtol=2e-13)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("r", [0.5, 1.65, 20.0])
@pytest.mark.parametrize("mean", [4000.0, 1e5])
def test_slopes_of_tails_are_their_finite_differences(mean, r, upper):
    y, h = mean * np.linspace(0.2, 3, 30), mean * 1e-4
    at = [tail_and_slope(y + k * h, mean, 1 / r, upper=upper)[0] for k in (-2, -1, 1, 2)]
    expected = np.abs(at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
    slope = tail_and_slope(y, mean, 1 / r, upper=upper)[1]
    known = ~np.isnan(slope)
    assert known.sum() > 5
    assert_allclose(slope[known], expected[known], rtol=1e-8, atol=1e-9 * expected.max())
    # Negative binomial counts fill the rest with the mass between counts.
    theta = np.log([mean, 1 / r])
    filled = NegativeBinomial().tail_and_slope(y, theta, upper=upper)[1]
    assert_allclose(filled, expected, rtol=1e-4, atol=1e-9 * expected.max())


def test_tails_of_one_array_are_those_of_its_parts():
    y, mean = np.array([[0.0], [10.0], [255.0], [256.0], [5000.0], [1e9], [1e300]]), 1000.0
    a = np.array([1e-9, 1e-3, 0.1, 1.0, 30.0])
    for tail in (lower_tail, upper_tail):
        whole = tail(y, mean, a)
        parts = [[tail(one, mean, each) for each in a] for one in y[:, 0]]
        assert_allclose(whole, parts, rtol=1e-13, atol=1e-300)
        assert ((whole >= 0) & (whole <= 1)).all()


@pytest.mark.parametrize("shape", [1e-3, 0.05, 0.13, 0.5, 0.999, 1.05, 1.5])
def test_tails_of_small_shapes_are_those_of_mpmath(shape):
    x = np.array([1e-12, 1e-3, 0.2, 0.5, 0.9, 1.0, 1.001, 1.05, 1.1, 1.2, 5.0, 40.0])
    above = [float(mp.gammainc(shape, one, mp.inf, regularized=True)) for one in x]
    below = [float(mp.gammainc(shape, 0, one, regularized=True)) for one in x]
    assert_allclose(upper_gamma(np.array(shape), x), above, rtol=5e-14)
    assert_allclose(lower_gamma(np.array(shape), x), below, rtol=5e-14)


@pytest.mark.parametrize("shape", [2.5e3, 1e6, 1e9])
@pytest.mark.parametrize("q", [1e-12, 2e-6, 1e-4, 0.3])
def test_quantiles_of_gamma_far_below_a_large_shape(shape, q):
    x = float(inverse_lower_gamma(np.array(shape), np.array(q)))
    tail = float(lower_gamma(np.array([shape]), np.array([x]))[0])
    if shape < 1e8:
        with mp.workdps(40):
            tail = float(mp.gammainc(shape, 0, x, regularized=True))
    spacing = np.spacing(x) * np.sqrt(1 / shape) * 20  # of the probability, relative
    assert abs(tail / q - 1) < 1e-9 + spacing
