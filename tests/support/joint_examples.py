"""Mixtures of multivariate normals, and their components as scipy has them."""

import numpy as np
from scipy import stats

from response_examples import example
from wgboost.predictive import JointMixture
from wgboost.responses import ColumnUnits

CASE = example("multivariate_normal")
UNITS = ColumnUnits([50.0, -3.0, 0.0], [4.0, 0.5, 20.0])


def joint(*, weighted=False, units=UNITS, particles=None):
    weights = np.random.default_rng(1).exponential(size=(6, 4)) if weighted else None
    particles = CASE.theta if particles is None else particles
    return JointMixture(CASE.response, particles, units, weights)


def components(dist, i):
    """The components of row i in the user's units, as scipy has them, and their weights."""
    scale = np.diag(dist.units.scale)
    share = np.full(4, 0.25) if dist.weights is None else dist.weights[i]
    frozen = [CASE.scipy(theta) for theta in dist.particles[i]]
    return [
        stats.multivariate_normal(dist.units.restore(one.mean), scale @ one.cov @ scale)
        for one in frozen
    ], share
