"""Models of several columns of y."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from wgboost import WGBRegressor, censored, metrics
from wgboost.predictive import JointMixture
from wgboost.responses import MultivariateNormal
from wgboost.training.flat_parameters import grouped_parameters


def made(n, seed):
    """Features, y, and the mean surprise of the distribution it was drawn from."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 5))
    mean, rho = np.stack([np.sin(2 * X[:, 0]), X[:, 1]], axis=1), np.tanh(X[:, 2])
    z, narrow = rng.normal(size=(n, 2)), np.sqrt(1 - rho**2)
    y = mean + np.stack([z[:, 0], rho * z[:, 0] + narrow * z[:, 1]], axis=1)
    truth = np.log(2 * np.pi * narrow) + np.square(z).sum(axis=1) / 2
    return X, y, truth.mean()


X, Y, _ = made(200, 0)


def model(**options):
    settings = {"response": "multivariate_normal", "n_estimators": 12, "evidence": 10.0}
    settings |= {"n_particles": 5, "random_state": 0, "n_jobs": 1, **options}
    return WGBRegressor(**grouped_parameters(settings))


def test_a_model_predicts_all_columns():
    fitted = model().fit(X, Y)
    dist = fitted.predict_dist(X)
    assert isinstance(dist, JointMixture)
    assert fitted.n_outputs_ == fitted.response_.n_dims == 2
    assert_array_equal(fitted.predict(X), dist.mean())
    assert fitted.predict(X).shape == dist.std().shape == (200, 2)
    assert dist.cov().shape == (200, 2, 2)
    assert fitted.sample(X, 3, random_state=0).shape == (200, 3, 2)
    uncertainty = fitted.predict_uncertainty(X)
    assert_allclose(uncertainty["total"], dist.var())
    assert_allclose(uncertainty["aleatoric"] + uncertainty["epistemic"], dist.var())
    assert (uncertainty["aleatoric"] > 0).all()
    score = fitted.ood_score(X, method="epistemic")
    spread = dist.disagreement() / np.square(fitted.model_.units.scale)
    assert_allclose(score, spread.sum(axis=1))
    assert set(fitted.predict_particles(X)) == {
        "mean_0", "mean_1", "scale_0", "scale_1", "correlation_1_0",
    }  # fmt: skip
    assert fitted.score(X, Y) > 0.1
    *_, last = fitted.staged_predict(X)
    assert_array_equal(last, fitted.predict(X))
    with pytest.raises(AttributeError, match=r"marginal\(j\)"):
        fitted.predict_interval(X)


def test_the_number_of_columns_is_that_of_y():
    three = np.column_stack([Y, Y[:, 0] + X[:, 3]])
    for response in ("multivariate_normal", MultivariateNormal, MultivariateNormal(n_dims=3)):
        fitted = clone(model(response=response, n_estimators=3)).fit(X, three)
        assert fitted.predict(X[:4]).shape == (4, 3)
    again = fitted.set_params(response="multivariate_normal").fit(X, Y)
    assert again.predict(X[:4]).shape == (4, 2)
    assert again.fit(X, Y[:, :1]).predict(X[:4]).shape == (4, 1)
    assert again.set_params(response="normal").fit(X, Y[:, 0]).predict(X[:4]).shape == (4,)


def test_no_unit_of_any_column_is_preferred():
    scale, shift = np.array([1e-6, 1e6]), np.array([1.0, -1e7])
    plain, scaled = model().fit(X, Y), model().fit(X, shift + scale * Y)
    assert_allclose(scaled.predict(X), shift + scale * plain.predict(X), rtol=1e-4)
    gap = metrics.nll(scaled.predict_dist(X), shift + scale * Y) - metrics.nll(
        plain.predict_dist(X), Y
    )
    assert_allclose(gap, np.log(scale).sum(), atol=1e-3)
    assert_allclose(scaled.ood_score(X), plain.ood_score(X), rtol=1e-2)


@pytest.mark.parametrize("metric", ["nll", "rmse", "energy_score"])
def test_rows_are_held_out_with_all_their_columns(metric):
    rows = np.arange(200) >= 150
    own = model(early_stopping=True, refit=False, eval_metric=metric, support=False)
    given = clone(own).fit(X[~rows], Y[~rows], X_val=X[rows], y_val=Y[rows])
    split = clone(own).fit(X, Y, validation_rows=rows)
    values = given.history_["validation"][metric]
    assert_allclose(split.history_["validation"][metric], values, rtol=1e-6)
    kept = metrics.METRICS[metric](given.predict_dist(X[rows]), Y[rows])
    assert_allclose(kept, min(values), rtol=1e-6)


