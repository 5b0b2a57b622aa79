"""What a bag says of itself: at rounds, and on folds, that did not choose."""

import numpy as np
import pytest

from wgboost import WGBRegressorCV
from wgboost.selection.fold_values import cross_validated_rounds, cross_validated_values
from wgboost.selection.successive_halving import FoldResult, fold_values, mean_value, unbiased_value

ENTROPY = 0.5 * np.log(2 * np.pi * np.e)  # of a standard normal y


def test_the_value_of_a_fold_is_at_the_best_rounds_of_the_others():
    curves = [np.array([3.0, 1.0, 1.5]), np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.5, 0.5])]
    assert cross_validated_rounds(curves, [1.0, 1.0, 1.0]) == [2, 2, 2]
    assert cross_validated_values(curves, [1.0, 1.0, 1.0]) == [1.5, 1.0, 0.5]
    heavy = [100.0, 1.0, 1.0]  # the first fold decides for the two others
    assert cross_validated_values(curves, heavy) == [1.5, 2.0, 2.5]


def test_curves_that_ended_go_on_with_their_last_value():
    curves = [np.array([3.0, 1.0, 1.5]), np.array([3.0, 2.9, 2.8, 2.7, 0.0])]
    assert cross_validated_rounds(curves, [1.0, 1.0]) == [4, 1]
    assert cross_validated_values(curves, [1.0, 1.0]) == [1.5, 2.9]


def test_one_fold_has_its_own_best_and_what_is_not_finite_is_never_it():
    assert cross_validated_values([np.array([3.0, np.nan, 1.0, np.inf, 2.0])], [1.0]) == [1.0]


def test_the_figure_is_of_folds_where_no_other_recipe_ran():
    entries = [
        FoldResult("a", 0, 1.0, 1.0, 0.1), FoldResult("b", 0, 2.0, 1.0, 0.1),
        FoldResult("a", 1, 5.0, 1.0, 0.1), FoldResult("a", 2, 8.0, 2.0, 0.1),
    ]  # fmt: skip
    assert unbiased_value(entries, "a") == (5.0 + 2 * 8.0) / 3
    assert mean_value(entries, "a") == (1.0 + 5.0 + 2 * 8.0) / 4
    assert unbiased_value(entries[:2], "a") == 1.0  # there is no such fold


def test_values_of_rounds_that_no_fold_chose_stay():
    curve = np.array([3.0, 2.0, 9.0])
    chosen = [FoldResult("a", k, 2.0, 1.0, 0.1, curve=curve) for k in range(2)]
    fixed = [FoldResult("a", k, 9.0, 1.0, 0.1) for k in range(2)]
    assert fold_values(chosen) == [2.0, 2.0]
    assert fold_values(fixed) == [9.0, 9.0]


def test_on_pure_noise_the_best_value_is_not_below_the_entropy():
    recipes = {
        f"{leaves} leaves, evidence {evidence}": {
            "max_leaves": leaves, "evidence": evidence, "learning_rate": 0.2, "subsample": 0.7,
        }
        for leaves, evidence in [(8, 1.0), (4, 3.0), (8, 10.0), (4, 10.0)]
    }  # fmt: skip
    few = {"cv": 5, "n_particles": 3, "n_estimators": 40, "n_iter_no_change": 15, "n_jobs": 1}
    values, own = [], []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(25, 2)), rng.normal(size=25)
        bag = WGBRegressorCV(recipes, random_state=seed, calibrated=False, **few).fit(X, y)
        values.append(bag.best_value_)
        own.append(np.mean([min(one.history_["validation"]["nll"]) for one in bag.members_]))
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert np.mean(values) > ENTROPY - error
    assert np.mean(own) < ENTROPY - error  # what folds that choose their rounds would say


@pytest.mark.parametrize("fixed", [False, True])
def test_a_recipe_without_early_stopping_has_its_value_at_the_last_round(fixed):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    recipe = {"evidence": 3.0, "learning_rate": 0.5, **({"early_stopping": False} if fixed else {})}
    bag = WGBRegressorCV([recipe], cv=2, n_estimators=20, n_jobs=1, random_state=0).fit(X, y)
    last = [one.history_["validation"]["nll"][-1] for one in bag.members_]
    assert (bag.cv_results_["value"].tolist() == last) == fixed
