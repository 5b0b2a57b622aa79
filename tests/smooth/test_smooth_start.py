"""Boosting from a smooth start: what it gains, what it is relative to, and where it says no."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

from model_particles import particles_of
from pages import ran
from wgboost import (
    SmoothStart,
    WGBClassifier,
    WGBoost,
    WGBRegressor,
    censored,
    metrics,
)
from wgboost.boosting.start import ConstantStart, GPStart
from wgboost.responses import RESPONSES
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(11)


def made(n, scale=0.1):
    X = RNG.uniform(-1, 1, size=(n, 3))
    return X, 10 + 2 * np.sin(4 * X[:, 0]) * X[:, 1] + scale * RNG.normal(size=n)


X, Y = made(250)
NEW, NEW_Y = made(400)
QUICK = SmoothStart(kernel="matern52", scaling="standard")
ABLE = [name for name, kind in RESPONSES.items() if kind.log_scale is not None]


def model(init=QUICK, **options):
    settings = {"n_estimators": 15, "random_state": 0, "n_jobs": 1, "leaf": "newton", "l2": 1.0}
    return WGBRegressor(init=init, **grouped_parameters({**settings, **options}))


def nll(fitted, **fit_params):
    return -fitted.predict_dist(NEW, **fit_params).logpdf(NEW_Y).mean()


FITTED = model().fit(X, Y)


@pytest.mark.filterwarnings("ignore:early stopping ended at the limit")  # without a smooth start
def test_a_smooth_function_is_learned_at_once():
    flow, smooth = (
        model(init, n_estimators=400, learning_rate=0.05, early_stopping=True).fit(X, Y)
        for init in ("flow", "smooth")
    )
    noise = 0.5 * np.log(2 * np.pi * np.e * 0.1**2)  # of the true distribution
    assert nll(smooth) < noise + 0.3 < nll(flow) - 0.3
    assert metrics.rmse(smooth.predict_dist(NEW), NEW_Y) < 0.15


def test_the_particles_are_those_of_residuals():
    assert isinstance(FITTED.model_.start, GPStart)
    relative, dist = particles_of(FITTED, NEW).astype(float), FITTED.predict_dist(NEW)
    shift, units = FITTED.model_.start.shift(NEW), FITTED.model_.units
    scale = np.exp(shift.log_scale)[:, None]
    expected = units.restore(shift.location[:, None] + scale * relative[..., 0])
    assert_allclose(dist.params()["mean"], expected, rtol=1e-12)
    assert_allclose(dist.params()["scale"], units.scale * scale * np.exp(relative[..., 1]))
    assert abs(relative[..., 0].mean()) < 0.1
    assert abs(relative[..., 1].mean()) < 0.3


def test_the_last_stage_is_the_prediction():
    *_, last = FITTED.staged_predict(NEW)
    assert_array_equal(last, FITTED.predict(NEW))
    stages = list(FITTED.staged_predict_dist(NEW))
    assert_array_equal(stages[4].mean(), FITTED.predict_dist(NEW, n_rounds=5).mean())


def test_units_of_y_change_nothing_but_the_units():
    other = model().fit(X, 1e5 * Y - 7e6)
    assert_allclose(other.predict(NEW), 1e5 * FITTED.predict(NEW) - 7e6, rtol=1e-3)
    assert_allclose(other.predict_dist(NEW).std(), 1e5 * FITTED.predict_dist(NEW).std(), rtol=1e-2)


def test_pure_noise_gets_no_smooth_start():
    y = RNG.normal(size=250)
    smooth, flow = (model(init).fit(X, y) for init in (QUICK, "flow"))
    assert type(smooth.model_.start) is ConstantStart
    assert_array_equal(smooth.predict(NEW), flow.predict(NEW))


def test_far_from_the_data_the_prediction_has_a_large_variance():
    near, far = FITTED.predict_dist(NEW), FITTED.predict_dist(NEW + 50)
    assert (far.std() > 3 * near.std().mean()).all()
    assert np.abs(far.mean() - Y.mean()).max() < 5 * Y.std()
    assert FITTED.ood_score(NEW + 50).min() > np.median(FITTED.ood_score(NEW))


def test_an_offset_is_added_to_what_was_learned_without_it():
    known = RNG.normal(size=250)
    fitted = model().fit(X, Y + 3 * known, offset=3 * known)
    assert_allclose(fitted.predict(NEW), FITTED.predict(NEW), rtol=1e-9)
    assert_allclose(fitted.predict(NEW, offset=2.0), FITTED.predict(NEW) + 2, rtol=1e-9)


def test_rows_of_weight_zero_are_ignored():
    weight = np.ones(260)
    weight[250:] = 0
    more, wrong = np.concatenate([X, made(10)[0]]), np.concatenate([Y, np.full(10, 1e6)])
    weighted = model(max_bins=20).fit(more, wrong, sample_weight=weight)
    assert_array_equal(weighted.predict(NEW), model(max_bins=20).fit(X, Y).predict(NEW))


def test_a_known_error_is_not_part_of_the_prediction():
    error = np.where(np.arange(250) % 2, 0.0, 1.0)
    noisy = Y + error * RNG.normal(size=250)
    with_noise, without_noise = (model().fit(X, noisy, y_std=std) for std in (error, None))
    assert nll(with_noise) < nll(without_noise) - 0.3
    assert (
        with_noise.predict_dist(NEW).std().mean()
        < 0.7 * without_noise.predict_dist(NEW).std().mean()
    )


@pytest.mark.parametrize("name", ABLE)
def test_every_response_with_a_location_and_a_scale(name):
    flow, smooth = (
        model(init, response=name, evidence=10, n_estimators=25).fit(X, Y)
        for init in ("flow", QUICK)
    )
    assert isinstance(smooth.model_.start, GPStart)
    assert nll(smooth) < nll(flow) - 0.3
    assert np.corrcoef(smooth.predict(NEW), NEW_Y)[0, 1] > 0.98


def test_a_lognormal_response_is_a_normal_one_of_the_log():
    log, y = (Y - 10) / 2, np.exp((Y - 10) / 2)
    normal = model(n_estimators=0).fit(X, log)
    positive = model(n_estimators=0, response="lognormal").fit(X, y)
    ours = positive.predict_quantiles(NEW, 0.5)
    assert_allclose(ours, np.exp(normal.predict_quantiles(NEW, 0.5)), rtol=0.05)
    noisy = model(response="lognormal", n_estimators=5).fit(X, y, y_std=0.05 * y)
    assert np.corrcoef(np.log(noisy.predict(NEW)), NEW_Y)[0, 1] > 0.98


def test_frames_with_categories_and_missing_values():
    kind = RNG.integers(3, size=250)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": np.array(["u", "v", "w"])[kind]})
    table.loc[::9, "a"] = np.nan
    y = np.sin(3 * X[:, 0]) + 3 * kind + np.where(np.arange(250) % 9, 0, 5) + 0.1 * Y
    fitted = model().fit(table, y)
    assert fitted.model_.start.gp.covariance.columns.n_lengths == 4  # one says "a" is missing
    assert fitted.score(table, y) > 0.95
    assert np.isfinite(fitted.predict(table.assign(kind=None, b=np.nan))).all()


def test_the_refit_reuses_the_lengths_of_the_search():
    options = {"early_stopping": True, "n_estimators": 30, "support": False}
    found, refitted = (model(**options, refit=refit).fit(X, Y) for refit in (False, True))
    search, last = found.model_.start.gp, refitted.model_.start.gp
    assert len(search.regression.points) == 200  # the rows held out are new to it
    assert len(last.regression.points) == 250
    assert_array_equal(last.covariance.logs, search.covariance.logs)
    held = found.validation_rows_
    score = -found.predict_dist(X[held]).logpdf(Y[held]).mean()
    assert_allclose(min(found.history_["validation"]["nll"]), score, rtol=1e-6)
    given = model(n_estimators=5, support=False).fit(X, Y, X_val=NEW, y_val=NEW_Y)
    assert_allclose(given.history_["validation"]["nll"][-1], nll(given), rtol=1e-6)


def test_other_learners_start_there_too():
    fitted = model(learner=DecisionTreeRegressor(max_depth=2)).fit(X, Y)
    assert fitted.score(NEW, NEW_Y) > 0.97
    assert clone(fitted).init == QUICK


def test_more_rounds_of_a_warm_start_are_those_of_one_fit():
    whole = model().fit(X, Y)
    parts = model(n_estimators=6, warm_start=True).fit(X, Y)
    parts.set_params(n_estimators=15).fit(X, Y)
    assert_array_equal(parts.predict(NEW), whole.predict(NEW))
    with (
        pytest.warns(UserWarning, match="model of other data"),
        pytest.raises(ValueError, match="cannot go on with other rows"),
    ):
        parts.set_params(n_estimators=20).fit(X, Y + 1)
    with pytest.raises(
        ValueError, match="init='flow' cannot go on from rounds with init=SmoothStart"
    ):
        parts.set_params(init="flow").fit(X, Y)


def test_the_examples_of_the_page():
    names = ran("docs/smooth.md")
    assert names["nll"]["smooth"] < names["nll"]["flow"] - 1
    assert (names["far"] > 5 * names["noise"].max()).all()
    start = names["model"].model_.start.gp.covariance
    assert (start.kernel, start.columns.ranked) == ("matern52", 1.0)


LABELS = np.where(Y > 10, "high", "low")
BOUNDS = censored(Y, np.where(Y > 11, np.inf, Y))
REFUSED = [
    (lambda: model(response="gamma").fit(X, Y), "'gamma' does not have; .*'normal', 'student_t'"),
    (lambda: WGBClassifier(init="smooth").fit(X, LABELS), "'categorical' does not have"),
    (lambda: WGBoost(init="smooth").fit(X, Y[:, None]), "start particles or None; other starts"),
    (lambda: model(response="multivariate_normal").fit(X, X[:, :2]), "a location and a scale"),
    (lambda: model().fit(X, BOUNDS), "needs known values of y, not bounds"),
    (lambda: model(monotone_constraints={0: 1}).fit(X, Y), "hold the trees, not the predictions"),
    (lambda: model(interaction_constraints=[[0], [1, 2]]).fit(X, Y), "hold the trees"),
    (lambda: model("smoth").fit(X, Y), "init='smoth' must be one of 'auto', 'flow', 'smooth'; did"),
    (lambda: model(SmoothStart).fit(X, Y), r"is a class; give an object: SmoothStart\(\)"),
    (lambda: SmoothStart(kernel="rbf2"), "kernel='rbf2' must be one of 'auto', 'matern52', 'rbf'"),
    (lambda: SmoothStart(scaling="ranks"), "scaling='ranks' must be one of .*'rank'"),
    (lambda: SmoothStart(landmarks=0), "landmarks=0 must be >= 1"),
    (lambda: SmoothStart(tuning_rows=3), "tuning_rows=3 must be >= 10"),
    (lambda: SmoothStart(exact_rows=2.5), "exact_rows=2.5 must be an integer"),
]


@pytest.mark.parametrize(("attempt", "message"), REFUSED, ids=range(len(REFUSED)))
def test_unsupported_uses_are_refused(attempt, message):
    with pytest.raises((TypeError, ValueError), match=message):
        attempt()
