"""Rows of particles with scores, for tests of directions."""

import numpy as np
from hypothesis import strategies as st

from plain_directions import of_rows, plain_median
from wgboost import Kernel


@st.composite
def rows(draw):
    """(particles, score, curvature, metric or None, bandwidth), float32."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, m, d = draw(st.integers(1, 37)), draw(st.integers(1, 7)), draw(st.integers(1, 4))
    spread = draw(st.sampled_from([0.0, 0.1, 1.0, 30.0]))
    x = rng.normal(size=(n, 1, d)) + spread * rng.normal(size=(n, m, d))
    score = rng.normal(size=(n, m, d)) * draw(st.sampled_from([1.0, 1e3]))
    curvature = rng.exponential(size=(n, m, d)) + 0.01
    metric = rng.exponential(size=(n, d)) + 0.1 if draw(st.booleans()) else None
    bandwidth = draw(st.sampled_from([0.1, 2.5, "median"]))
    floats = [a if a is None else a.astype(np.float32) for a in (x, score, curvature, metric)]
    return *floats, bandwidth


def in_float64(x, metric, bandwidth):
    """Particles and metric in float64, and the bandwidth of every row."""
    n, _, d = x.shape
    x = x.astype(np.float64)
    metric = np.ones((n, d)) if metric is None else metric.astype(np.float64)
    h = of_rows(plain_median, x, metric) if bandwidth == "median" else np.full(n, bandwidth)
    return x, metric, h


def kernel_of(metric, bandwidth):
    return Kernel("gaussian" if metric is None else "scaled", bandwidth)
