"""Posteriors in the compiled core: alone, and in one pass with a direction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wgboost import Categorical, Kernel, Normal, SmoothedGradient
from wgboost.directions import DiagonalNewton


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("k", [0, 2, 4])
def test_the_native_posteriors_are_those_of_the_responses(k, threads):
    rng = np.random.default_rng(k)
    n = 2100
    response = Categorical(k, prior_scale=3.0) if k else Normal(0.5, 2.0, 0.3, rng.uniform(1, 2, n))
    y = rng.integers(k, size=n).astype(float) if k else rng.normal(size=n)
    theta = rng.normal(size=(n, 5, response.n_params)).astype(np.float32)
    evidence = rng.uniform(0.1, 2, size=n)
    score, curvature = response.score_and_curvature(y, theta, evidence, threads)
    assert score.dtype == curvature.dtype == np.float32
    precise = theta.astype(np.float64)
    for ours, plain in (
        (score, response.score(y, precise, evidence)),
        (curvature, response.curvature(y, precise, evidence)),
    ):
        assert_allclose(ours, plain, rtol=1e-4, atol=1e-5 * np.abs(plain).max())


@pytest.mark.parametrize("direction", [SmoothedGradient(), DiagonalNewton(Kernel("scaled"))])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 1040), (2, 333), (3, 333), (5, 17)])
def test_one_pass_towards_a_compiled_posterior_gives_the_bits_of_two(direction, k, n):
    rng = np.random.default_rng(n)
    response = Categorical(k) if k else Normal(prior_rate=rng.uniform(1, 2, n))
    y = rng.integers(k, size=n).astype(float) if k else rng.normal(size=n)
    x = rng.normal(size=(n, 7, response.n_params)).astype(np.float32)
    metric = None
    if direction.uses_metric:
        metric = response.fisher(x.mean(axis=1)).astype(np.float32)
    score, curvature = response.score_and_curvature(y, x, 0.7)
    g, c = direction(x, score, curvature, metric, 0.1, rng)
    posterior = response.compiled(y, 0.7)
    ours, kept = np.empty_like(x), None if c is None else np.empty_like(x)
    direction.write_from_posterior(posterior, x, metric, ours, kept, 2)
    assert_array_equal(ours, g)
    if c is not None:
        assert_array_equal(kept, c)
        direction.write_from_posterior(posterior, x, metric, ours, None)
        assert_array_equal(ours, g / c)
