"""The full Newton direction against a slow twin written from the formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from direction_examples import in_float64, kernel_of, rows
from plain_directions import of_rows, plain_full_newton, plain_gradient, plain_kernel
from wgboost import Categorical, Kernel, Normal
from wgboost.directions import FullNewton

RNG = np.random.default_rng(0)


@given(rows(), st.booleans())
@settings(max_examples=40)
def test_full_newton_solves_the_system_of_the_formula(made, concave):
    x, score, _, metric, bandwidth = made
    x = x + np.float32(0.5) * np.arange(x.shape[1], dtype=np.float32)[None, :, None]
    n, m, d = x.shape
    root = np.random.default_rng(n).normal(size=(n, m, d, d))
    turned = np.swapaxes(root, 2, 3)
    hessian = -root @ turned - np.eye(d) if concave else root + turned
    hessian = hessian.astype(np.float32)
    g, c = FullNewton(kernel_of(metric, bandwidth))(x, score, hessian, metric, 0.1, RNG)
    assert c is None
    x64, scale, h = in_float64(x, metric, bandwidth)
    twin = of_rows(plain_full_newton, x64, score.astype(float), hessian.astype(float), h, scale)
    assert_allclose(g, twin, rtol=1e-3, atol=1e-4 * np.abs(twin).max())


def test_full_newton_of_a_concave_log_density_is_the_bare_formula():
    response, rng = Categorical(3), np.random.default_rng(6)
    x = rng.normal(size=(20, 6, 2)).astype(np.float32).astype(np.float64)
    y = rng.integers(3, size=20).astype(float)
    score, hessian = response.score(y, x), response.hessian(y, x)
    g, _ = FullNewton(Kernel(bandwidth=0.5))(x, score, hessian, None, 0.1, RNG)
    for i in range(20):
        bare = plain_full_newton(x[i], score[i], hessian[i], 0.5, np.ones(2), guarded=False)
        assert_allclose(g[i], bare, rtol=1e-6, atol=1e-9)


def test_full_newton_descends_where_the_log_density_is_not_concave():
    response, rng = Normal(), np.random.default_rng(6)
    x, y = rng.normal(size=(50, 6, 2)), rng.normal(size=50)
    score, hessian = response.score(y, x), response.hessian(y, x)
    assert (np.linalg.eigvalsh(hessian).max(axis=-1) > 0).mean() > 0.9
    g, _ = FullNewton()(x, score, hessian, None, 0.1, RNG)
    for i in range(50):
        k, _ = plain_kernel(x[i], 0.1, np.ones(2))
        gradient = plain_gradient(x[i], score[i], 0.1, np.ones(2))
        assert np.sum(np.linalg.solve(k, g[i]) * gradient) > 0


def test_full_newton_of_a_single_particle_is_newtons_method():
    hessian = np.array([[[[-4.0, 1.0], [1.0, -2.0]]]], dtype=np.float32)
    score = np.array([[[1.0, 3.0]]], dtype=np.float32)
    g, _ = FullNewton(ridge=0.0)(np.zeros_like(score), score, hessian, None, 0.1, RNG)
    assert_allclose(g[0, 0], np.linalg.solve(-hessian[0, 0], score[0, 0]), rtol=1e-6)


def test_full_newton_asks_for_the_hessian():
    x = np.zeros((2, 3, 1), dtype=np.float32)
    with pytest.raises(ValueError, match="needs the Hessian"):
        FullNewton()(x, x, x, None, 0.1, RNG)


def test_full_newton_stays_finite_where_particles_coincide():
    x = np.zeros((4, 5, 2), dtype=np.float32)
    hessian = np.broadcast_to(-np.eye(2, dtype=np.float32), (4, 5, 2, 2))
    g, _ = FullNewton(ridge=1e-6)(x, np.ones_like(x), hessian, None, 0.1, RNG)
    assert_allclose(g, 1.0, rtol=1e-4)
    g, _ = FullNewton()(x, np.ones_like(x), 0 * hessian, None, 0.1, RNG)
    assert_allclose(g, 5.0, rtol=1e-4)  # no curvature at all counts as 1: K g


def test_full_newton_treats_parameters_of_different_scales_alike():
    score = np.array([[[0.0, -5.0]]], dtype=np.float32)
    hessian = np.array([[[[-1e6, 0.0], [0.0, -1.0]]]], dtype=np.float32)
    g, _ = FullNewton()(np.array([[[0.0, 5.0]]], np.float32), score, hessian, None, 0.1, RNG)
    assert_allclose(g[0, 0], [0, -5], rtol=0.02)
    hessian[0, 0] = np.diag([-1e8, 50.0])
    g, _ = FullNewton(ridge=1e-12)(np.zeros((1, 1, 2), np.float32), -score, hessian, None, 0.1, RNG)
    assert g[0, 0, 1] > 0
