"""Copies of a row are held out together, and a weight of 2 is the row twice."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import KFold

from wgboost import TreeLearner, WGBClassifier, WGBoost, WGBRegressor, WGBRegressorCV, censored
from wgboost.training.copies import find_distinct, row_hashes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
X[::7, 1] = np.nan
Y = X[:, 0] + 0.1 * RNG.normal(size=80)
SHORT = {"n_estimators": 5, "random_state": 0, "n_jobs": 1}
WEIGHT = np.random.default_rng(2).integers(0, 4, size=80)
TWICE = np.random.default_rng(1).permutation(np.repeat(np.arange(80), WEIGHT))


def doubled(n):
    """The rows, and the first n of them once more, in another order."""
    order = np.random.default_rng(1).permutation(np.r_[np.arange(80), np.arange(n)])
    return X[order], Y[order]


def held_out(**settings):
    return WGBRegressor(early_stopping=True, refit=False, evidence=3.0, **SHORT, **settings)


def contents(rows, y, some):
    return {(*row, answer) for row, answer in zip(np.nan_to_num(rows)[some], y[some], strict=True)}


@pytest.mark.parametrize("n", [10, 80])
def test_copies_are_held_out_together(n):
    rows, y = doubled(n)
    model = held_out().fit(rows, y)
    held = np.zeros(len(y), dtype=bool)
    held[model.validation_rows_] = True
    assert not contents(rows, y, held) & contents(rows, y, ~held)
    assert held.mean() == pytest.approx(0.2, abs=0.05)


def test_copies_are_in_one_fold_of_a_bag():
    rows, y = doubled(80)
    bag = WGBRegressorCV([{"evidence": 3.0}], cv=3, **SHORT).fit(rows, y)
    folds = [contents(rows, y, member.validation_rows_) for member in bag.members_]
    assert [len(fold) for fold in folds] == [27, 27, 26]
    assert len(set.union(*folds)) == 80


@pytest.mark.parametrize(
    "settings",
    [
        {"n_estimators": 60, "early_stopping": True, "evidence": "auto"},
        {"subsample": 0.6, "colsample": 0.7, "min_samples_leaf": 3},
        {"init": "smooth", "evidence": 10.0},
        {"direction": "langevin"},
        {"learning_rate": 0.3, "learner": TreeLearner(leaf="mean"), "response": "student_t"},
    ],
    ids=str,
)
def test_a_weight_of_two_is_the_row_twice_to_the_bit(settings):
    model = {**SHORT, **settings}
    weighted = WGBRegressor(**model).fit(X, Y, sample_weight=WEIGHT)
    repeated = WGBRegressor(**model).fit(X[TWICE], Y[TWICE])
    np.testing.assert_array_equal(
        weighted.predict_dist(X).particles, repeated.predict_dist(X).particles
    )


def test_a_weight_of_two_is_the_row_twice_for_classes_and_bounds():
    classes = np.digitize(Y, [-0.5, 0.5])
    for model, y in (
        (WGBClassifier(early_stopping=True, **SHORT), classes),
        (held_out(), censored(Y, np.where(Y > 0.5, np.inf, Y))),
    ):
        weighted = model.fit(X, y, sample_weight=WEIGHT).predict_dist(X).particles
        repeated = model.fit(X[TWICE], y[TWICE]).predict_dist(X).particles
        np.testing.assert_array_equal(weighted, repeated)


def test_a_bag_takes_a_weight_of_two_for_the_row_twice():
    bag = WGBRegressorCV([{"subsample": 0.6}, {"evidence": 10.0}], cv=3, **SHORT)
    weighted = bag.fit(X, Y, sample_weight=WEIGHT).predict_quantiles(X, [0.1, 0.9])
    repeated = bag.fit(X[TWICE], Y[TWICE]).predict_quantiles(X, [0.1, 0.9])
    np.testing.assert_array_equal(weighted, repeated)


def test_values_of_rows_distinguish_copies():
    rows, y = np.repeat(X, 2, axis=0), np.exp(np.repeat(Y, 2))
    count = np.round(y)
    time = np.tile([1.0, 2.0], 80)
    model = WGBRegressor(response="poisson", **SHORT)
    both = model.fit(rows, count, exposure=time).predict_dist(X).particles
    order = np.random.default_rng(3).permutation(160)
    again = model.fit(rows[order], count[order], exposure=time[order]).predict_dist(X).particles
    np.testing.assert_allclose(both, again, rtol=1e-5)
    assert not np.array_equal(both, model.fit(rows, count, exposure=1.5).predict_dist(X).particles)


def test_noise_that_is_there_three_times_is_not_learnt_by_heart():
    rng = np.random.default_rng(4)
    rows, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    new = rng.normal(size=(2000, 3)), rng.normal(size=2000)
    model = WGBRegressor(random_state=0, n_jobs=1).fit(np.tile(rows, (3, 1)), np.tile(y, 3))
    assert -model.predict_dist(new[0]).logpdf(new[1]).mean() < 1.419 + 0.15


def test_rows_that_are_equal_by_chance_are_split_one_by_one():
    rng = np.random.default_rng(5)
    rows = rng.integers(2, size=(400, 1)).astype(float)
    y = (rng.random(400) < 0.2 + 0.6 * rows[:, 0]).astype(int)
    model = WGBClassifier(random_state=0, n_jobs=1, early_stopping=True, refit=False)
    model.set_params(n_estimators=99).fit(rows, y)
    held = model.validation_rows_
    inside = np.setdiff1d(np.arange(400), held)
    assert contents(rows, y, held) == contents(rows, y, inside)
    np.testing.assert_allclose(
        model.predict_proba([[0.0], [1.0]])[:, 1],
        [y[rows[:, 0] == value].mean() for value in (0, 1)], atol=0.05,
    )  # fmt: skip


def test_a_truth_table_is_learnt_with_rows_held_out():
    table = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)])
    rows, kind = np.repeat(table, 50, axis=0), np.repeat(np.arange(4), 50)
    model = WGBClassifier(random_state=0, n_jobs=1, early_stopping=True, n_estimators=20)
    np.testing.assert_array_equal(model.fit(rows, kind).predict(table), np.arange(4))


def test_hashes_are_equal_for_equal_rows():
    table = np.array([[0.0, np.nan], [-0.0, -np.nan], [np.nan, 0.0], [0.0, np.inf], [1.0, 1.0]])
    marks = row_hashes(table.T, 5)
    assert marks[0] == marks[1]
    assert np.unique(marks).size == 4
    many = np.random.default_rng(6).normal(size=(50_000, 2))
    assert np.unique(row_hashes(many.T, 50_000)).size == 50_000


def test_distinct_rows_do_not_depend_on_the_order():
    rows, y = doubled(80)
    order = np.random.default_rng(7).permutation(160)
    one, other = (
        find_distinct(None, 160, (row_hashes(table.T, 160), row_hashes([answers], 160)))
        for table, answers in ((rows, y), (rows[order], y[order]))
    )
    np.testing.assert_array_equal(rows[one.first], rows[order][other.first])
    np.testing.assert_array_equal(one.weight, np.full(80, 2.0))
    np.testing.assert_array_equal(one.which[order], other.which)


def test_a_splitter_that_separates_copies_warns_once():
    splitter = KFold(3, shuffle=True, random_state=0)
    with pytest.warns(UserWarning, match="Give the number of folds as cv") as told:
        WGBRegressorCV([{"evidence": 3.0}, {}], cv=splitter, **SHORT).fit(*doubled(80))
    assert len(told) == 1
    assert told[0].filename == __file__


def test_what_is_meant_or_may_happen_is_not_told():
    rows, y = doubled(80)
    which = np.unique(rows[:, 0], return_inverse=True)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        held_out().fit(rows, y)
        held_out().fit(rows, y, validation_rows=np.arange(40))
        bag = WGBRegressorCV([{"evidence": 3.0}], cv=3, **SHORT)
        bag.fit(rows, y)
        bag.fit(rows, y, groups=which)
        bag.set_params(cv=list(KFold(3).split(rows))).fit(rows, y)


def test_targets_of_ones_own_hold_copies_out_together():
    rows, y = doubled(80)
    model = WGBoost(early_stopping=True, refit=False, **SHORT)
    model.fit(rows, y[:, None, None] + np.random.default_rng(0).normal(size=(1, 20, 1)))
    held = np.zeros(160, dtype=bool)
    held[model.validation_rows_] = True
    assert not contents(rows, y, held) & contents(rows, y, ~held)
