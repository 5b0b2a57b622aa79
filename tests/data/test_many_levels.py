"""Models of categories with more levels than codes: rare ones share a code with similar ones."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import wgboost
from wgboost import WGBClassifier, WGBRegressor, WGBRegressorCV
from wgboost.data.level_groups import LevelGroups
from wgboost.metrics import nll
from wgboost.persistence import ModelFileError
from wgboost.smooth.columns import Columns

LEVELS = 500
SETTINGS = {
    "n_particles": 3, "n_estimators": 30, "evidence": 10.0, "early_stopping": False,
    "categorical_features": [0], "random_state": 0, "n_jobs": 1,
}  # fmt: skip


def made(seed, n, strength):
    """A category, two numbers, and y; levels shift y by `strength` standard deviations."""
    rng = np.random.default_rng(seed)
    level, x = rng.integers(0, LEVELS, n), rng.normal(size=(n, 2))
    effect = strength * np.random.default_rng(0).normal(size=LEVELS)
    return np.column_stack([level, x]), x[:, 0] + effect[level] + rng.normal(size=n)


def in_three(y):
    return np.digitize(y, [-1.0, 1.0])


def loss(estimator, strength, *, classes, columns=slice(None)):
    """The NLL of 3,000 new rows after a fit to 2,000."""
    (X, y), (X_new, y_new) = made(1, 2000, strength), made(2, 3000, strength)
    if classes:
        y, y_new = in_three(y), in_three(y_new)
    category = [0] if columns == slice(None) else None
    model = estimator(**{**SETTINGS, "categorical_features": category})
    return nll(model.fit(X[:, columns], y).predict_dist(X_new[:, columns]), y_new)


BOTH = pytest.mark.parametrize(
    ("estimator", "classes"), [(WGBRegressor, False), (WGBClassifier, True)], ids=["y", "classes"]
)


@BOTH
def test_many_levels_that_matter_are_used(estimator, classes):
    without = loss(estimator, 1.0, classes=classes, columns=slice(1, None))
    assert loss(estimator, 1.0, classes=classes) < without - 0.05


@BOTH
def test_many_levels_of_noise_cost_little(estimator, classes):
    without = loss(estimator, 0.0, classes=classes, columns=slice(1, None))
    assert loss(estimator, 0.0, classes=classes) < without + 0.01


def test_a_weight_of_two_is_a_row_twice():
    X, y = made(3, 900, 1.0)
    weight = np.random.default_rng(0).integers(1, 3, 900)
    options = {**SETTINGS, "n_estimators": 4}
    weighted = WGBRegressor(**options).fit(X, y, sample_weight=weight)
    twice = WGBRegressor(**options).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.model_.ensemble.level_groups.same_as(twice.model_.ensemble.level_groups)
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def fitted():
    X, y = made(1, 1500, 1.0)
    return WGBRegressor(**{**SETTINGS, "n_estimators": 8}).fit(X, y)


def test_models_with_groups_are_saved_and_pickled(fitted, tmp_path):
    X = made(2, 200, 1.0)[0]
    fitted.save(tmp_path / "model.wgb")
    loaded = wgboost.load(tmp_path / "model.wgb")
    assert loaded.predict(X).tobytes() == fitted.predict(X).tobytes()
    assert pickle.loads(pickle.dumps(fitted)).predict(X).tobytes() == fitted.predict(X).tobytes()
    staged = list(fitted.staged_predict(X))[-1]
    np.testing.assert_allclose(staged, fitted.predict(X), rtol=1e-5, atol=1e-6)


def test_threads_change_nothing(fitted):
    X, y = made(1, 1500, 1.0)
    other = clone(fitted).set_params(n_jobs=2).fit(X, y)
    assert other.predict(X).tobytes() == fitted.predict(X).tobytes()


def test_to_continue_gives_the_model_of_one_run(fitted):
    X, y = made(1, 1500, 1.0)
    paused = clone(fitted).set_params(n_estimators=3, warm_start=True).fit(X, y)
    paused.set_params(n_estimators=8).fit(X, y)
    assert paused.predict(X).tobytes() == fitted.predict(X).tobytes()


def test_other_rows_are_added_with_the_groups_of_before(fitted):
    X, y = made(1, 1500, 1.0)
    model = clone(fitted).set_params(n_estimators=3, warm_start=True).fit(X, y)
    before = model.model_.ensemble.level_groups
    with pytest.warns(UserWarning, match="a model of other data"):
        model.set_params(n_estimators=5).fit(*made(5, 1500, 1.0))
    assert model.model_.ensemble.level_groups.same_as(before)
    assert model.n_estimators_ == 5


def test_new_levels_are_missing(fitted):
    X = made(2, 50, 1.0)[0]
    unknown, missing = X.copy(), X.copy()
    unknown[:, 0], missing[:, 0] = 1e6, np.nan
    assert fitted.predict(unknown).tobytes() == fitted.predict(missing).tobytes()


def test_held_out_rows_have_no_part_in_the_groups():
    X, y = made(1, 1500, 1.0)
    held = np.arange(0, 1500, 5)
    y_other = y.copy()
    y_other[held] = y[held][::-1]
    options = {**SETTINGS, "n_estimators": 3, "refit": False}
    one, other = (
        WGBRegressor(**options).fit(X, values, validation_rows=held) for values in (y, y_other)
    )
    assert one.model_.ensemble.level_groups.same_as(other.model_.ensemble.level_groups)


def test_bags_take_many_levels():
    (X, y), (X_new, y_new) = made(1, 1500, 1.0), made(2, 1000, 1.0)
    recipe = [{"n_estimators": 30, "evidence": 10.0, "n_particles": 3}]
    options = {"cv": 2, "categorical_features": [0], "random_state": 0, "n_jobs": 1}
    bag = WGBRegressorCV(recipe, **options).fit(X, y)
    one, other = (member.model_.ensemble.level_groups for member in bag.members_[:2])
    assert not one.same_as(other)
    without = WGBRegressor(**{**SETTINGS, "categorical_features": None}).fit(X[:, 1:], y)
    assert bag.score(X_new, y_new) > without.score(X_new[:, 1:], y_new) + 0.05


def test_a_smooth_start_has_at_most_255_levels():
    X = np.r_[np.arange(400.0), np.nan][:, None]
    columns = Columns.fit(X, np.array([400]))
    assert columns.level.tolist() == [-1, *range(255)]
    assert columns.apply(np.array([[254.0], [399.0]])).argmax(axis=1).tolist() == [255, 255]


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("feature", lambda a: a + 1),
        ("feature", lambda a: a.astype(np.int32)),
        ("n_codes", lambda a: a + 300),
        ("n_codes", lambda a: a[:0]),
        ("first_level", lambda a: a + 1),
        ("codes", lambda a: a[1:]),
        ("codes", lambda a: a + np.uint8(200)),
    ],
)
def test_files_with_groups_that_do_not_fit_are_refused(fitted, tmp_path, part, change):
    groups = fitted.model_.ensemble.level_groups
    parts = {name: getattr(groups, name) for name in ("feature", "n_codes", "first_level", "codes")}
    with pytest.raises(ValueError, match="level groups"):
        LevelGroups(**{**parts, part: change(parts[part])}).check(fitted.model_.schema.n_levels)
    broken = pickle.loads(pickle.dumps(fitted))
    vars(broken.model_.ensemble)["level_groups"] = LevelGroups(
        **{**parts, part: change(parts[part])}
    )
    broken.save(tmp_path / "broken.wgb")
    with pytest.raises(ModelFileError, match="level groups"):
        wgboost.load(tmp_path / "broken.wgb")


def test_a_file_without_groups_of_so_many_levels_is_refused(fitted, tmp_path):
    broken = pickle.loads(pickle.dumps(fitted))
    vars(broken.model_.ensemble)["level_groups"] = None
    broken.save(tmp_path / "broken.wgb")
    with pytest.raises(ModelFileError, match="more levels than codes"):
        wgboost.load(tmp_path / "broken.wgb")
