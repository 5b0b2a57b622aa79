"""Members of a bag: what they have beyond trials, and which of them Ctrl-C leaves."""

import numpy as np
import pytest
from sklearn.base import clone

from wgboost import Interrupted, WGBRegressorCV, metrics
from wgboost.training import fit as training_fit
from wgboost.training.error_estimates import estimate_errors

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
Y = 5 + np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=90)
NEW = np.random.default_rng(9).normal(size=(40, 3))
RECIPES = {
    "plain": {"learning_rate": 0.3, "evidence": 3.0},
    "slow": {"learning_rate": 0.05, "evidence": 10.0},
}
SMALL = {
    "cv": 3, "n_estimators": 12, "n_iter_no_change": 4, "n_particles": 4, "random_state": 0,
    "n_jobs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def bag():
    return WGBRegressorCV(RECIPES, **SMALL).fit(X, Y)


def test_members_have_all_trees_and_know_their_errors(bag):
    table = bag.cv_results_
    assert [one.model_.ensemble.trees_per_round for one in bag.members_] == [4, 4, 4]
    assert all(one.model_.known_support is not None for one in bag.members_)
    errors = [one.predict_dist(NEW).error for one in bag.members_]
    assert all((error > 0).all() for error in errors)
    assert table["seconds"][table["trial"]].min() > 0


def test_members_of_about_as_many_rows_share_estimates_of_their_error():
    folds = {**SMALL, "cv": 6, "n_estimators": 5}
    fitted = WGBRegressorCV([RECIPES["plain"]], **folds).fit(X, Y)
    models = [one.model_.errors for one in fitted.members_]
    assert len({id(model) for model in models}) == 3
    assert {id(model) for model in models[3:]} <= {id(model) for model in models[:3]}
    parts = [(np.arange(n), np.arange(75, 90)) for n in (75, 58, 45)]
    parts.append((np.arange(15, 45), np.arange(15)))  # no order of time
    uneven = WGBRegressorCV([RECIPES["plain"]], **{**folds, "cv": parts}).fit(X, Y)
    assert len({id(one.model_.errors) for one in uneven.members_}) == 4


def stopped(n):
    """A metric that is interrupted at its n-th value."""
    calls = []

    def nll_until(dist, y):
        calls.append(len(y))
        if len(calls) == n:
            raise KeyboardInterrupt
        return metrics.nll(dist, y)

    return nll_until


def test_ctrl_c_leaves_the_folds_that_the_best_recipe_has():
    settings = {**SMALL, "n_iter_no_change": None}
    with pytest.warns(Interrupted, match="the bag consists of 2 models of the recipe 'recipe_1'"):
        # 13 values a model: before the first round and after each.
        fitted = WGBRegressorCV([{"evidence": 1.0}], eval_metric=stopped(30), **settings).fit(X, Y)
    assert fitted.interrupted_
    assert len(fitted.members_) == len(fitted.ood_reference_) // 30 == 2
    assert np.isfinite(fitted.predict(NEW)).all()


def test_ctrl_c_before_the_first_member_leaves_a_trial_that_predicts():
    settings = {**SMALL, "n_iter_no_change": None, "eval_metric": stopped(30)}
    with pytest.warns(Interrupted, match="the bag consists of 1 models"):
        fitted = WGBRegressorCV(RECIPES, **settings).fit(X, Y)  # in the third model
    assert fitted.cv_results_["trial"].tolist() == [True, True]
    assert fitted.cv_results_["kept"].sum() == 1
    assert (fitted.predict_dist(NEW).error > 0).all()


def test_ctrl_c_while_errors_are_estimated_leaves_members_that_have_theirs(monkeypatch):
    calls = []

    def third_time(request, model):
        calls.append(model)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return estimate_errors(request, model)

    monkeypatch.setattr(training_fit, "estimate_errors", third_time)
    with pytest.warns(Interrupted, match="the bag consists of 2 models"):
        fitted = WGBRegressorCV([RECIPES["plain"]], **SMALL).fit(X, Y)
    assert all((one.predict_dist(NEW).error > 0).all() for one in fitted.members_)


def test_ctrl_c_in_the_first_model_leaves_the_estimator_as_it_was(bag):
    model = clone(bag).set_params(eval_metric=stopped(3))
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert vars(model) == before
