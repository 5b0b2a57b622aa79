"""Rows of one group are held out together."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.model_selection import GroupKFold, cross_val_score

from wgboost import WGBClassifier, WGBoost, WGBRegressor, WGBRegressorCV, metrics
from wgboost.folds import held_out, out_of_fold

RNG = np.random.default_rng(0)
N = 240
GROUPS = np.repeat(np.arange(24), 10)[RNG.permutation(N)]
LEVEL = RNG.normal(size=24)
X = np.column_stack([LEVEL[GROUPS] + 1e-3 * RNG.normal(size=N), RNG.uniform(size=N)])
Y = LEVEL[RNG.permutation(24)][GROUPS] + 0.05 * RNG.normal(size=N)  # by group, and not by level
SETTINGS = {"n_estimators": 6, "evidence": 10, "refit": False, "random_state": 0}


def held_groups(model):
    """The groups of the rows held out, all of whose rows have to be among them."""
    held = np.unique(GROUPS[model.validation_rows_])
    assert_array_equal(model.validation_rows_, np.flatnonzero(np.isin(GROUPS, held)))
    return held


@pytest.mark.parametrize("kind", [WGBRegressor, WGBClassifier])
def test_groups_are_held_out_as_a_whole(kind):
    y = Y if kind is WGBRegressor else Y > 0
    model = kind(early_stopping=True, **SETTINGS)
    held = held_groups(model.fit(X, y, groups=GROUPS))
    assert held.size == 5  # a fifth of 24, rounded up
    assert held_groups(model.fit(X, y, groups=GROUPS.astype(str))).size == 5
    assert np.unique(GROUPS[model.fit(X, y).validation_rows_]).size > 15


def test_targets_that_are_distributions_have_groups_too():
    samples = Y[:, None, None] + RNG.normal(size=(N, 8, 1))
    held = held_groups(
        WGBoost(n_estimators=3, early_stopping=True, refit=False, random_state=0).fit(
            X, samples, groups=GROUPS
        )
    )
    assert held.size == 5


def test_stopping_by_new_groups_does_not_learn_groups_by_heart():
    model = WGBRegressor(n_estimators=60, evidence=10, early_stopping=True, random_state=0)
    alone = model.fit(X, Y).n_estimators_
    assert model.fit(X, Y, groups=GROUPS).n_estimators_ < alone / 2


def test_a_column_of_groups_is_no_feature():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(patient=GROUPS)
    model = WGBRegressor(early_stopping=True, **SETTINGS).fit(frame, Y, groups="patient")
    assert list(model.feature_names_in_) == ["a", "b"]
    assert_array_equal(model.predict(frame), model.predict(frame[["a", "b"]]))
    held_groups(model)


def test_rows_of_weight_zero_are_in_no_group():
    weight = np.where(GROUPS < 3, 0.0, 1.0)
    model = WGBRegressor(early_stopping=True, **SETTINGS)
    assert held_groups(model.fit(X, Y, weight, groups=GROUPS)).min() >= 3


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (GROUPS[:5], r"groups have shape \(5,\); \(240,\) is needed"),
        (np.zeros(N), "groups have 1 label; two at least"),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        WGBRegressor(early_stopping=True, **SETTINGS).fit(X, Y, groups=groups)


def test_groups_and_given_rows_are_one_too_many():
    with pytest.raises(ValueError, match="validation_rows, or groups to hold out"):
        WGBRegressor(**SETTINGS).fit(X, Y, groups=GROUPS, validation_rows=[0, 1])
    mixed = np.array([1, "a"] * (N // 2), dtype=object)
    with pytest.raises(TypeError, match="groups cannot be sorted"):
        WGBRegressor(early_stopping=True, **SETTINGS).fit(X, Y, groups=mixed)


def test_models_of_folds_by_group_stop_by_groups_too():
    model = WGBRegressor(early_stopping=True, **SETTINGS)
    folds = list(out_of_fold(model, X, Y, cv=3, groups=GROUPS, random_state=0))
    folds.append(held_out(model, X, Y, groups=GROUPS, random_state=0))
    for fold in folds:
        own = GROUPS[fold.train_rows]
        assert not np.isin(GROUPS[fold.rows], own).any()
        held = np.unique(own[fold.estimator.validation_rows_])
        assert_array_equal(fold.estimator.validation_rows_, np.flatnonzero(np.isin(own, held)))


def test_metadata_routing_hands_groups_to_the_fit():
    model = WGBRegressor(early_stopping=True, **SETTINGS)
    with config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            model, X, Y, cv=GroupKFold(3), params={"groups": GROUPS},
            scoring=metrics.get_scorer("nll"),
        )  # fmt: skip
    assert scores.shape == (3,)


def test_a_bag_folds_by_group():
    recipes = {"one": {"n_estimators": 5, "evidence": 10}}
    bag = WGBRegressorCV(recipes, cv=4, calibrated=False, random_state=0).fit(X, Y, groups=GROUPS)
    held_out = [set(GROUPS[member.validation_rows_]) for member in bag.members_]
    assert sum(map(len, held_out)) == 24
    assert set.union(*held_out) == set(range(24))
