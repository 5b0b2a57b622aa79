"""A process that is fitted to other values of y, against processes that lack a row."""

import numpy as np
import pytest

from wgboost.smooth import SmoothStart
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.gp_model import GPData, fit_gp
from wgboost.smooth.nystrom_gp import NystromGP
from wgboost.smooth.refitted_process import RefittedProcess


def made(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)


def refitted(settings, weight=None, noise=None, n=60):
    X, y = made(n)
    data = GPData.of(X, y, weight, noise, merge=False)
    gp, _ = fit_gp(settings, data, np.zeros(2, dtype=int), np.random.default_rng(0))
    return RefittedProcess.of(gp, data, np.random.default_rng(1))


@pytest.mark.parametrize("known", [None, 0.3])
def test_an_exact_process_is_the_one_of_the_other_rows(known):
    weight = np.random.default_rng(2).uniform(0.5, 2, 60)
    process = refitted(SmoothStart(), weight, None if known is None else np.full(60, known))
    gp, rows, others = process.gp, process.rows, made(seed=5)[1][:, None]
    noise = (gp.covariance.noise + rows.known / gp.units.scale**2) / rows.weight
    found, standard = process.left_out(others)[:, 0], gp.units.standardise(others[:, 0])
    for i in (0, 7, 59):
        rest = np.arange(60) != i
        one = ExactGP.fit(gp.covariance, rows.X[rest], standard[rest], noise[rest])
        mean, variance = one.at(gp.covariance, rows.X[[i]])
        assert found[i] == pytest.approx(gp.units.restore(mean)[0], rel=1e-8)
        assert process.variance[i] == pytest.approx(variance[0], rel=1e-6)


def test_an_approximate_process_is_the_ridge_regression_of_the_other_rows():
    process = refitted(SmoothStart(exact_rows=20, landmarks=15))
    gp, rows, others = process.gp, process.rows, made(seed=5)[1]
    assert isinstance(gp.regression, NystromGP)
    features, standard = process.features, gp.units.standardise(others)
    found = process.left_out(others[:, None])[:, 0]
    for i in (0, 7, 59):
        rest = np.arange(60) != i
        some = features[:, rest] * np.sqrt(rows.weight[rest])
        system = some @ some.T + gp.covariance.noise * np.eye(len(features))
        moments = some @ (np.sqrt(rows.weight[rest]) * standard[rest])
        mean = features[:, i] @ np.linalg.solve(system, moments)
        assert found[i] == pytest.approx(gp.units.restore(mean), rel=1e-6)


@pytest.mark.parametrize("settings", [SmoothStart(), SmoothStart(exact_rows=20, landmarks=50)])
def test_the_shift_is_that_of_the_training_rows(settings):
    X, y = made()
    data = GPData.of(X, y, None, None)
    gp, shift = fit_gp(settings, data, np.zeros(2, dtype=int), np.random.default_rng(0))
    again = RefittedProcess.of(gp, data, np.random.default_rng(1)).shift()
    exact = settings.exact_rows > len(y)  # else other landmarks are drawn
    np.testing.assert_allclose(again.location, shift.location, atol=1e-8 if exact else 0.1)
    np.testing.assert_allclose(again.log_scale, shift.log_scale, atol=1e-8 if exact else 0.1)


def test_copies_are_rows_of_their_own():
    X, y = made()
    twice = np.r_[X, X], np.r_[y, y]
    assert len(GPData.of(*twice, None, None).y) == 60
    assert len(GPData.of(*twice, None, None, merge=False).y) == 120
