"""A smooth function with a scale: what it says of new rows, and of its own when left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from threadpoolctl import threadpool_info, threadpool_limits

from wgboost.smooth import SmoothStart
from wgboost.smooth.blas import one_thread
from wgboost.smooth.gp_model import GPData, fit_gp
from wgboost.smooth.scale import Scale, constant_density

SETTINGS = {
    "exact": SmoothStart(kernel="matern52", scaling="standard"),
    "landmarks": SmoothStart(60, 50, 100, kernel="rbf", scaling="between"),
}
NUMBERS = np.zeros(3, dtype=int)


def made(n, seed=0, scale=0.2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + scale * rng.normal(size=n)


def fitted(X, y, weight=None, noise=None, settings=SETTINGS["exact"], **options):
    rows, rng = GPData.of(X, y, weight, noise), np.random.default_rng(1)
    return fit_gp(settings, rows, NUMBERS, rng, **options)


@pytest.mark.parametrize("name", SETTINGS)
def test_residuals_have_a_scale_of_one_left_out_or_new(name):
    (X, y), (new, y_new) = made(200), made(2000, seed=1)
    gp, shift = fitted(X, y, settings=SETTINGS[name])
    own = (y - shift.location) / np.exp(shift.log_scale)
    there = gp.at(new)
    others = (y_new - there.location) / np.exp(there.log_scale)
    assert abs(np.square(own).mean() - 1) < 0.1
    assert abs(np.square(others).mean() - 1) < 0.2
    assert np.square(y_new - there.location).mean() < 0.08 * y_new.var()
    assert abs(np.median(np.exp(there.log_scale)) - 0.22) < 0.05
    assert gp.at(3 * new).log_scale.mean() > there.log_scale.mean() + 0.5


@pytest.mark.parametrize("name", SETTINGS)
def test_leave_one_out_of_a_fitted_model_is_that_of_the_fit(name):
    X, y = made(120)
    weight = np.random.default_rng(0).uniform(0.5, 2, size=120)
    gp, shift = fitted(X, y, weight, settings=SETTINGS[name])
    again = gp.leave_one_out(GPData.of(X, y, weight, None))
    assert_array_equal(again.location, shift.location)
    assert_array_equal(again.log_scale, shift.log_scale)


def test_units_of_y_do_not_matter():
    X, y = made(150)
    one, shift = fitted(X, y)
    other, moved = fitted(X, 1e6 * y - 3e7)
    assert_allclose(moved.location, 1e6 * shift.location - 3e7, rtol=1e-6)
    assert_allclose(moved.log_scale, shift.log_scale + np.log(1e6), atol=1e-4)
    assert_allclose(other.at(X).location, 1e6 * one.at(X).location - 3e7, rtol=1e-6)


def test_pure_noise_gets_no_gaussian_process():
    rng = np.random.default_rng(0)
    assert [fitted(rng.normal(size=(80, 3)), rng.normal(size=80)) for _ in range(5)] == [None] * 5
    assert fitted(np.ones((50, 3)), rng.normal(size=50)) is None  # nothing varies
    assert fitted(*made(9)) is None
    assert fitted(made(50)[0], np.full(50, 3.0)) is None


@pytest.mark.parametrize("uneven", [False, True])
def test_known_errors_are_not_fitted_by_a_gaussian_process(uneven):
    rng = np.random.default_rng(0)
    X, error = rng.uniform(-1, 1, size=(150, 3)), np.full(150, 0.7)
    if uneven:
        error = rng.uniform(0.1, 3, size=150)
    y = 0.2 * rng.normal(size=150) + error * rng.normal(size=150)
    assert fitted(X, y, noise=error) is None
    gp, _ = fitted(X, y + 3 * np.sin(3 * X[:, 0]), noise=error)
    assert gp.scale.noise > 0


def test_the_best_constant_accounts_for_known_errors():
    rng = np.random.default_rng(1)
    known, weight = rng.uniform(0, 2, size=400), rng.uniform(0.5, 2, size=400)
    y = 0.4 + np.sqrt(0.3 + known) * rng.normal(size=400)

    def loss(values):
        variance = np.exp(values[1]) + known
        return weight @ (0.5 * np.log(2 * np.pi * variance) + (y - values[0]) ** 2 / variance / 2)

    best = minimize(loss, [0.0, 0.0]).fun
    assert_allclose(-weight @ constant_density(y, weight, known), best, rtol=1e-9)
    plain = (y - y.mean()) / y.std()
    of_unit = -0.5 * (np.log(2 * np.pi) + plain**2)
    assert_allclose(constant_density(plain, np.ones(400), np.zeros(400)), of_unit)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_trend_does_not_end_where_the_training_rows_do(name):
    X, new = made(150)[0], made(400, seed=1)[0]
    slopes = np.array([1.0, 2.0, 3.0])
    y = X @ slopes + 0.001 * np.random.default_rng(0).normal(size=150)
    beyond = ((new < X.min(axis=0)) | (new > X.max(axis=0))).any(axis=1)
    assert 5 < beyond.sum() < 50
    gp = fitted(X, y, settings=SETTINGS[name])[0]
    there = gp.at(new[beyond])
    away = (new[beyond] @ slopes - there.location) / np.exp(there.log_scale)
    assert np.square(away).mean() < 1.5
    further = [gp.at(by * np.ones((1, 3))).log_scale[0] for by in (1, 3, 30, 1e9)]
    assert (np.diff(further) > 0.5).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_number_missing_only_in_new_rows_increases_the_scale(name):
    X, y = made(200)
    gp = fitted(X, y, settings=SETTINGS[name])[0]
    errors, scales = [], []
    for j in range(3):
        less, y_less = made(500, seed=1)
        less[:, j] = np.nan
        there = gp.at(less)
        scales.append(np.exp(there.log_scale).mean())
        errors.append(np.sqrt(np.square(y_less - there.location).mean()))
    ratios = np.array(scales) / errors
    assert ratios.min() > 0.5  # 0.3 if a missing value were the mean of the others
    assert ratios.max() < 2
    assert scales[0] > 1.5 * scales[2]  # the last feature says nothing


def test_weights_count_relative_to_each_other():
    X, y = made(100)
    wrong = np.concatenate([y, y + 5])
    twice, few = np.concatenate([X, X]), np.repeat([1.0, 1e-6], 100)
    new = made(50, seed=3)[0]
    plain, both = fitted(X, y)[0], fitted(X, y, np.full(100, 7.0))[0]
    assert_allclose(both.at(new).location, plain.at(new).location, rtol=1e-10)
    both = fitted(twice, wrong, few, like=plain)[0]
    assert_allclose(both.at(new).location, plain.at(new).location, atol=1e-3)


@pytest.mark.parametrize("name", SETTINGS)
def test_rows_of_small_weight_do_not_look_noisy(name):
    X, y = made(200)
    few = np.where(np.arange(200) < 70, 1e-3, 1.0)
    some = fitted(X[70:], y[70:], settings=SETTINGS[name])[0]
    weighted = fitted(X, y, few, settings=SETTINGS[name])[0]
    assert_allclose(weighted.covariance.noise, some.covariance.noise, rtol=0.3)
    new = made(50, seed=3)[0]
    for one in (weighted, fitted(X, y + 5 * (few < 1), few, settings=SETTINGS[name])[0]):
        off = np.abs(one.at(new).location - some.at(new).location)
        assert off.mean() < 0.1  # far less than the 5 that they are off by


def test_rows_with_a_large_known_error_count_little():
    X, y = made(200)
    noise = np.where(np.arange(200) < 100, 0.0, 2.0)
    y = y + noise * np.random.default_rng(1).normal(size=200)
    new = made(300, seed=3)[0]
    truth = np.sin(3 * new[:, 0]) + new[:, 1]
    with_noise, without_noise = (fitted(X, y, None, given)[0].at(new) for given in (noise, None))
    assert (
        np.abs(with_noise.location - truth).mean()
        < 0.6 * np.abs(without_noise.location - truth).mean()
    )
    assert abs(np.median(np.exp(with_noise.log_scale)) - 0.22) < 0.08  # of y without its error


@pytest.mark.parametrize("name", SETTINGS)
def test_the_epistemic_share_is_the_share_of_the_variance_of_the_function(name):
    (X, y), (new, _) = made(150), made(50, seed=1)
    gp, _ = fitted(X, 1e3 * y, settings=SETTINGS[name])
    _, f_variance = gp.regression.at(gp.covariance, 2 * new)
    of_y = gp.scale.variance(f_variance)
    share = gp.epistemic_share(gp.at(2 * new))
    assert_allclose(share, gp.scale.share * f_variance / of_y, rtol=1e-6, atol=1e-12)


def test_an_outlier_is_clipped():
    X, y = made(150)
    y[3] = 1e7
    there = fitted(X, y)[0].at(X)
    assert np.abs(there.location - np.sin(3 * X[:, 0]) - X[:, 1])[np.arange(150) != 3].max() < 1.5


def test_a_gaussian_process_found_on_some_rows_serves_for_all():
    X, y = made(300)
    found = fitted(X[:200], y[:200])[0]
    again, _ = fitted(X, y, like=found)
    assert again.covariance is found.covariance
    assert len(again.regression.points) == 300
    assert again.scale != found.scale


@pytest.mark.parametrize("name", SETTINGS)
def test_the_number_of_blas_threads_changes_no_bit(name):
    X, y = made(150)
    shifts = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            shifts.append(fitted(X, y, settings=SETTINGS[name])[0].at(X))
            inside = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
            assert set(inside) == {threads}  # as it was before
    assert_array_equal(shifts[0].location, shifts[1].location)
    assert_array_equal(shifts[0].log_scale, shifts[1].log_scale)


def test_one_thread_lasts_until_the_last_context_ends():
    def threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        first, second = one_thread(), one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert threads() == {1}
        second.__exit__(None, None, None)
        assert threads() == {2}


def test_the_scale_is_the_most_probable_one():
    rng = np.random.default_rng(0)
    f_variance, known = rng.gamma(1.0, size=4000), rng.uniform(0, 0.3, size=4000)
    residual = np.sqrt(0.3 + 2.5 * f_variance + known) * rng.normal(size=4000)
    found = Scale(1.0, 1.0).fitted(residual, f_variance, np.ones(4000), known)
    assert_allclose([found.noise, found.share], [0.3, 2.5], rtol=0.15)
    best = found.log_density(residual, f_variance, known).sum()
    for factor in (0.9, 1.1):
        for other in (Scale(factor * found.noise, found.share), Scale(found.noise, factor * 2.5)):
            assert other.log_density(residual, f_variance, known).sum() < best
