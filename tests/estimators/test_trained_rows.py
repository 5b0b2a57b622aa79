"""Rows that a model was trained on are told from new ones, where only new ones will do."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from wgboost import (
    ConformalClassifier,
    ConformalRegressor,
    WGBClassifier,
    WGBRegressor,
    WGBRegressorCV,
    load,
)
from wgboost.conformal.base import KnowsTrainingRows
from wgboost.training.copies import row_hashes
from wgboost.training.row_hashes import hash_rows, known_share

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 3))
Y = X[:, 0] + 0.3 * RNG.normal(size=300)
FEW = {"n_estimators": 8, "n_particles": 3, "random_state": 0, "n_jobs": 1}
TRAINED = "of the rows given are rows that the model was trained on"


@pytest.fixture(scope="module")
def model():
    return WGBRegressor(evidence=3.0, early_stopping=False, **FEW).fit(X[:200], Y[:200])


def silent(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(*args, **options)


def test_calibration_on_training_rows_is_no_longer_silent(model, tmp_path):
    with pytest.warns(UserWarning, match=rf"100% {TRAINED}.*calibrate\(X, y, cv=5\)"):
        model.calibrate(X[:200], Y[:200])
    with pytest.warns(UserWarning, match=TRAINED):
        model.calibrate(X[50:150][::-1].tolist(), Y[50:150][::-1].tolist())
    silent(model.calibrate, X[200:], Y[200:])
    silent(model.calibrate, X[:200], RNG.normal(size=200))  # measured again at the same features
    model.save(tmp_path / "model.wgb")
    with pytest.warns(UserWarning, match=TRAINED):
        load(tmp_path / "model.wgb").calibrate(X[:200], Y[:200])


def test_rows_in_single_precision_are_the_same_rows(model):
    for kinds in ((np.float32, np.float64), (np.float32, np.float32), (np.float64, np.float32)):
        with pytest.warns(UserWarning, match=rf"100% {TRAINED}"):
            model.calibrate(X[:200].astype(kinds[0]), Y[:200].astype(kinds[1]))
    single = WGBRegressor(evidence=3.0, early_stopping=False, **FEW)
    single.fit(X[:200].astype(np.float32), Y[:200])
    with pytest.warns(UserWarning, match=rf"100% {TRAINED}"):
        single.calibrate(X[:200], Y[:200])


def test_hashes_of_earlier_files_in_double_precision_still_tell():
    rows = row_hashes(X[:200].T, 200), row_hashes([*X[:200].T, Y[:200]], 200)
    old = np.stack(rows).view(np.int64)
    assert known_share(old, X[100:], Y[100:]) == (0.5, 200)


def test_a_bag_counts_the_rows_of_any_member():
    bag = WGBRegressorCV([{"evidence": 3.0}], cv=3, **FEW).fit(X[:200], Y[:200])
    with pytest.warns(UserWarning, match=rf"100% {TRAINED}"):
        bag.calibrate(X[:200], Y[:200])


def test_ood_references_and_conformal_wrappers_say_so_too(model):
    with pytest.warns(UserWarning, match=rf"{TRAINED}.*calibrate_ood\(X, y, cv=5\)"):
        model.calibrate_ood(X[:200])
    silent(model.calibrate_ood, X[200:])
    wrapped = ConformalRegressor(model, method="prefit")
    with pytest.warns(UserWarning, match=rf'{TRAINED}.*method="cross"'):
        wrapped.fit(X[:200], Y[:200])
    silent(wrapped.fit, X[200:], Y[200:])


def test_rows_that_were_held_out_are_new_and_a_bag_knows_the_rows_of_all_members():
    held = np.arange(200) % 2 == 0
    half = WGBRegressor(evidence=3.0, refit=False, **FEW)
    half.fit(X[:200], Y[:200], validation_rows=held)
    silent(half.calibrate, X[:200][held], Y[:200][held])
    bag = WGBRegressorCV([{"evidence": 3.0}], cv=2, **FEW).fit(X[:200], Y[:200])
    with pytest.warns(UserWarning, match=TRAINED):
        bag.calibrate(X[:200][~held], Y[:200][~held])


def test_classes_of_features_that_repeat_are_not_suspected():
    few = RNG.integers(0, 3, size=(300, 2)).astype(float)
    labels = (few[:, 0] > 0).astype(int)
    fitted = WGBClassifier(evidence=3.0, early_stopping=False, **FEW).fit(few[:200], labels[:200])
    silent(fitted.calibrate, few[200:], labels[200:])


def test_a_warm_start_on_other_rows_is_no_longer_silent():
    fitted = WGBRegressor(evidence=3.0, early_stopping=False, warm_start=True, **FEW)
    fitted.fit(X[:150], Y[:150])
    silent(fitted.set_params(n_estimators=10).fit, X[:150], Y[:150])
    silent(fitted.set_params(n_estimators=12).fit, X[:200], Y[:200])  # some more rows
    with pytest.warns(UserWarning, match="a model of other data, which has seen 0% of these rows"):
        fitted.set_params(n_estimators=14).fit(X[200:], Y[200:])


def test_the_share_of_many_rows_is_estimated_from_a_sample():
    many, y = RNG.normal(size=(20_000, 2)), RNG.normal(size=20_000)
    marks = hash_rows(many[:10_000], y[:10_000])
    assert marks.shape == (2, 2048)
    share, told = known_share(marks, many, y)
    assert share == pytest.approx(0.5, abs=0.03)
    assert 3500 < told < 4700
    assert known_share(marks, many[10_000:], y[10_000:])[0] == 0.0
    assert hash_rows(np.zeros((50, 2)), np.arange(50.0)) is None


def test_a_model_that_does_not_know_its_rows_calibrates_without_a_check():
    labels = Y > 0
    foreign = GaussianNB().fit(X[:200], labels[:200])
    own = WGBClassifier(early_stopping=False, **FEW).fit(X[:200], labels[:200])
    assert not isinstance(foreign, KnowsTrainingRows)
    assert isinstance(own, KnowsTrainingRows)
    silent(ConformalClassifier(foreign, method="prefit").fit, X[:200], labels[:200])
    with pytest.warns(UserWarning, match=TRAINED):
        ConformalClassifier(own, method="prefit").fit(X[:200], ~labels[:200])  # features decide
