"""Where about a count ends an interval, against the ends from the tails at whole numbers."""

import numpy as np
import pytest

from wgboost import Mixture
from wgboost.conformal.count_points import count_points
from wgboost.responses import as_response


def mixture(name, centre, spread, n=50, m=6):
    rng = np.random.default_rng(0)
    theta = np.array(centre) + spread * rng.normal(size=(n, m, len(centre)))
    return Mixture(as_response(name), theta)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(
    ("name", "centre", "spread"),
    [("poisson", [6], 0.03), ("poisson", [6], 0.3), ("poisson", [14], 0.01),
     ("negative_binomial", [9, -8], 0.05), ("zero_inflated_poisson", [7, -4], 0.1)],
)  # fmt: skip
@pytest.mark.parametrize("q", [0.3, 0.04])
def test_points_of_one_distribution_are_its_quantiles(name, centre, spread, q, upper):
    dist = mixture(name, centre, spread)
    tails = [np.linspace(0.001, 0.499, 999)]
    least = int(np.searchsorted(tails[0], q)) + 1
    points = count_points([dist], tails, least, q, upper=upper)
    # The point is between the ranks of neighbours.
    near = [(dist.isf if upper else dist.ppf)(tails[0][i]) for i in (least - 2, least)]
    low, high = np.sort(near, axis=0)
    reach = 1 + 0.01 * dist.std()
    assert (points >= low - reach).all()
    assert (points <= high + reach).all()
