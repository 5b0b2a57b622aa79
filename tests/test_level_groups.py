"""Categories with more levels than there are codes: rare levels share one with similar levels."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import wgboost
from wgboost import WGBClassifier, WGBRegressor, WGBRegressorCV
from wgboost.data import LevelGroups, group_levels
from wgboost.data.level_groups import _FOLDS, _boxes, _effects, _folds
from wgboost.metrics import nll
from wgboost.persistence import ModelFileError
from wgboost.smooth import Columns

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


def directions(level, seed, strength=1.0):
    rng = np.random.default_rng(seed)
    effect = strength * np.random.default_rng(0).normal(size=level.max() + 1)
    return (effect[level] + rng.normal(size=len(level))).astype(np.float32)[:, None, None]


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


def test_codes_say_as_much_of_new_rows_as_of_training_rows():
    rng = np.random.default_rng(1)
    level, later = rng.integers(0, 4000, 12_000), rng.integers(0, 4000, 200_000)
    g, g_later = directions(level, 2), directions(later, 3)
    X, n_levels = level[:, None].astype(float), np.array([4000])
    groups, coded = group_levels(X, n_levels, g, None, None, np.random.default_rng(0))
    new = groups.apply(later[:, None].astype(float))
    effects = []
    for code in np.unique(coded):
        mine, theirs = g[coded[:, 0] == code, 0, 0], g_later[new[:, 0] == code, 0, 0]
        error = np.hypot(mine.std() / np.sqrt(len(mine)), theirs.std() / np.sqrt(len(theirs)))
        assert abs(mine.mean() - theirs.mean()) < 4 * error
        effects.append(theirs.mean())
    assert np.ptp(effects) > 1.5
    assert len(effects) == groups.n_codes[0] == 16


def test_effects_follow_from_their_formula():
    rng = np.random.default_rng(4)
    level = np.repeat(np.arange(60), 6)[rng.permutation(360)]
    g = directions(level, 5)[:, 0].astype(float)
    w, one = np.ones(360), np.ones((360, 1))
    effects, elsewhere = _effects(level, np.bincount(level), g, one, w, np.random.default_rng(7))
    fold = _folds(level, np.random.default_rng(7))
    y = g[:, 0] - g.mean()
    means = np.array([y[level == k].mean() for k in range(60)])
    within = np.square(y - means[level]).sum() / 300
    chance = 59 + np.sqrt(2 * 59 * (1 + 59 / 300))
    between = (6 * np.square(means).sum() - chance * within) / (360 - 6)
    for k in range(60):
        # The prediction of a random effect: its covariance with y by the inverse covariance of y.
        mine = y[level == k]
        covariance = within * np.eye(6) + between
        predicted = between * np.linalg.solve(covariance, mine).sum()
        assert effects[k, 0] == pytest.approx(predicted / np.sqrt(within))
    for i in range(0, 360, 17):
        others = y[(level == level[i]) & (fold != fold[i])]
        covariance = within * np.eye(len(others)) + between
        predicted = between * np.linalg.solve(covariance, others).sum()
        assert elsewhere[i, 0] == pytest.approx(predicted / np.sqrt(within))


def test_the_rows_of_a_level_are_spread_over_folds():
    level = np.random.default_rng(0).integers(0, 50, 400)
    fold = _folds(level, np.random.default_rng(1))
    counts = np.array([np.bincount(fold[level == k], minlength=_FOLDS) for k in range(50)])
    assert np.ptp(counts, axis=1).max() <= 1


def test_boxes_part_both_sets_of_points_alike():
    rng = np.random.default_rng(0)
    points, others = rng.normal(size=(300, 2)) * [1, 3], rng.normal(size=(200, 2)) * [1, 3]
    boxes, boxes_of_others = _boxes(points, np.ones(300), others)
    assert np.unique(boxes).tolist() == list(range(16))
    for box in range(16):
        inside, there = points[boxes == box], others[boxes_of_others == box]
        outside = points[boxes != box]
        low, high = inside.min(axis=0), inside.max(axis=0)
        assert not ((outside >= low) & (outside <= high)).all(axis=1).any()
        near = ((others >= low) & (others <= high)).all(axis=1)
        assert (boxes_of_others[near] == box).all()
        assert len(there) >= near.sum()


def test_frequent_levels_have_codes_of_their_own_and_missing_ones_none():
    rng = np.random.default_rng(2)
    level = np.r_[np.repeat(np.arange(3), 200), rng.integers(3, 400, 800)].astype(float)
    g = directions(level.astype(int), 3)
    X = np.r_[level, np.nan][:, None]
    g = np.concatenate([g, g[:1]])
    groups, coded = group_levels(X, np.array([400]), g, None, None, np.random.default_rng(0))
    codes = groups.codes_of(0)
    assert len(set(codes[:3])) == 3
    assert not set(codes[:3]) & set(codes[3:])
    assert (coded[:600, 0] == np.repeat(codes[:3], 200)).all()
    assert np.isnan(coded[-1, 0])
    odd = np.array([400.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 1e300])[:, None]
    assert np.isnan(groups.apply(odd)).all()


def test_levels_of_noise_share_one_code_unless_they_are_frequent():
    shared = 0
    for seed in range(20):
        level = np.random.default_rng(seed).integers(0, 1000, 3000)
        g = directions(level, seed + 100, strength=0.0)
        X = level[:, None].astype(float)
        groups, _ = group_levels(X, np.array([1000]), g, None, None, np.random.default_rng(0))
        shared += groups.n_codes[0] == 1
    assert shared >= 12  # a variance above zero by a standard deviation has a chance of 0.16


def test_a_weight_of_two_is_a_row_twice():
    X, y = made(3, 900, 1.0)
    weight = np.random.default_rng(0).integers(1, 3, 900)
    options = {**SETTINGS, "n_estimators": 4}
    weighted = WGBRegressor(**options).fit(X, y, sample_weight=weight)
    twice = WGBRegressor(**options).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.ensemble_.level_groups.same_as(twice.ensemble_.level_groups)
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
    before = model.ensemble_.level_groups
    with pytest.warns(UserWarning, match="a model of other data"):
        model.set_params(n_estimators=5).fit(*made(5, 1500, 1.0))
    assert model.ensemble_.level_groups.same_as(before)
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
    assert one.ensemble_.level_groups.same_as(other.ensemble_.level_groups)


def test_bags_take_many_levels():
    (X, y), (X_new, y_new) = made(1, 1500, 1.0), made(2, 1000, 1.0)
    recipe = [{"n_estimators": 30, "evidence": 10.0, "n_particles": 3}]
    options = {"cv": 2, "categorical_features": [0], "random_state": 0, "n_jobs": 1}
    bag = WGBRegressorCV(recipe, **options).fit(X, y)
    one, other = (member.ensemble_.level_groups for member in bag.members_[:2])
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
    groups = fitted.ensemble_.level_groups
    parts = {name: getattr(groups, name) for name in ("feature", "n_codes", "first_level", "codes")}
    with pytest.raises(ValueError, match="level groups"):
        LevelGroups(**{**parts, part: change(parts[part])}).check(fitted.schema_.n_levels)
    broken = pickle.loads(pickle.dumps(fitted))
    vars(broken.ensemble_)["level_groups"] = LevelGroups(**{**parts, part: change(parts[part])})
    broken.save(tmp_path / "broken.wgb")
    with pytest.raises(ModelFileError, match="level groups"):
        wgboost.load(tmp_path / "broken.wgb")


def test_a_file_without_groups_of_so_many_levels_is_refused(fitted, tmp_path):
    broken = pickle.loads(pickle.dumps(fitted))
    vars(broken.ensemble_)["level_groups"] = None
    broken.save(tmp_path / "broken.wgb")
    with pytest.raises(ModelFileError, match="more levels than codes"):
        wgboost.load(tmp_path / "broken.wgb")
