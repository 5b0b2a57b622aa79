"""The directions against slow twins written from the formulas."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from direction_examples import in_float64, kernel_of, rows
from plain_directions import (
    of_rows,
    plain_curvature,
    plain_gradient,
    plain_guard,
)
from wgboost import Kernel, Langevin, Normal, SmoothedGradient
from wgboost.directions import DiagonalNewton, FullNewton, as_direction

RNG = np.random.default_rng(0)


def close(ours, twin, size):
    """Equal as far as float32 goes: a distance near 0 or far away carries its rounding into k."""
    assert_allclose(ours, twin, rtol=2e-3, atol=1e-3 * max(1.0, np.abs(twin).max()))
    assert np.median(np.abs(ours - twin) / (np.abs(twin) + 1e-3 * np.abs(size).max())) < 1e-4


@given(rows())
def test_the_smoothed_gradient_is_that_of_the_formula(made):
    x, score, _, metric, bandwidth = made
    g, c = SmoothedGradient(kernel_of(metric, bandwidth))(x, score, None, metric, 0.1, RNG)
    assert c is None
    x64, scale, h = in_float64(x, metric, bandwidth)
    close(g, of_rows(plain_gradient, x64, score.astype(float), h, scale), score)


@given(rows())
def test_diagonal_newton_is_smoothed_gradient_over_smoothed_curvature(made):
    x, score, curvature, metric, bandwidth = made
    kernel = kernel_of(metric, bandwidth)
    g, c = DiagonalNewton(kernel)(x, score, curvature, metric, 0.1, RNG)
    same, _ = SmoothedGradient(kernel)(x, score, None, metric, 0.1, RNG)
    assert_allclose(g, same, rtol=1e-5, atol=1e-5 * np.abs(score).max())
    x64, scale, h = in_float64(x, metric, bandwidth)
    assert g.dtype == c.dtype == np.float32
    close(c, of_rows(plain_curvature, x64, curvature.astype(float), h, scale), curvature)


def test_langevin_adds_noise_that_the_rate_turns_into_a_langevin_step():
    score = np.random.default_rng(1).normal(size=(300, 8, 2)).astype(np.float32)
    rate = 0.02
    g, c = Langevin()(score, score, None, None, rate, np.random.default_rng(5))
    assert c is None
    noise = np.random.default_rng(5).standard_normal(score.shape, dtype=np.float32)
    assert_allclose(g, score + np.sqrt(2 / rate) * noise, rtol=1e-5, atol=1e-5)
    assert_allclose(np.var(rate * (g - score)), 2 * rate, rtol=0.05)


def test_vanishing_or_negative_curvature_is_guarded_and_healthy_values_are_untouched():
    # Far apart, so that c_j is curvature_j / m.
    x = 100 * np.arange(5, dtype=np.float32).reshape(1, 5, 1)
    curvature = np.array([4.0, 1e-8, 0.0, -2.0, 1e-15], dtype=np.float32).reshape(1, 5, 1)
    _, c = DiagonalNewton()(x, np.ones_like(x), curvature, None, 0.1, RNG)
    assert_allclose(c[0, :, 0], [0.8, 2e-9, 4e-6, 0.4, 4e-6], rtol=1e-5)
    one = np.ones(1)
    plain = plain_curvature(x[0].astype(float), curvature[0].astype(float), 0.1, one)
    assert_allclose(c[0], plain_guard(plain, curvature[0]), rtol=1e-5)
    for nothing in (0.0, 1e-14):
        _, c = DiagonalNewton()(x, np.ones_like(x), np.full_like(x, nothing), None, 0.1, RNG)
        assert_array_equal(c, 1.0)
    # A particle with a tiny scale does not slow its neighbours down.
    x = np.array([[[0.0, 0.0], [0.0, -14.0]]], dtype=np.float32)
    score, curvature = Normal().score_and_curvature(np.ones(1), x)
    _, c = DiagonalNewton()(x, score, curvature, None, 0.1, RNG)
    assert_allclose(c[0, 0, 0], 1.01 / 2, rtol=1e-4)


@pytest.mark.parametrize("direction", [SmoothedGradient(), DiagonalNewton()])
@pytest.mark.parametrize("n", [1, 15, 16, 17, 1023, 1025, 3001])
def test_directions_do_not_depend_on_the_number_of_threads(direction, n):
    rng = np.random.default_rng(n)
    x, score, curvature = rng.normal(size=(3, n, 6, 2)).astype(np.float32)
    one = direction(x, score, np.abs(curvature), None, 0.1, rng, 1)
    two = direction(x, score, np.abs(curvature), None, 0.1, rng, 2)
    for a, b in zip(one, two, strict=True):
        assert (a is None and b is None) or a.tobytes() == b.tobytes()


def test_a_row_does_not_depend_on_its_neighbours():
    rng = np.random.default_rng(3)
    x, score, curvature = rng.normal(size=(3, 50, 4, 2)).astype(np.float32)
    together, _ = DiagonalNewton()(x, score, np.abs(curvature), None, 0.1, rng)
    alone, _ = DiagonalNewton()(x[37:38], score[37:38], np.abs(curvature[37:38]), None, 0.1, rng)
    assert together[37:38].tobytes() == alone.tobytes()


def test_repulsion_keeps_the_spread_that_the_attractive_sign_would_lose():
    spread = {}
    for sign in (1.0, -1.0):
        x = np.random.default_rng(4).normal(0, 0.5, size=(10, 1))
        for _ in range(600):
            x = x + 0.1 * plain_gradient(x, -x / 0.25, 0.1, np.ones(1), sign)
        spread[sign] = x.std() / 0.5
    assert spread[-1.0] < 0.01
    assert spread[1.0] > 0.85
    ours = np.random.default_rng(4).normal(0, 0.5, size=(1, 10, 1)).astype(np.float32)
    for _ in range(600):
        ours = ours + np.float32(0.1) * SmoothedGradient()(ours, -4 * ours, None, None, 1, RNG)[0]
    assert_allclose(ours.std() / 0.5, spread[1.0], atol=1e-3)


def test_a_function_is_a_direction():
    x = np.ones((3, 4, 2), dtype=np.float32)
    g, c = as_direction(lambda p, score, *_: score - p)(x, 3 * x, x, None, 0.1, RNG)
    assert c is None
    assert_array_equal(g, 2 * x)
    g, c = as_direction(lambda _, s, second, *__: (s, 2.0 * second))(x, x, x, None, 0.1, RNG)
    assert c.dtype == np.float32
    assert_array_equal(c, 2 * x)


@pytest.mark.parametrize(
    ("function", "name"),
    [(lambda p, *_: p[:, :1], "g"), (lambda p, *_: (p, p[..., 0]), "c")],
)
def test_a_function_that_returns_the_wrong_shape_is_told_the_right_one(function, name):
    x = np.ones((3, 4, 2), dtype=np.float32)
    with pytest.raises(ValueError, match=rf"direction's {name} has shape .*\(3, 4, 2\), is needed"):
        as_direction(function)(x, x, x, None, 0.1, RNG)


@pytest.mark.parametrize(
    ("direction", "error", "message"),
    [
        ("diagonal-newton", ValueError, "did you mean 'diagonal_newton'"),
        (DiagonalNewton, TypeError, r"give an object: DiagonalNewton\(\)"),
        (3, TypeError, "direction=3 must be one of 'smoothed'"),
        (None, TypeError, "direction=None must be one of"),
    ],
)
def test_what_is_no_direction_is_refused(direction, error, message):
    with pytest.raises(error, match=message):
        as_direction(direction)


def test_shorthands_take_the_kernel_and_objects_keep_their_own():
    kernel = Kernel("scaled", 2.0)
    assert as_direction("full_newton", kernel) == FullNewton(kernel)
    assert as_direction(DiagonalNewton(), kernel) == DiagonalNewton()
    assert as_direction("langevin", kernel) == Langevin()
