"""Estimators around estimators: their intervals and sets on data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wgboost import ConformalClassifier, ConformalRegressor, WGBClassifier, WGBRegressor, censored
from wgboost.conformal import conformal_interval, conformal_sets
from wgboost.estimators.paper import PAPER_TREES
from wgboost.responses import Categorical

PLAIN = WGBRegressor(n_estimators=30, evidence=10, random_state=0, n_jobs=1, **PAPER_TREES)
CLASSES = WGBClassifier(n_estimators=15, random_state=0, n_jobs=1)
methods = pytest.mark.parametrize("method", ["cross", "split"])


def made(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.5 * np.exp(X[:, 1]) * rng.normal(size=n)


def made_classes(n, seed=0):
    X, y = made(n, seed)
    return X, np.array(["low", "middle", "top"])[np.digitize(y, [-0.4, 0.4])]


X, Y = made(400)
NEW, Y_NEW = made(2000, seed=1)
LABELS, LABELS_NEW = made_classes(400)[1], made_classes(2000, seed=1)[1]


def share_held(model, confidence):
    low, high = model.predict_interval(NEW, confidence).T
    return ((low <= Y_NEW) & (high >= Y_NEW)).mean()


@methods
@pytest.mark.parametrize("conformity", ["cdf", "scaled"])
def test_intervals_hold_what_they_promise_where_the_models_own_do_not(method, conformity):
    model = ConformalRegressor(PLAIN, method=method, conformity=conformity, random_state=0)
    model.fit(X, Y)
    low, high = model.estimators_[0].predict_dist(NEW).interval(0.9)
    assert ((low <= Y_NEW) & (high >= Y_NEW)).mean() < 0.85
    for confidence in (0.5, 0.9, 0.95):
        assert confidence - 0.06 < share_held(model, confidence) < confidence + 0.06
    width = np.diff(model.predict_interval(NEW))[:, 0]
    assert stats.spearmanr(width, NEW[:, 1])[0] > 0.6
    assert model.score(NEW, Y_NEW) > 0.4


def test_a_constant_model_has_large_intervals_that_cover_y():
    stubborn = WGBRegressor(n_estimators=0, init=np.array([[5.0, -2.0]]), n_particles=1)
    model = ConformalRegressor(stubborn, method="split", conformity="scaled", random_state=0)
    assert 0.85 < share_held(model.fit(X, Y), 0.9) < 0.96


def test_split_is_the_function_on_the_rows_held_out():
    model = ConformalRegressor(PLAIN, method="split", calibration_fraction=0.5, random_state=3)
    model.fit(X, Y)
    train, held = train_test_split(np.arange(400), test_size=0.5, random_state=3)
    fitted = clone(PLAIN).fit(X[train], Y[train])
    old, new = fitted.predict_dist(X[held]), fitted.predict_dist(NEW)
    expected = np.stack(conformal_interval(old, Y[held], new, 0.8), axis=1)
    assert_array_equal(model.predict_interval(NEW, 0.8), expected)
    assert_array_equal(model.predict(NEW), fitted.predict(NEW))
    assert len(model.scores_[0]) == 200


def test_prefit_calibrates_the_very_model_that_is_given():
    fitted = clone(PLAIN).fit(X, Y)
    model = ConformalRegressor(fitted, method="prefit").fit(NEW[:300], Y_NEW[:300])
    assert model.estimators_ == [fitted]
    assert abs(share_held(model, 0.9) - 0.9) < 0.05
    with pytest.raises(NotFittedError):
        ConformalRegressor(PLAIN, method="prefit").fit(X, Y)


def test_folds_use_every_row_once_and_the_prediction_is_their_mean():
    model = ConformalRegressor(PLAIN, cv=4, random_state=0).fit(X, Y)
    assert [len(scores) for scores in model.scores_] == [100] * 4
    each = [one.predict(NEW) for one in model.estimators_]
    assert_allclose(model.predict(NEW), np.mean(each, axis=0))
    again = ConformalRegressor(PLAIN, cv=4, random_state=0).fit(X, Y)
    assert_array_equal(again.predict_interval(NEW), model.predict_interval(NEW))


@methods
@pytest.mark.parametrize("conformity", ["adaptive", "threshold"])
def test_sets_hold_what_they_promise(method, conformity):
    model = ConformalClassifier(CLASSES, method=method, conformity=conformity, random_state=0)
    model.fit(X, LABELS)
    inside = model.predict_set(NEW, 0.9)
    codes = np.searchsorted(model.classes_, LABELS_NEW)
    assert 0.85 < inside[np.arange(2000), codes].mean() < 0.96
    assert 1 < inside.sum(axis=1).mean() < 2.5
    assert_allclose(model.predict_proba(NEW).sum(axis=1), 1)
    assert 0.6 < model.score(NEW, LABELS_NEW) < 0.9
    assert inside[np.arange(2000), np.searchsorted(model.classes_, model.predict(NEW))].all()


def test_split_sets_are_the_function_on_the_rows_held_out():
    fitted = clone(CLASSES).fit(X, LABELS)
    model = ConformalClassifier(fitted, method="prefit").fit(NEW[:500], LABELS_NEW[:500])
    dist = fitted.predict_dist(NEW)
    expected = conformal_sets(dist[:500], LABELS_NEW[:500], dist[500:], 0.9)
    assert_array_equal(model.predict_set(NEW[500:], 0.9), expected)
    with pytest.raises(ValueError, match="y has the label 'other'"):
        model.fit(NEW[:3], ["low", "other", "top"])


def test_any_classifier_with_probabilities_will_do_and_a_fold_may_lack_a_class():
    labels = LABELS.copy()
    labels[:2] = "rare"
    folds = [(np.arange(0, 200), np.arange(200, 400)), (np.arange(200, 400), np.arange(0, 200))]
    model = ConformalClassifier(LogisticRegression(), cv=folds).fit(X, labels)
    assert model.classes_.tolist() == ["low", "middle", "rare", "top"]
    assert model.estimators_[1].classes_.tolist() == ["low", "middle", "top"]
    assert model.predict_set(NEW, 0.9).shape == (2000, 4)
    assert (model.predict_proba(NEW)[:, 2] < 0.1).all()


def test_frames_series_and_pipelines():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["d"] = pd.Categorical(np.where(X[:, 2] > 0, "up", "down"))
    frame.index += 1000
    y = pd.Series(Y, index=frame.index)
    model = ConformalRegressor(PLAIN, cv=3, random_state=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    polar = ConformalRegressor(PLAIN, cv=3, random_state=0)
    polar.fit(pl.from_pandas(frame), pl.Series(Y))
    assert_allclose(polar.predict_interval(pl.from_pandas(frame)), model.predict_interval(frame))
    piped = ConformalRegressor(make_pipeline(StandardScaler(), PLAIN), method="split")
    assert abs(share_held(piped.fit(X, Y, sample_weight=np.ones(400)), 0.9) - 0.9) < 0.08


def test_groups_stay_together():
    groups = np.arange(400) % 40
    model = ConformalRegressor(PLAIN, cv=4, random_state=0).fit(X, Y, groups=groups)
    assert [len(scores) for scores in model.scores_] == [100] * 4
    splitter = ConformalRegressor(PLAIN, cv=GroupKFold(5)).fit(X, Y, groups=groups)
    assert len(splitter.scores_) == 5


def test_rows_of_weight_zero_neither_train_nor_calibrate():
    weight = np.repeat([1.0, 0.0], 200)
    spoiled = np.where(weight > 0, Y, 1e6)
    model = ConformalRegressor(PLAIN, random_state=0).fit(X, spoiled, weight)
    assert sum(len(scores) for scores in model.scores_) == 200
    assert abs(share_held(model, 0.9) - 0.9) < 0.07


def test_an_exposure_goes_along_with_its_rows():
    rng = np.random.default_rng(5)
    exposure = rng.uniform(1, 20, 400)
    counts = rng.poisson(exposure * np.exp(X[:, 0]))
    model = ConformalRegressor(
        WGBRegressor(n_estimators=30, response="poisson", random_state=0, n_jobs=1), random_state=0
    ).fit(X, counts, exposure=exposure)
    drawn = rng.poisson(5.0 * np.exp(NEW[:, 0]))
    low, high = model.predict_interval(NEW, 0.9, exposure=np.full(2000, 5.0)).T
    assert 0.85 < ((low <= drawn) & (drawn <= high)).mean() < 0.98


def test_impossible_requests_raise_before_the_fit_and_change_nothing():
    model = ConformalRegressor(PLAIN, method="split", random_state=0)
    with pytest.raises(NotFittedError):
        model.predict_interval(NEW)
    before = model.fit(X, Y).predict_interval(NEW[:5])
    with pytest.raises(ValueError, match="X has 400 rows, y has 399"):
        model.fit(X, Y[1:])
    with pytest.raises(ValueError, match="inf"):
        model.fit(X, np.where(Y > 1, np.inf, Y))
    with pytest.raises(ValueError, match="confidence=1 needs infinitely many rows"):
        model.predict_interval(NEW, 1.0)
    assert_array_equal(model.predict_interval(NEW[:5]), before)
    with pytest.raises(ValueError, match=r"method='crossed' must be .* did you mean 'cross'"):
        ConformalRegressor(PLAIN, method="crossed").fit(X, Y)
    with pytest.raises(TypeError, match="has no predict_dist"):
        ConformalRegressor(LogisticRegression()).fit(X, Y)
    few = ConformalRegressor(PLAIN, method="split").fit(X[:40], Y[:40])
    with pytest.warns(UserWarning, match="39 rows are needed"):
        intervals = few.predict_interval(NEW, 0.975)
    assert np.isinf(intervals).all()


@pytest.mark.parametrize(
    ("cv", "kind", "message"),
    [
        ([(np.arange(400), np.arange(300, 400))], ValueError, "100 test rows and 100 rows in both"),
        ([(np.arange(300), [])], ValueError, "0 test rows"),
        ([(np.arange(300), np.arange(300, 401))], ValueError, "has the row 400; there are 400"),
        ([], ValueError, "has no folds"),
    ],
)
def test_rows_that_calibrate_a_model_must_be_new_to_it(cv, kind, message, monkeypatch):
    monkeypatch.setattr(WGBRegressor, "fit", None)  # nothing is fitted
    with pytest.raises(kind, match=message):
        ConformalRegressor(PLAIN, cv=cv).fit(X, Y)


def test_y_that_has_no_intervals_is_refused_before_any_fit(monkeypatch):
    several = clone(PLAIN).set_params(response="multivariate_normal")
    monkeypatch.setattr(WGBRegressor, "fit", None)
    monkeypatch.setattr(WGBClassifier, "fit", None)
    for response in ("categorical", "ordinal", Categorical()):
        classes = clone(CLASSES).set_params(response=response)
        with pytest.raises(ValueError, match=r"classes have no intervals.*ConformalClassifier"):
            ConformalRegressor(make_pipeline(StandardScaler(), classes)).fit(X, Y > 0)
    with pytest.raises(ValueError, match=r"censored y cannot be scored"):
        ConformalRegressor(PLAIN).fit(X, censored(Y, np.where(Y > 1, np.inf, Y)))
    with pytest.raises(ValueError, match=r"y has shape \(400, 2\); intervals are for one column"):
        ConformalRegressor(several).fit(X, np.column_stack([Y, Y]))


def test_what_cannot_be_scored_is_found_out_with_the_first_model(monkeypatch):
    monkeypatch.setattr(ConformalRegressor, "_scores", lambda _self, _fold: 1 / 0)
    calls, fit = [], WGBRegressor.fit
    monkeypatch.setattr(WGBRegressor, "fit", lambda *a, **k: calls.append(1) or fit(*a, **k))
    with pytest.raises(ZeroDivisionError):
        ConformalRegressor(PLAIN, cv=5).fit(X, Y)
    assert len(calls) == 1


def test_one_group_cannot_be_held_out():
    for method, message in (
        ("split", "groups have 1 label; at least 2"),
        ("cross", "5 folds of 1 group"),
    ):
        with pytest.raises(ValueError, match=message):
            ConformalRegressor(PLAIN, method=method).fit(X, Y, groups=np.zeros(400))


def test_a_grid_search_sets_parameters_of_the_inner_model():
    search = GridSearchCV(
        ConformalRegressor(PLAIN, method="split", random_state=0),
        {"estimator__n_estimators": [1, 30], "conformity": ["cdf"]}, cv=2,
    ).fit(X, Y)  # fmt: skip
    assert search.best_params_["estimator__n_estimators"] == 30
