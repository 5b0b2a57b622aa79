"""A model that is calibrated after its fit."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import (
    Calibration,
    ConformalRegressor,
    ModelFileError,
    WGBClassifier,
    WGBRegressor,
    load,
    metrics,
)
from wgboost.estimators.paper import PAPER_TREES
from wgboost.folds import out_of_fold

# Too sure: ten observations a row, and more rounds than are good.
SURE = WGBRegressor(n_estimators=80, evidence=10, random_state=0, n_jobs=1, **PAPER_TREES)
BOLD = WGBClassifier(
    n_estimators=60, evidence=10, learning_rate=0.4, random_state=0, n_jobs=1, **PAPER_TREES
)


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, 10 + np.sin(2 * X[:, 0]) + 0.5 * np.exp(X[:, 1]) * rng.normal(size=n)


def made_classes(n, seed=0):
    X, y = made(n, seed)
    return X, np.array(["c", "a", "b"])[np.digitize(y, [9.6, 10.4])]


X, Y = made(400)
HELD, Y_HELD = made(300, seed=1)
NEW, Y_NEW = made(2000, seed=2)


@pytest.mark.parametrize("how", ["held out", "folds"])
def test_predictions_of_new_rows_improve_in_every_respect(how):
    model = clone(SURE).fit(X, Y)
    before = model.predict_dist(NEW)
    if how == "folds":
        model.calibrate(X, Y, cv=4)
    else:
        model.calibrate(HELD, Y_HELD)
    after = model.predict_dist(NEW)
    assert model.calibration_.scale > 1.3
    assert metrics.nll(after, Y_NEW) < metrics.nll(before, Y_NEW) - 0.3
    assert metrics.crps(after, Y_NEW) < metrics.crps(before, Y_NEW)
    assert metrics.calibration_error(after, Y_NEW) < 0.3 * metrics.calibration_error(before, Y_NEW)
    assert abs(metrics.coverage(after, Y_NEW, 0.9) - 0.9) < 0.05
    assert_allclose(model.predict(NEW), before.mean(), rtol=1e-6)


def test_every_prediction_follows_the_factors():
    model = clone(SURE).fit(X, Y)
    raw, score = model.predict_dist(NEW), model.ood_score(NEW)
    model.calibrate(HELD, Y_HELD)
    dist = model.calibration_(raw)
    assert_array_equal(model.predict_dist(NEW).particles, dist.particles)
    assert_array_equal(model.predict_interval(NEW, 0.8), np.stack(dist.interval(0.8), axis=1))
    assert_allclose(model.predict_uncertainty(NEW)["epistemic"], dist.epistemic())
    assert_array_equal(model.ood_score(NEW), score)  # of other rows they say nothing
    assert_array_equal(model.ood_score(NEW, method="epistemic"), raw.disagreement())
    assert_array_equal(model.predict_dist(NEW, calibrated=False).particles, raw.particles)
    *_, last = model.staged_predict_dist(NEW[:5])
    assert_allclose(last.particles, dist.particles[:5], rtol=1e-6)
    factors = model.calibration_
    assert model.calibrate(HELD, Y_HELD).calibration_ == factors  # of what the rounds say
    del model.calibration_
    assert_array_equal(model.predict_dist(NEW).particles, raw.particles)


def test_folds_are_what_the_function_makes_of_them():
    model = clone(SURE).fit(X, Y).calibrate(X, Y, cv=3)
    folds = list(out_of_fold(model, X, Y, cv=3, random_state=model.seed_))
    assert_array_equal(np.sort(np.concatenate([fold.rows for fold in folds])), np.arange(400))
    for fold in folds:
        assert_array_equal(np.sort(np.concatenate([fold.rows, fold.train_rows])), np.arange(400))
    fitted = Calibration.fit([fold.dist() for fold in folds], [fold.y for fold in folds])
    assert fitted == model.calibration_


@pytest.mark.parametrize("response", ["categorical", "ordinal"])
def test_calibrated_probabilities_of_classes_are_frequencies(response):
    (X_train, labels), (new, truth) = made_classes(400), made_classes(2000, seed=2)
    ranks = pd.Categorical(labels, categories=["c", "a", "b"], ordered=True)
    model = clone(BOLD).set_params(response=response).fit(X_train, ranks)
    before, predicted = model.predict_dist(new), model.predict(new)
    model.calibrate(X_train, ranks, cv=4)
    after = model.predict_dist(new)
    assert model.calibration_.scale > 1.2
    assert metrics.nll(after, truth) < metrics.nll(before, truth) - 0.05
    assert metrics.calibration_error(after, truth) < metrics.calibration_error(before, truth)
    assert (model.predict(new) == predicted).mean() > 0.95
    assert_allclose(model.predict_proba(new), after.probabilities())


def test_a_class_that_a_fold_lacks_is_ignored_in_its_calibration():
    X_train, labels = made_classes(200)
    labels[7] = "unique"
    model = clone(BOLD).fit(X_train, labels).calibrate(X_train, labels, cv=3)
    assert np.isfinite(model.calibration_.nll_after)
    with pytest.raises(ValueError, match="y has the label 'other'"):
        model.calibrate(X_train[:2], ["a", "other"])


def test_what_goes_along_with_the_rows():
    rng = np.random.default_rng(3)
    exposure = rng.uniform(1, 9, 400)
    amounts = exposure * np.exp(X[:, 0]) * rng.gamma(5, 1 / 5, 400)
    model = WGBRegressor(n_estimators=20, response="gamma", random_state=0, n_jobs=1)
    model.fit(X, amounts, exposure=exposure)
    model.calibrate(X, amounts, cv=3, exposure=exposure, sample_weight=np.ones(400))
    with_it = model.calibration_
    model.calibrate(X, amounts, cv=3, exposure=1)
    assert model.calibration_.nll_before > with_it.nll_before + 0.1
    noisy = clone(SURE).fit(X, Y, y_std=0.5).calibrate(X, Y, cv=3, y_std=0.5)
    assert noisy.calibration_.nll_after < noisy.calibration_.nll_before


def test_the_factors_are_in_the_file_and_a_further_fit_forgets_them(tmp_path):
    model = clone(SURE).fit(X, Y).calibrate(HELD, Y_HELD)
    path = tmp_path / "model.wgb"
    model.save(path)
    again = load(path)
    assert again.calibration_ == model.calibration_
    assert_array_equal(again.predict_dist(NEW).particles, model.predict_dist(NEW).particles)
    assert not hasattr(clone(model), "calibration_")
    assert not hasattr(model.fit(X, Y), "calibration_")
    model.calibration_ = "narrower"
    model.save(path)
    with pytest.raises(ModelFileError, match="the calibration is none"):
        load(path)
    del model.calibration_
    model.ood_reference_ = Calibration()
    model.save(path)
    with pytest.raises(ModelFileError, match="the OOD reference is none"):
        load(path)


def test_a_fit_that_fails_leaves_the_factors():
    model = clone(SURE).fit(X, Y).calibrate(HELD, Y_HELD)
    before = model.predict_dist(NEW).particles
    with pytest.raises(ValueError, match="rows"):
        model.fit(X, Y[:-1])
    assert_array_equal(model.predict_dist(NEW).particles, before)


@pytest.mark.parametrize("method", ["calibrate", "calibrate_ood", "conformal"])
def test_ctrl_c_in_a_fold_ends_calibration_and_leaves_the_model(method):
    calls = []

    def nll_until(dist, y):
        calls.append(len(y))
        if len(calls) == 8:
            raise KeyboardInterrupt
        return metrics.nll(dist, y)

    settings = {"n_estimators": 5, "early_stopping": True, "refit": False, "eval_metric": nll_until}
    settings["init"] = "flow"
    model = clone(SURE).set_params(**settings).fit(X, Y)  # before the first round, and after each
    before = dict(vars(model))
    around = ConformalRegressor(make_pipeline(StandardScaler(), model), cv=3)
    calibrate = around.fit if method == "conformal" else partial(getattr(model, method), cv=3)
    with pytest.raises(KeyboardInterrupt):
        calibrate(X, Y)
    assert len(calls) == 8
    assert vars(model) == before


def test_settings_that_make_no_sense_are_named_before_any_fit(monkeypatch):
    model = clone(SURE).set_params(n_estimators=5).fit(X, Y)
    monkeypatch.setattr(WGBRegressor, "fit", None)
    with pytest.raises(ValueError, match="shrinkage=-1 must be > 0"):
        model.calibrate(X, Y, cv=3, shrinkage=-1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'shrink'"):
        model.calibrate(X, Y, cv=3, shrink=0.1)
    for calibrate in (model.calibrate, model.calibrate_ood):
        with pytest.raises(ValueError, match="groups are kept together in folds: give cv"):
            calibrate(X, Y, groups=np.zeros(400))


def test_bad_input_is_named():
    with pytest.raises(NotFittedError):
        clone(SURE).calibrate(X, Y)
    model = clone(SURE).fit(X, Y)
    with pytest.raises(TypeError, match="width"):
        model.calibrate(HELD, Y_HELD, width=True)
    with pytest.raises(ValueError, match="cv=1 must be >= 2"):
        model.calibrate(X, Y, cv=1)
    with pytest.raises(TypeError, match="X has to be a frame"):
        model.calibrate(X, "y", cv=3)
    assert not hasattr(model, "calibration_")
