"""Members of classifier bags that only OOD scores use."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from wgboost import Interrupted, TreeLearner, WGBClassifier, WGBClassifierCV, load, metrics
from wgboost.estimators.preparing import training_data
from wgboost.responses import Categorical, Ordinal
from wgboost.selection import classifier_recipes, ood_recipe
from wgboost.selection.attributes import bag_of_members
from wgboost.selection.classifier import ClassifierBag
from wgboost.selection.ood_members import left_out_class_gain, left_out_classes
from wgboost.selection.successive_halving import FoldResult, fit_folds
from wgboost.training.settings import resolve_settings

RNG = np.random.default_rng(3)
PLACES = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
LABELS = np.repeat(["a", "b", "c"], 40)
X = np.repeat(PLACES, 40, axis=0) + 0.35 * RNG.normal(size=(120, 2))
X = np.hstack([X, RNG.normal(size=(120, 2))])
NEW = np.repeat(PLACES, 20, axis=0) + 0.35 * RNG.normal(size=(60, 2))
NEW = np.hstack([NEW, RNG.normal(size=(60, 2))])
ELSEWHERE = np.hstack([1 + 0.35 * RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2))])
SMALL = {"cv": 5, "n_estimators": 40, "n_particles": 5, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def ood_bag():
    return WGBClassifierCV(ood_members=True, **SMALL).fit(X, LABELS)


def precision(bag):
    scores = (bag.ood_score(rows, method="mutual_information") for rows in (NEW, ELSEWHERE))
    return metrics.ood_average_precision(*scores)


def test_every_fourth_fold_has_an_ood_member_of_its_own(ood_bag):
    table = ood_bag.cv_results_
    assert_array_equal(table["fold"][table["recipe"] == "ood"], [0, 4])
    assert table["kept"].sum() == len(ood_bag.members_) == 5 + 2
    assert ood_bag.best_recipe_ in classifier_recipes(120)
    own = table["recipe"] == ood_bag.best_recipe_
    raced = table["fold"][~own & (table["recipe"] != "ood")]
    alone = own & ~np.isin(table["fold"], raced)  # folds that did not choose the recipe
    assert alone.sum() >= 1
    assert ood_bag.best_value_ == pytest.approx(np.average(table["value"][alone]))  # 24 rows each
    for one in ood_bag.members_[5:]:
        assert one.learner == TreeLearner(leaf="mean")
        assert one.n_estimators_ == 300
    assert_array_equal(ood_bag.members_[5].validation_rows_, ood_bag.members_[0].validation_rows_)
    assert_array_equal(ood_bag.members_[6].validation_rows_, ood_bag.members_[4].validation_rows_)
    resolve_settings(WGBClassifier(**ood_recipe(10**6)).get_params(deep=False))


def test_only_ood_scores_use_ood_members(ood_bag, tmp_path):
    raw = clone(ood_bag).set_params(calibrated=False).fit(X, LABELS)
    mean = np.mean([one.predict_proba(NEW) for one in raw.members_[:5]], axis=0)
    assert_allclose(raw.predict_proba(NEW), mean, atol=1e-6)
    assert ood_bag.predict_dist(NEW).particles.shape[1] == 5 * 5
    for one in (raw, ood_bag):
        dist = one.predict_dist(NEW, calibrated=False)
        mean = np.mean([each.predict_proba(NEW) for each in one.members_], axis=0)
        assert_allclose(dist.probabilities(), mean, atol=1e-6)
        for method in ("max_variance", "mutual_information"):
            assert_array_equal(one.ood_score(NEW, method), metrics.ood_scores(dist, method))
        distance = one.model_.distance(NEW)
        assert_array_equal(one.ood_score(NEW), metrics.ood_scores(dist, distance=distance))
    ood_bag.save(tmp_path / "bag.wgb")
    same = load(tmp_path / "bag.wgb")
    assert_array_equal(same.predict_proba(NEW), ood_bag.predict_proba(NEW))
    assert_array_equal(same.ood_score(NEW), ood_bag.ood_score(NEW))


def test_predictions_with_and_without_ood_members_are_the_same(ood_bag):
    narrow = clone(ood_bag).set_params(ood_members=False).fit(X, LABELS)
    assert_array_equal(ood_bag.predict_proba(NEW), narrow.predict_proba(NEW))
    assert ood_bag.calibration_ == narrow.calibration_
    prior = {"scale": 3.0}
    assert_allclose(ood_bag.predict_proba(NEW, prior=prior), narrow.predict_proba(NEW, prior=prior))
    stages = zip(ood_bag.staged_predict_dist(NEW), narrow.staged_predict_dist(NEW), strict=False)
    for ours, theirs in stages:
        assert_array_equal(ours.particles, theirs.particles)
    again, other = (
        clone(one).fit(X, LABELS).calibrate(NEW, LABELS[::2]) for one in (ood_bag, narrow)
    )
    assert_array_equal(again.predict_proba(NEW), other.predict_proba(NEW))


def test_left_out_classes_decide_whether_there_are_ood_members(ood_bag):
    # Where features without meaning make members for OOD scores uncertain of rows that are known.
    rng, labels = np.random.default_rng(0), np.repeat(["a", "b", "c"], 100)
    many = np.repeat(PLACES, 100, axis=0) + 0.35 * rng.normal(size=(300, 2))
    many = np.hstack([many, rng.normal(size=(300, 2))])
    had, chosen, narrow = (
        clone(ood_bag).set_params(ood_members=one).fit(many, labels) for one in (True, None, False)
    )
    assert precision(had) < precision(narrow) - 0.1
    assert len(chosen.members_) == len(narrow.members_) == 5
    assert_array_equal(chosen.predict_proba(NEW), narrow.predict_proba(NEW))


@pytest.mark.parametrize(("gain", "added"), [(0.051, True), (0.049, False), (-0.2, False)])
def test_ood_members_need_a_minimal_gain(monkeypatch, ood_bag, gain, added):
    kind = "wgboost.selection.classifier"
    monkeypatch.setattr(f"{kind}.left_out_class_gain", lambda *_, **__: gain)
    few = {"n_estimators": 2, "n_particles": 2, "cv": 2, "ood_members": None}
    bag = clone(ood_bag).set_params(**few).fit(X, LABELS)
    assert (len(bag.members_) > 2) is added


def test_ood_members_count_in_scores_as_others_do(ood_bag):
    more = [{"n_particles": 9, "evidence": 3.0}]
    bag = clone(ood_bag).set_params(recipes=more, ood_members=True, calibrated=False).fit(X, LABELS)
    assert len(bag.members_) > 5
    each = [one.predict_proba(NEW) for one in bag.members_]
    dist = bag.predict_dist(NEW, calibrated=False)
    assert_allclose(dist.probabilities(), np.mean(each, axis=0), atol=1e-12)


def test_the_gain_is_that_of_rows_of_classes_outside_of_training():
    split = np.flatnonzero(np.arange(120) % 4), np.arange(0, 120, 4)
    classes = []

    def fitted(train, inside):
        classes.append(set(LABELS[train]) | set(LABELS[inside]))
        settings = {"early_stopping": False, "n_particles": 3, "random_state": 0, "n_jobs": 1}
        few, many = (WGBClassifier(n_estimators=n, **settings) for n in (1, 30))
        return few.fit(X[train], LABELS[train]), many.fit(X[train], LABELS[train])

    gains = []
    for one in "abc":
        inside = split[1][LABELS[split[1]] != one]
        models = fitted(split[0][LABELS[split[0]] != one], inside)
        parts = [
            [m.ood_score(x, method="mutual_information") for x in (X[inside], X[one == LABELS])]
            for m in models
        ]
        few, many = (metrics.ood_average_precision(*part) for part in parts)
        gains.append(many - few)
    assert left_out_class_gain(LABELS, split, fitted, X.__getitem__) == pytest.approx(
        np.mean(gains)
    )
    assert classes[3:] == [{"b", "c"}, {"a", "c"}, {"a", "b"}]
    late = left_out_class_gain(LABELS, split, fitted, X.__getitem__, budget=0.0)
    assert late == 0.0


@pytest.mark.parametrize(
    ("sizes", "left_out"),
    [({"a": 50, "b": 50}, []), ({"a": 20, "b": 50, "c": 9}, ["b", "a"]),
     ({**dict.fromkeys("abcdefg", 20), "h": 90}, ["h", *"abcde"])],
)  # fmt: skip
def test_the_largest_classes_are_left_out(sizes, left_out):
    labels = np.repeat(list(sizes), list(sizes.values()))
    assert list(left_out_classes(labels)) == left_out


def test_calibration_sees_the_members_of_a_fold_together(ood_bag):
    # Without factors the rows of a fold would have the mean of both its members.
    fold = ood_bag.members_[0].validation_rows_
    both = np.mean([ood_bag.members_[i].predict_proba(X[fold]) for i in (0, 5)], axis=0)
    scores = bag_of_members(ood_bag, [ood_bag.members_[i] for i in (0, 5)]).predict_proba(X[fold])
    assert_allclose(scores, both, atol=1e-6)
    assert len(ood_bag.ood_reference_) == 120


@pytest.mark.filterwarnings("ignore:text labels are taken in the order a < b < c")
@pytest.mark.parametrize(
    "options",
    [{"response": Categorical(n_classes=3)}, {"response": Ordinal(n_classes=3)},
     {"class_weight": {"a": 2.0, "b": 3.0}},
     {"response": Categorical(prior_scale=np.linspace(2, 4, 120))}],
    ids=["categorical", "ordinal", "class_weight", "prior"],
)  # fmt: skip
def test_classes_are_left_out_with_any_options_of_classes(options, capsys):
    few = {**SMALL, "cv": 2, "n_estimators": 2, "n_particles": 2}
    bag = WGBClassifierCV(verbose=1, **few, **options).fit(X, LABELS)
    assert "classes left out: average precision" in capsys.readouterr().out
    assert bag.predict_proba(NEW).shape == (60, 3)


def test_of_two_classes_none_is_left_out(capsys):
    few = {**SMALL, "cv": 2, "n_estimators": 2, "n_particles": 2}
    bag = WGBClassifierCV(verbose=1, **few).fit(X, LABELS == "a")
    assert "left out" not in capsys.readouterr().out
    known = dict.fromkeys(("sample_weight", "offset", "exposure", "y_std"))
    params = bag.members_[0].get_params(deep=False)
    _, data = training_data("WGBClassifier", params, X, {"y": LABELS == "a", **known})
    # So that all of a time_budget is the race's.
    assert ClassifierBag(bag.get_params(deep=False)).ood_recipe(data) is None


def test_own_recipes_have_ood_members_on_request_only():
    few = {**SMALL, "n_estimators": 3, "n_particles": 2}
    given = WGBClassifierCV({"ood": {"learning_rate": 0.3}}, **few).fit(X, LABELS)
    assert len(given.members_) == 5
    both = clone(given).set_params(ood_members=True).fit(X, LABELS)
    assert set(both.cv_results_["recipe"]) == {"ood", "ood_"}
    with pytest.raises(TypeError, match="ood_members='yes' must be True, False or None"):
        WGBClassifierCV(ood_members="yes").fit(X, LABELS)


def test_ctrl_c_in_an_ood_member_leaves_the_others():
    calls = []

    def nll_until(dist, y):
        calls.append(len(y))
        if len(calls) == 5 * 4 + 10:  # in the first of them
            raise KeyboardInterrupt
        return metrics.nll(dist, y)

    few = {**SMALL, "n_estimators": 3, "n_particles": 2, "n_iter_no_change": None}
    with pytest.warns(Interrupted, match="the bag consists of 5 models"):
        bag = WGBClassifierCV([{}], ood_members=True, eval_metric=nll_until, **few).fit(X, LABELS)
    assert bag.interrupted_
    assert np.isfinite(bag.predict_proba(NEW)).all()


@pytest.mark.parametrize(("budget", "done"), [(None, 3), (7.0, 3), (5.5, 2), (3.0, 1), (0.0, 0)])
def test_nothing_is_begun_that_takes_longer_than_is_left(budget, done):
    now = [0.0]

    def fit(recipe, fold):
        now[0] += 2.0
        return FoldResult(recipe, fold, 0.0, 1.0, 2.0)

    entries, interrupted = fit_folds("one", [0, 4, 8], fit, budget=budget, clock=lambda: now[0])
    assert [entry.fold for entry in entries] == [0, 4, 8][:done]
    assert not interrupted
