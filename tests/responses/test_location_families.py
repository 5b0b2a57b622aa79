"""Responses with a location and a scale: heavy tails, extremes, units, and what they learn."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from wgboost import WGBRegressor, metrics
from wgboost.boosting import AveragedFlow
from wgboost.responses import (
    RESPONSES,
    Cauchy,
    Gumbel,
    Laplace,
    Logistic,
    LogNormal,
    Normal,
    StudentT,
    Units,
)

FAMILIES = (Laplace(), Logistic(), Gumbel(), Cauchy(), LogNormal(), StudentT(), StudentT(df=5.0))
every = pytest.mark.parametrize("response", FAMILIES, ids=repr)


@every
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_coordinates_give_finite_derivatives(response, dtype):
    ends = np.array([-1000, -50, 0, 50, 1000])
    grid = np.meshgrid(*[ends] * response.n_params, indexing="ij")
    theta = np.stack(grid, axis=-1).reshape(1, -1, response.n_params).astype(dtype)
    for y in (1e-3, 1.0, 40.0):
        for function in (response.score, response.curvature):
            assert np.isfinite(function(np.array([y]), theta, 10.0)).all()
        assert (response.curvature(np.array([y]), theta) > 0).all()
    assert np.isfinite(response.fisher(theta[0])).all()


@pytest.mark.parametrize("response", [Laplace(), Logistic(), Gumbel(), LogNormal()], ids=repr)
def test_newton_steps_of_outliers_are_bounded(response):
    size = np.array([3.0, 10, 30, 80, 300])
    y = np.concatenate([-size, size])
    y = np.exp(y / 2) if isinstance(response, LogNormal) else y
    theta = np.zeros((10, 1, 2))
    step = response.likelihood_score(y[:, None], theta)
    step /= response.likelihood_curvature(y[:, None], theta)
    assert abs(step[..., 1]).max() < 10.5
    residual = abs(np.log(y)) if isinstance(response, LogNormal) else 10.5
    assert (abs(step[..., 0]).max(axis=1) <= residual).all()


@pytest.mark.parametrize("response", [Cauchy(), Laplace(), StudentT()], ids=repr)
def test_units_of_heavy_tails_are_median_and_quartiles(response):
    rng = np.random.default_rng(0)
    y = rng.standard_normal(20_000)
    units = response.units(3 + 2 * y)
    assert_allclose([units.shift, units.scale], [3, 2], atol=0.05)
    y[:200] = 1e9
    assert_allclose(response.units(3 + 2 * y).scale, 2, rtol=0.05)
    weight = rng.integers(0, 3, 500)
    repeated, weighted = (
        response.units(np.repeat(y[-500:], weight)),
        response.units(y[-500:], weight.astype(float)),
    )
    assert weighted == repeated
    assert response.units(np.array([1.0, 1, 1, 1, 9])).scale == pytest.approx(3.2)
    assert response.units(np.full(4, 7.0)) == Normal().units(np.full(4, 7.0))


def test_students_t_approaches_the_normal_and_is_the_cauchy_at_one():
    y = np.array([-40.0, -1.0, 0.2, 3.0])
    theta = np.array([0.3, -0.4])
    fixed = StudentT(df=1.0)
    assert_allclose(fixed.logpdf(y, theta), Cauchy().logpdf(y, theta))
    assert_allclose(fixed.likelihood_score(y, theta), Cauchy().likelihood_score(y, theta))
    assert_allclose(fixed.likelihood_fisher(theta), Cauchy().likelihood_fisher(theta))
    extended = np.append(theta, 50.0)
    assert_allclose(StudentT().logpdf(y, extended), Normal().logpdf(y, theta), rtol=1e-9)
    assert_allclose(StudentT().entropy(extended), Normal().entropy(theta), rtol=1e-9)
    assert_allclose(StudentT().cdf(y, extended), Normal().cdf(y, theta), rtol=1e-9)
    score = StudentT().likelihood_score(y, extended)
    assert_allclose(score[:, :2], Normal().likelihood_score(y, theta), rtol=1e-9)
    assert_allclose(score[:, 2], 0, atol=1e-9)


def test_the_information_of_the_degrees_of_freedom_is_right_at_any_size():
    df = 1 + np.geomspace(1e-3, 900, 200)
    trigamma = special.polygamma(1, df / 2) - special.polygamma(1, (df + 1) / 2)
    exact = df**2 * (trigamma / 4 - (df + 5) / (2 * df * (df + 1) * (df + 3)))
    exact *= ((df - 1) / df) ** 2  # of log(df - 1)
    theta = np.stack([0 * df, 0 * df, np.log(df - 1)], axis=-1)
    assert_allclose(StudentT().likelihood_fisher(theta)[:, 2], exact, rtol=1e-4, atol=1e-12)
    ends = np.log([998.9999, 999.0001, 1e10])
    join = StudentT().likelihood_fisher(np.stack([ends, ends, ends], axis=-1))[:, 2]
    assert_allclose(join[0], join[1], rtol=1e-5)
    assert_allclose(join[2], 3.5e-20, rtol=1e-6)


def test_moments_that_do_not_exist():
    theta, means, variances = np.zeros(2), [], []
    for df in (0.9, 1.5, 4.0):
        means.append(StudentT(df=df).mean(theta))
        variances.append(StudentT(df=df).var(theta))
        assert StudentT(df=df).has_mean == (df > 1)
    assert_array_equal(means, [np.nan, 0, 0])
    assert_allclose(variances, [np.nan, np.inf, 2])
    assert np.isnan([Cauchy().mean(theta), Cauchy().var(theta)]).all()
    assert not Cauchy().has_mean
    learned = np.array([[0.5, 0.0, -1000.0], [0.5, 0.0, np.log(3.0)]])
    assert StudentT().has_mean
    assert_array_equal(StudentT().mean(learned), [0.5, 0.5])
    assert_allclose(StudentT().var(learned), [np.inf, 2])


@pytest.mark.parametrize("df", [1.01, 2.0, 30.0, 1000.0, 1e6])
def test_quantiles_of_students_t_are_right_however_small_the_probability(df):
    for q in (1e-8, 1e-90, 1e-110, 1e-200, 1e-300):
        z = mp.mpf(float(StudentT(df=df).ppf(q, np.zeros(2))))
        with mp.workdps(40):
            below = mp.betainc(mp.mpf(df) / 2, 0.5, 0, df / (df + z**2), regularized=True) / 2
        assert_allclose(float(below / mp.mpf(q)), 1, rtol=1e-9)


def test_fixed_degrees_of_freedom_are_not_a_coordinate():
    assert StudentT(df=5).param_names == ("location", "log_scale")
    natural = StudentT(df=5).natural(np.zeros((2, 2)), Units(1.0, 3.0))
    assert_allclose(natural["df"], [5, 5])
    learned = StudentT().natural(np.zeros(3), Units(1.0, 3.0))
    assert [float(value) for value in learned.values()] == [1.0, 3.0, 2.0]
    for wrong in (0, -1.0, np.nan):
        with pytest.raises(ValueError, match="df="):
            StudentT(df=wrong)
    with pytest.raises(TypeError, match="df='5'"):
        StudentT(df="5")
    with pytest.raises(ValueError, match=r"prior_df=0.5 must be > 1"):
        StudentT(prior_df=0.5)


def test_a_log_normal_y_is_positive_and_divided_by_its_geometric_mean():
    with pytest.raises(ValueError, match=r"y is 0 at row 1.*numbers > 0"):
        LogNormal().check([1.0, 0.0])
    y, weight = np.array([1.0, 100.0, 7.0]), np.array([1.0, 1.0, 0.0])
    assert_allclose(LogNormal().units(y, weight).scale, 10)
    natural = LogNormal().natural(np.array([0.5, 0.0]), Units(0.0, 10.0))
    assert_allclose(natural["location"], 0.5 + np.log(10))
    outside = LogNormal().logpdf(np.array([-1.0, 0.0]), np.zeros(2))
    assert_array_equal(outside, [-np.inf, -np.inf])
    assert_array_equal(LogNormal().cdf(np.array([-1.0, 0.0]), np.zeros(2)), [0, 0])


@pytest.mark.parametrize("name", [r.name for r in FAMILIES[:-1]])
def test_a_fit_learns_in_any_unit_of_y_and_with_outliers(name):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (900, 2))
    noise = stats.gumbel_r if name == "gumbel" else stats.t(3)
    y = 2 * X[:, 0] + 0.3 * noise.rvs(size=900, random_state=rng)
    positive = name == "lognormal"
    y = np.exp(y) if positive else y
    options = {
        "response": name, "evidence": 10, "n_estimators": 30, "init": AveragedFlow(steps=300),
        "n_particles": 5, "random_state": 0, "n_jobs": 1,
    }  # fmt: skip
    train, test = slice(600), slice(600, None)

    def excess(factor, values):
        model = WGBRegressor(**options).fit(X[train], factor * values[train])
        blind = WGBRegressor(**options | {"n_estimators": 0}).fit(X[train], factor * values[train])
        ours, theirs = (
            metrics.nll(m.predict_dist(X[test]), factor * values[test]) for m in (model, blind)
        )
        return ours - theirs

    plain = excess(1.0, y)
    assert plain < -0.3
    for factor in (1e-6, 1e6):
        assert_allclose(excess(factor, y), plain, atol=0.02)
    far = np.where(np.arange(900) % 100 == 50, y**3 * 1e3 if positive else y + 100, y)
    far[test] = y[test]
    assert excess(1.0, far) < -0.1


def test_the_registry_names_every_family():
    assert {type(r) for r in FAMILIES} <= set(RESPONSES.values())
