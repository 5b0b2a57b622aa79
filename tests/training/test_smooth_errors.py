"""The expected squared error of models with a smooth start, against data of known truth."""

import numpy as np
import pytest

from wgboost import WGBRegressor, WGBRegressorCV, load
from wgboost.boosting.simulated_errors import SimulatedErrors
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.smooth import SmoothStart
from wgboost.smooth.exact_gp import ExactGP
from wgboost.smooth.gp_model import GPData, fit_gp
from wgboost.smooth.refitted_process import RefittedProcess
from wgboost.training.smooth_errors import errors_with_trees, variance_of_process

FEW = {"n_estimators": 20, "early_stopping": False, "random_state": 0, "n_jobs": 1}


def made(n, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 4))
    mean = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3])
    return X, mean, mean + noise * rng.standard_normal(n)


def test_functions_of_the_process_itself_are_missed_by_its_variance():
    X, _, y = made(150, noise=0.2)
    data = GPData.of(X, y, None, None)
    gp, _ = fit_gp(SmoothStart(), data, np.zeros(4, dtype=int), np.random.default_rng(0))
    process, covariance = RefittedProcess.of(gp, data, np.random.default_rng(0)), gp.covariance
    points, terms, _ = covariance.kernel_inputs(X)
    prior = covariance.between(points, points) + terms @ terms.T + 1e-9 * np.eye(150)
    rng = np.random.default_rng(1)
    draws = np.linalg.cholesky(prior) @ rng.standard_normal((150, 200))
    truth = gp.units.restore(draws)[:, :, None]
    noise = np.full((150, 1), covariance.noise * gp.units.scale**2)
    simulation = SimulatedErrors(Features.from_raw(X, bins=255), HistTree(), 0, 0.1)
    squared = errors_with_trees(process, simulation, truth, noise, rng)
    # 40 of the draws leave a row out of the trees, of which there are none.
    exact = ExactGP.fit(covariance, X, gp.units.standardise(y), np.full(150, covariance.noise))
    left_out = exact.leave_one_out(covariance, X, gp.units.standardise(y), covariance.noise)[1]
    assert squared.mean() == pytest.approx(left_out.mean() * gp.units.scale**2, rel=0.1)
    share = variance_of_process(process, sampled=False).mean() / gp.scale.share
    assert share == pytest.approx(squared.mean(), rel=0.1)


def test_the_error_of_the_mean_is_about_the_true_one():
    ratios, covered, noises = [], [], []
    for seed in range(4):
        X, _, y = made(250, seed)
        model = WGBRegressor(init="smooth", n_jobs=1, random_state=seed).fit(X, y)
        new, mean, _ = made(1000, seed + 100)
        dist = model.predict_dist(new)
        error = np.abs(dist.mean() - mean)
        ratios.append(dist.epistemic().mean() / np.square(error).mean())
        covered.append(np.mean(error < 1.645 * np.sqrt(dist.epistemic())))
        noises.append(np.sqrt(dist.aleatoric()).mean() / 0.5)
    assert 0.6 < np.mean(ratios) < 2
    assert 0.8 < np.mean(covered) < 0.97
    assert 0.85 < np.mean(noises) < 1.15


def test_noise_that_varies_is_not_an_error_of_the_process():
    X, mean, _ = made(1000)
    y = mean + 0.5 * np.exp(X[:, 1]) * np.random.default_rng(1).standard_normal(1000)
    model = WGBRegressor(init="smooth", n_jobs=1, random_state=0).fit(X, y)
    new, mean, _ = made(1000, 7)
    dist, gp = model.predict_dist(new), model.model_.start.gp
    squared = np.square(dist.mean() - mean).mean()
    process = gp.function_variance(gp.at(new)).mean() * dist.units.scale**2
    assert 0.5 < dist.epistemic().mean() / squared < 3 < process / squared


def test_the_error_grows_in_a_gap_and_beyond_the_data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    X[:, 0] += np.where(X[:, 0] < 0, -0.5, 0.5)
    y = np.sin(3 * X[:, 0]) + X[:, 1] / 2 + 0.1 * rng.standard_normal(400)
    model = WGBRegressor(init="smooth", n_jobs=1, random_state=0).fit(X, y)
    side = rng.uniform(-1, 1, 200)
    usual = model.predict_uncertainty(X)["epistemic"].mean()
    for first in (0.0, 3.0, -4.0):
        dist = model.predict_dist(np.column_stack([np.full(200, first), side]))
        error = np.abs(dist.mean() - (np.sin(3 * first) + side / 2))
        assert dist.epistemic().mean() > 5 * usual
        assert np.mean(error < 1.645 * np.sqrt(dist.epistemic())) > 0.75
        assert 0.07 < np.sqrt(dist.aleatoric()).mean() < 0.15


def test_a_model_of_the_process_alone_has_an_error_of_its_own():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(200)
    model = WGBRegressor(init="smooth", random_state=0, n_jobs=1).fit(X, y)
    assert model.n_estimators_ == 0
    error = model.predict_uncertainty(X)["epistemic"].mean()
    assert 0.2 < error / np.square(model.predict(X) - X[:, 0]).mean() < 5


def test_the_error_is_that_of_all_rows_where_a_sample_is_simulated():
    errors = []
    for n in (1500, 8000):
        X, mean, y = made(n)
        start = SmoothStart(exact_rows=1000, landmarks=200, tuning_rows=200)
        model = WGBRegressor(init=start, evidence=10, **FEW).fit(X, y)
        new, mean, _ = made(1000, 7)
        dist = model.predict_dist(new)
        errors.append(dist.epistemic().mean())
        assert 0.4 < errors[-1] / np.square(dist.mean() - mean).mean() < 4
    assert errors[0] > 1.5 * errors[1]


def test_a_file_has_the_error_and_a_bag_that_of_its_members(tmp_path):
    X, _, y = made(150)
    model = WGBRegressor(init="smooth", **FEW).fit(X, y)
    model.save(tmp_path / "model.wgb")
    found, again = (one.predict_dist(X) for one in (model, load(tmp_path / "model.wgb")))
    np.testing.assert_array_equal(found.epistemic(), again.epistemic())
    assert not np.allclose(found.error, model.predict_dist(X, n_rounds=19).error, rtol=0.02)
    bag = WGBRegressorCV([{"init": "smooth"}], cv=3, random_state=0, n_jobs=1).fit(X, y).model_
    assert all(one.errors is not None for one in bag.models)


@pytest.mark.parametrize("response", ["lognormal", "student_t", "gumbel"])
def test_bands_of_other_responses_have_the_mean(response):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 3))
    mean = np.exp(np.sin(3 * X[:, 0]) + X[:, 1] / 2)
    y = mean * rng.gamma(4.0, 0.25, 500)
    model = WGBRegressor(response=response, init="smooth", n_jobs=1, random_state=0).fit(X, y)
    new = rng.uniform(-1, 1, (1000, 3))
    low, high = model.predict_band(new).T
    true = np.exp(np.sin(3 * new[:, 0]) + new[:, 1] / 2)
    assert 0.7 < np.mean((low < true) & (true < high)) <= 1
    assert np.mean(high - low) < true.mean()


def test_the_error_is_the_same_on_any_number_of_threads():
    X, _, y = made(120)
    models = [WGBRegressor(init="smooth", **{**FEW, "n_jobs": jobs}).fit(X, y) for jobs in (1, 2)]
    first, second = (one.predict_dist(X).epistemic() for one in models)
    np.testing.assert_array_equal(first, second)
