"""Bags: what their members have in common, and that predictions are mixtures of theirs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GroupKFold

from wgboost import TreeLearner, WGBClassifierCV, WGBRegressorCV, censored, metrics
from wgboost.responses import Categorical, Ordinal

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
Y = 5 + np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=90)
NEW = np.random.default_rng(9).normal(size=(40, 3))
LABELS = np.array(["low", "mid", "top"])[np.digitize(Y, [4.6, 5.4])]
RECIPES = {
    "plain": {"learning_rate": 0.3, "evidence": 3.0},
    "newton": {
        "learning_rate": 0.3, "learner": TreeLearner(leaf="newton"), "l2": 1.0, "evidence": 10.0,
    },
}  # fmt: skip
SMALL = {
    "cv": 3, "n_estimators": 12, "n_iter_no_change": 4, "n_particles": 4, "random_state": 0,
    "n_jobs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def bag():
    return WGBRegressorCV(RECIPES, **SMALL).fit(X, Y)


@pytest.fixture(scope="module")
def classes():
    return WGBClassifierCV(RECIPES, **SMALL).fit(X, LABELS)


def test_every_row_is_in_one_fold_and_members_have_the_units_of_all_rows(bag):
    held = np.concatenate([one.validation_rows_ for one in bag.members_])
    assert_array_equal(np.sort(held), np.arange(90))
    for one in bag.members_:
        assert (one.model_.units.shift, one.model_.units.scale) == (
            Y.mean(),
            pytest.approx(Y.std()),
        )
        assert not one.refitted_


def test_the_density_of_a_bag_is_the_mean_of_its_members(bag):
    raw = clone(bag).set_params(calibrated=False).fit(X, Y)
    assert not hasattr(raw, "calibration_")
    mean = np.mean([one.predict_dist(NEW).pdf(Y[:40]) for one in raw.members_], axis=0)
    assert_allclose(raw.predict_dist(NEW).pdf(Y[:40]), mean, rtol=1e-6)
    each = [one.predict(NEW) for one in raw.members_]
    assert_allclose(raw.predict(NEW), np.mean(each, axis=0), rtol=1e-6)
    dist, parts = raw.predict_dist(NEW), raw.predict_uncertainty(NEW)
    assert (dist.disagreement() >= np.var(each, axis=0) - 1e-9).all()
    assert_allclose(parts["aleatoric"] + parts["epistemic"], dist.var())
    assert (parts["aleatoric"] >= 0.05 * dist.var() * (1 - 1e-6)).all()
    errors = np.mean([one.predict_dist(NEW).error for one in raw.members_], axis=0)
    assert (dist.error < errors).all()  # the mean of members errs less than they do
    largest = np.minimum(dist.error[:, 0] * dist.units.scale**2, 0.95 * dist.var())
    assert_allclose(parts["epistemic"], largest, rtol=2e-3)


def test_members_with_a_smooth_start_have_shifts_of_their_own():
    recipes = {"smooth": {"init": "smooth", "learning_rate": 0.3, "evidence": 3.0}}
    raw = WGBRegressorCV(recipes, **SMALL, calibrated=False).fit(X, Y)
    means = [one.model_.start.shift(NEW).location for one in raw.members_]
    assert np.ptp(means, axis=0).min() > 0
    dist, each = raw.predict_dist(NEW), [one.predict_dist(NEW) for one in raw.members_]
    assert_allclose(dist.pdf(Y[:40]), np.mean([one.pdf(Y[:40]) for one in each], axis=0), rtol=1e-6)
    *_, last = raw.staged_predict_dist(NEW)
    assert_array_equal(last.particles, dist.particles)


def test_probabilities_of_a_bag_are_means_too(classes):
    del (again := clone(classes).fit(X, LABELS)).calibration_
    mean = np.mean([one.predict_proba(NEW) for one in again.members_], axis=0)
    assert_allclose(again.predict_proba(NEW), mean, atol=1e-6)
    assert_array_equal(again.classes_, np.unique(LABELS))
    assert classes.score(X, LABELS) > 0.7


def test_the_table_has_the_metrics_on_rows_outside_of_training(bag):
    table = bag.cv_results_
    assert len({len(column) for column in table.values()}) == 1
    assert table["recipe"][:2].tolist() == list(RECIPES)
    assert table["trial"].tolist() == [True] * 2 + [False] * 5
    assert (table["kept"] == ((table["recipe"] == bag.best_recipe_) & ~table["trial"])).all()
    kept = table["value"][table["kept"]][np.argsort(table["fold"][table["kept"]])]
    curves = [one.history_["validation"]["nll"] for one in bag.members_]
    for fold, value in enumerate(kept):  # folds of equal size
        others = [curve for k, curve in enumerate(curves) if k != fold]
        last = max(len(curve) for curve in curves)
        total = [sum(curve[min(r, len(curve) - 1)] for curve in others) for r in range(last)]
        rounds = total.index(min(total))
        assert value == curves[fold][min(rounds, len(curves[fold]) - 1)]
    assert bag.best_value_ == pytest.approx(kept.mean())
    rivals = ~table["trial"] & (table["fold"] > 0)
    judged = {name: table["value"][rivals & (table["recipe"] == name)] for name in RECIPES}
    assert min(len(values) for values in judged.values()) == 2  # one fold of few rows says little
    assert min(judged, key=lambda name: judged[name].mean()) == bag.best_recipe_
    assert bag.best_params_ == RECIPES[bag.best_recipe_]


def test_the_same_seed_gives_the_same_bag_on_any_number_of_threads(bag):
    again = clone(bag).set_params(n_jobs=2).fit(X, Y)
    assert_array_equal(again.predict_dist(NEW).particles, bag.predict_dist(NEW).particles)
    other = clone(bag).set_params(random_state=1).fit(X, Y)
    assert (other.predict(NEW) != bag.predict(NEW)).any()


def test_calibration_uses_rows_outside_of_training(bag):
    own = [(one, one.validation_rows_) for one in bag.members_]  # folds of equal size
    before = np.mean([metrics.nll(one.predict_dist(X[rows]), Y[rows]) for one, rows in own])
    assert bag.calibration_.nll_before == pytest.approx(before, rel=1e-5)
    assert bag.calibration_.nll_after <= bag.calibration_.nll_before
    assert max(bag.calibration_.scale, bag.calibration_.spread) <= 1
    assert 0.3 < bag.ood_pvalue(NEW).mean() < 0.7  # rows of the same kind
    assert len(bag.ood_reference_) == 90


@pytest.mark.parametrize("kind", [WGBClassifierCV, WGBRegressorCV])
def test_rows_like_the_training_rows_are_as_odd_as_often_as_p_says(kind):
    rng = np.random.default_rng(3)
    some = rng.normal(size=(1300, 4))
    y = np.sin(2 * some[:, 0]) + some[:, 1] + 0.1 * rng.normal(size=1300)
    if kind is WGBClassifierCV:
        y = np.digitize(y, [-0.7, 0.7])
    recipe = {"evidence": 10.0, "n_estimators": 30, "learning_rate": 0.2}
    fitted = kind([recipe], cv=4, random_state=0, n_jobs=1).fit(some[:300], y[:300])
    p = fitted.ood_pvalue(some[300:])
    for level in (0.1, 0.2, 0.5, 0.8):
        assert abs((p <= level).mean() - level) < 0.12


def test_calibration_may_increase_the_dispersion_of_a_bag_stopped_by_another_metric():
    bold = {"learning_rate": 0.5, "n_iter_no_change": None, "n_estimators": 60, "max_depth": 5}
    fitted = WGBRegressorCV([bold], eval_metric="rmse", **SMALL).fit(X, Y)
    assert max(fitted.calibration_.scale, fitted.calibration_.spread) > 1.05
    assert fitted.calibration_.nll_after < fitted.calibration_.nll_before


def test_calibration_may_increase_the_dispersion_of_a_bag_that_was_not_stopped():
    late = {"late": {**RECIPES["newton"], "early_stopping": False, "n_estimators": 60}}
    fitted = WGBRegressorCV(late, **SMALL).fit(X, Y)
    assert fitted.calibration_.scale > 1.5
    assert fitted.calibration_.nll_after < fitted.calibration_.nll_before - 0.1


def test_stages_end_where_the_bag_is(bag, classes):
    *_, last = bag.staged_predict(NEW)
    assert_allclose(last, bag.predict(NEW), rtol=1e-6)
    rounds = max(one.n_estimators_ for one in bag.members_)
    assert sum(1 for _ in bag.staged_predict_dist(NEW)) == rounds
    *_, last = classes.staged_predict_proba(NEW)
    assert_allclose(last, classes.predict_proba(NEW), atol=1e-6)


def test_importances_are_means_over_members(bag):
    each = [one.feature_importances_ for one in bag.members_]
    assert_allclose(bag.feature_importances_, np.mean(each, axis=0))
    assert bag.feature_importances_.argmax() == 0


def test_groups_stay_together():
    groups = np.arange(90) // 5
    fitted = WGBRegressorCV([RECIPES["plain"]], **SMALL).fit(X, Y, groups=groups)
    for one in fitted.members_:
        inside = np.delete(groups, one.validation_rows_)
        assert not np.isin(groups[one.validation_rows_], inside).any()
    by_splitter = clone(fitted).set_params(cv=GroupKFold(3)).fit(X, Y, groups=groups)
    assert len(by_splitter.members_) == 3


def test_rows_in_no_part_of_a_fold_are_not_used():
    changed = Y.copy()
    changed[70:] = 1e3
    settings = {**SMALL, "cv": [(np.arange(40), np.arange(40, 70))], "response": "laplace"}
    one = WGBRegressorCV([RECIPES["plain"]], **settings).fit(X, Y)
    weight = (np.arange(90) < 70).astype(float)
    other = WGBRegressorCV([RECIPES["plain"]], **settings).fit(X, changed, sample_weight=weight)
    assert_array_equal(one.members_[0].validation_rows_, np.arange(40, 70))
    assert_array_equal(other.members_[0].validation_rows_, np.arange(40, 70))
    assert np.abs(other.predict(NEW)).max() < 20


def test_fit_parameters_reach_members_and_calibration():
    counts = np.random.default_rng(3).poisson(np.exp(0.3 * X[:, 0]) * 4.0)
    fitted = WGBRegressorCV([{"learning_rate": 0.3}], response="poisson", **SMALL)
    fitted.fit(X, counts, exposure=np.full(90, 4.0))
    assert fitted.predict(X).mean() == pytest.approx(counts.mean() / 4, rel=0.2)
    assert_allclose(fitted.predict(X, exposure=2.0), 2 * fitted.predict(X), rtol=1e-5)
    late = censored(np.minimum(Y, 5.5), np.where(Y > 5.5, np.inf, Y))
    assert np.isfinite(WGBRegressorCV([RECIPES["plain"]], **SMALL).fit(X, late).best_value_)


def test_classes_in_order_and_a_class_of_one_row():
    ordered = np.digitize(Y, [4.6, 5.4])
    fitted = WGBClassifierCV([{"learning_rate": 0.3}], response="ordinal", **SMALL)
    assert fitted.fit(X, ordered).predict_proba(NEW).shape == (40, 3)
    rare = np.where(np.arange(90) == 0, "rare", LABELS)
    assert WGBClassifierCV([{}], **SMALL).fit(X, rare).predict_proba(NEW).shape == (40, 4)
    only = WGBClassifierCV([{}], **SMALL).fit(X, np.full(90, "a"))
    assert_array_equal(only.predict(NEW), np.full(40, "a"))


@pytest.mark.filterwarnings("ignore:text labels are taken in the order")
@pytest.mark.parametrize(
    "options",
    [{"response": Ordinal(n_classes=3)}, {"class_weight": {"low": 2.0, "top": 3.0}},
     {"response": Categorical(prior_scale=np.linspace(2, 4, 90))}],
)  # fmt: skip
def test_a_bag_has_any_options_of_classes(options):
    few = {**SMALL, "n_estimators": 2, "n_particles": 2}
    fitted = WGBClassifierCV([{}], **few, **options).fit(X, LABELS)
    assert fitted.predict_proba(NEW).shape == (40, 3)
