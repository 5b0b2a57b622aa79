"""Expectations of functions that jump where nobody says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from wgboost import Mixture, Normal


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0])
def test_a_jump_that_is_not_named_costs_little_precision(spread):
    """However many particles there are, and most of all where they agree."""
    for m, bound in ((1, 0.002), (10, 0.0065), (30, 0.005)):
        rng = np.random.default_rng(m)
        theta = rng.normal(size=(30, m, 2)) * [spread, 0.3 * spread]
        dist = Mixture(Normal(), theta)
        for value in np.linspace(-1.5, 1.5, 21):
            jump = dist.expect(lambda y, v=value: y > v)
            assert_allclose(jump, dist.sf(np.full(30, value)), atol=bound)