def test_a_weight_is_a_number_of_repeats():
    weight = np.arange(200) % 3
    weighted = model().fit(X, Y, sample_weight=weight)
    repeated = model().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-3)


def test_a_pause_changes_nothing():
    whole = model().fit(X, Y)
    paused = model(n_estimators=5, warm_start=True).fit(X, Y)
    paused.set_params(n_estimators=12).fit(X, Y)
    assert_array_equal(paused.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match=r"y has shape \(200, 1\).* needs columns, \(n, 2\)"):
        paused.set_params(n_estimators=20).fit(X, Y[:, :1])


def test_an_offset_and_a_start_have_a_value_for_every_column():
    offset = 10 * np.column_stack([X[:, 3], -X[:, 4]])
    known = model().fit(X, Y + offset, offset=offset)
    plain = model().fit(X, Y)
    assert_allclose(known.predict(X, offset=offset), plain.predict(X) + offset, atol=1e-4)
    started = model(init=LinearRegression()).fit(X, Y + offset)
    assert metrics.rmse(started.predict_dist(X), Y + offset) < 0.2
    with pytest.raises(ValueError, match=r"offset has shape \(200,\); .* \(200, 2\)"):
        model().fit(X, Y, offset=offset[:, 0])


@pytest.mark.parametrize("direction", ["full_newton", "smoothed", "langevin"])
def test_every_direction_takes_columns(direction):
    fitted = model(direction=direction, n_particles=4, learning_rate=0.05).fit(X, Y)
    assert np.isfinite(fitted.predict_dist(X).logpdf(Y)).all()


def test_a_wild_row_does_not_carry_the_others_away():
    wild = Y.copy()
    wild[7] = [1e3, -1e3]
    fitted = model(n_estimators=100).fit(X, wild)
    dist = fitted.predict_dist(X)
    assert np.isfinite(dist.logpdf(wild)).all()
    assert np.median(np.abs(dist.mean() - Y)) < 20


WRONG = [
    ({}, Y[:, 0], r"y has shape \(200,\); .* needs columns, \(n, q\); .* use 'normal', or reshape"),
    (
        {"response": MultivariateNormal(n_dims=3)},
        Y,
        r"y has shape \(200, 2\); .* needs columns, \(n, 3\)",
    ),
    ({"response": "normal"}, Y, r"\(200, 2\); one value per row.* 'multivariate_normal'"),
    ({}, np.where(np.arange(400).reshape(200, 2) == 15, np.nan, Y), "nan at row 7, column 1"),
    ({}, Y[:, :, None], r"y has shape \(200, 2, 1\)"),
    ({}, Y[:, :0], r"y has shape \(200, 0\)"),
    ({}, censored(Y[:, 0], np.inf), "needs known values; y is censored"),
    ({}, Y + 1j, "Complex data not supported"),
    (
        {"eval_metric": "crps"},
        Y,
        "'multivariate_normal'='crps' must be one of 'nll', 'energy_score', 'rmse'",
    ),
]


@pytest.mark.parametrize(("options", "y", "message"), WRONG)
def test_y_that_does_not_fit_is_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        model(**options).fit(X, y)


def test_several_columns_take_no_measurement_error():
    with pytest.raises(ValueError, match="takes no measurement error y_std"):
        model().fit(X, Y, y_std=0.1)
    with pytest.raises(ValueError, match=r"X_val, y_val: y has shape \(200, 1\)"):
        model().fit(X, Y, X_val=X, y_val=Y[:, :1])


def test_boosting_finds_means_and_correlations():
    X, y, _ = made(5000, 0)
    X_test, y_test, truth = made(4000, 1)
    fitted = model(
        evidence=100.0, n_estimators=75, n_particles=10, learning_rate=0.05, leaf="newton", l2=1.0,
        subsample=0.6, colsample=0.7, split_on="particle_mean", kernel="scaled", max_leaves=16,
    ).fit(X, y)  # fmt: skip
    dist = fitted.predict_dist(X_test)
    assert metrics.nll(dist, y_test) - truth < 0.06
    scale = dist.std()
    correlation = dist.cov()[:, 0, 1] / scale[:, 0] / scale[:, 1]
    assert np.corrcoef(correlation, np.tanh(X_test[:, 2]))[0, 1] > 0.9
