"""Mixtures for the tests of predictions and of metrics, and strategies that draw them."""

import numpy as np
from hypothesis import strategies as st
from scipy import stats

from response_examples import Poisson
from wgboost.predictive import Mixture
from wgboost.responses import Categorical, Normal, Units

UNITS = Units(50.0, 4.0)


def normal_mixture(n=5, m=6, *, weighted=False, units=UNITS, spread=0.7, seed=0):
    rng = np.random.default_rng(seed)
    theta = np.stack([rng.normal(size=(n, m)), rng.normal(-0.5, spread, (n, m))], axis=-1)
    weights = rng.exponential(size=(n, m)) * 10 if weighted else None
    return Mixture(Normal(), theta, units, weights)


def categorical_mixture(n=5, m=6, k=4, *, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=(n, m)) * 10 if weighted else None
    return Mixture(Categorical(n_classes=k), rng.normal(0, 1.5, (n, m, k - 1)), None, weights)


def poisson_mixture(n=5, m=6, *, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=(n, m)) * 10 if weighted else None
    return Mixture(Poisson(), rng.normal(1.5, 0.8, (n, m, 1)), None, weights)


KINDS = {"normal": normal_mixture, "categorical": categorical_mixture, "poisson": poisson_mixture}


def shares(dist):
    n, m, _ = dist.particles.shape
    return np.full((n, m), 1 / m) if dist.weights is None else dist.weights


def scipy_normals(dist, i):
    """The components of row i in the user's units, as scipy has them, and their weights."""
    mean, log_scale = np.moveaxis(np.asarray(dist.particles[i], dtype=float), -1, 0)
    mean = dist.units.shift + dist.units.scale * mean
    return stats.norm(mean, dist.units.scale * np.exp(log_scale)), shares(dist)[i]


@st.composite
def normal_mixtures(draw, log_scales=(-20.0, 20.0)):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    middle = draw(st.floats(*log_scales))
    width = draw(st.floats(0, min(middle - log_scales[0], log_scales[1] - middle)))
    means = draw(st.sampled_from([0.0, 0.1, 1.0, 10.0])) * rng.normal(size=(n, m))
    theta = np.stack([means, middle + width * rng.uniform(-1, 1, (n, m))], axis=-1)
    weights = None
    if draw(st.booleans()):
        weights = rng.exponential(size=(n, m)) * (rng.random((n, m)) < 0.7)
        weights[:, 0] += 1e-3
    units = Units(draw(st.sampled_from([0.0, -3.0])), draw(st.sampled_from([1.0, 1e-6, 1e6])))
    return Mixture(Normal(), theta, units, weights)


@st.composite
def any_mixtures(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    settings = {"weighted": draw(st.booleans()), "seed": draw(st.integers(0, 2**32))}
    return KINDS[kind](draw(st.integers(1, 6)), draw(st.integers(1, 6)), **settings)
