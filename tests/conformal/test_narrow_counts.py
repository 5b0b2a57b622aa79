"""Tails of mixtures of large Poisson counts, against those of all components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Mixture
from wgboost.conformal.narrow_counts import mixture_tail
from wgboost.responses import as_response


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("spread", [1e-4, 1e-3, 0.02, 0.3])
@pytest.mark.parametrize("mean", [400, 6e3, 1e6, 1e12])
def test_components_that_are_left_out_do_not_matter(mean, spread, weighted, upper):
    rng = np.random.default_rng(0)
    theta = np.log(mean) + spread * rng.normal(size=(300, 8, 1))
    weights = rng.uniform(size=(300, 8)) if weighted else None
    dist = Mixture(as_response("poisson"), theta, weights=weights)
    # From the middle to far beyond the outermost components.
    y = np.round(mean + rng.uniform(-40, 40, 300) * np.sqrt(mean) * rng.uniform(size=300) ** 2)
    slow = (dist.sf if upper else dist.cdf)(np.maximum(y, 0))
    assert_allclose(mixture_tail(dist, np.maximum(y, 0), upper=upper), slow, rtol=1e-13)
