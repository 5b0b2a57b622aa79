"""The common parameters of truncated rows, found from far along the ridge of their likelihood."""

import numpy as np
import pytest
from scipy import optimize

from wgboost import censored
from wgboost.boosting.mean_step import MeanStep, likeliest_centre
from wgboost.responses import as_response
from wgboost.responses.observations import Observations


def truncated(cut, n=400):
    z = np.random.default_rng(0).normal(size=4 * n)
    y = z[z > cut][:n]
    return Observations.of(censored(y, y, above=cut))


@pytest.mark.parametrize("cut", [-1.0, 0.0])
@pytest.mark.parametrize("start", [[-3.0, 0.75], [-5.0, 1.0], [2.0, -1.0], [0.0, 2.0]])
def test_the_likeliest_centre_is_found_from_far_along_the_ridge(cut, start):
    response, y = as_response("normal"), truncated(cut)
    step = MeanStep(response, y, 10.0)

    def loss(theta):
        rows = np.broadcast_to(theta, (len(y), 1, 2))
        return -(10 * y.logpdf(response, rows) + response.log_prior(rows)).mean()

    best = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", tol=1e-9).x
    found = likeliest_centre(step, np.array(start))
    np.testing.assert_allclose(found, best, atol=1e-3)


def test_a_long_step_keeps_its_direction():
    step = MeanStep(as_response("normal"), truncated(0.0), 10.0)
    centre = np.broadcast_to([-3.0, 0.75], (400, 2))
    taken = step(centre)
    assert np.abs(taken).max() <= 1
    score = step.y.score(step.response, centre[:, None])[:, 0].sum(axis=0)
    assert taken @ score > 0
