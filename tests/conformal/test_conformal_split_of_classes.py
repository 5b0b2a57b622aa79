"""Rows that calibrate sets of classes are drawn by chance alone, whatever their classes are."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB

from wgboost import ConformalClassifier, WGBClassifier
from wgboost.folds import held_out, out_of_fold
from wgboost.folds.splitting import split_folds

methods = pytest.mark.parametrize("method", ["split", "cross"])


def draw(rng, n, k):
    """Rows of k classes, whose means are on a circle."""
    y = rng.integers(0, k, n)
    angle = 2 * np.pi * y / k
    return 1.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(size=(n, 2)), y


def shares_held(n, k, asked, repeats, **settings):
    """For many draws of everything the share of new rows that are held, (repeats,).

    A class that no row has is in no set; where everything has to be inside, it would be.
    """
    rng, held = np.random.default_rng(0), []
    for seed in range(repeats):
        (X, y), (new, wanted) = draw(rng, n, k), draw(rng, 100, k)
        model = ConformalClassifier(GaussianNB(), random_state=seed, **settings).fit(X, y)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* are of a class that", UserWarning)
            sets = model.predict_set(new, asked)
        inside = np.repeat(sets.all(axis=1, keepdims=True), k, axis=1)
        inside[:, model.classes_] = sets
        held.append(inside[np.arange(100), wanted].mean())
    return np.array(held)


@pytest.mark.parametrize(("n", "k", "fraction"), [(40, 5, 0.5), (40, 8, 0.25), (40, 12, 0.5)])
def test_few_rows_of_many_classes_are_held_as_often_as_asked_for(n, k, fraction):
    """With equal shares of classes in both parts it is 0.775 and 0.778 of the first two."""
    settings = {"method": "split", "calibration_fraction": fraction}
    held = shares_held(n, k, 0.8, 500, **settings)
    assert held.mean() > 0.8 - 2 * held.std() / np.sqrt(500)


@pytest.mark.parametrize("conformity", ["adaptive", "threshold"])
def test_folds_of_few_rows_of_many_classes_hold_as_often_as_asked_for(conformity):
    held = shares_held(40, 8, 0.8, 150, conformity=conformity)
    assert held.mean() > 0.8 - 2 * held.std() / np.sqrt(150)


def test_more_classes_than_calibration_rows_are_no_obstacle():
    y = np.arange(24) % 8
    X = y[:, None] + np.random.default_rng(0).normal(size=(24, 2))
    model = ConformalClassifier(GaussianNB(), method="split", random_state=0).fit(X, y)
    assert len(model.scores_[0]) == 6
    assert model.predict_set(X, 0.5).shape == (24, 8)


def test_which_rows_calibrate_has_nothing_to_do_with_their_class():
    X, y = draw(np.random.default_rng(0), 60, 3)
    fold = held_out(GaussianNB(), X, y, fraction=0.3, random_state=4)
    train, test = train_test_split(np.arange(60), test_size=0.3, random_state=4)
    assert_array_equal(fold.rows, test)
    assert_array_equal(fold.train_rows, train)
    model = ConformalClassifier(GaussianNB(), cv=4, random_state=4).fit(X, y)
    splits = KFold(4, shuffle=True, random_state=4).split(X)
    for fitted, (train, _) in zip(model.estimators_, splits, strict=True):
        assert_array_equal(fitted.class_count_, np.bincount(y[train]))


def test_folds_without_a_guarantee_still_have_equal_shares_of_classes():
    X, y = draw(np.random.default_rng(0), 60, 3)
    expected = list(StratifiedKFold(4, shuffle=True, random_state=4).split(X, y))
    folds = out_of_fold(GaussianNB(), X, y, cv=4, random_state=4)
    splits = split_folds(GaussianNB(), 4, 60, y, None, 4)
    for fold, split, (train, test) in zip(folds, splits, expected, strict=True):
        assert_array_equal(fold.rows, test)
        assert_array_equal(split[0], train)


@pytest.mark.parametrize("conformity", ["adaptive", "threshold"])
def test_a_class_without_training_rows_has_the_largest_score(conformity):
    X, y = draw(np.random.default_rng(0), 120, 3)
    train = np.flatnonzero(y[:60] < 2)
    test = np.arange(60, 120)
    unmet = int((y[test] == 2).sum())
    model = ConformalClassifier(GaussianNB(), conformity=conformity, cv=[(train, test)]).fit(X, y)
    assert np.isinf(model.scores_[0]).sum() == unmet
    assert 0.2 < unmet / 60 < 0.5
    assert not model.predict_set(X, 0.4)[:, 2].any()
    with pytest.warns(UserWarning, match=rf"{unmet} of 60 calibration rows are of a class that"):
        assert model.predict_set(X, 0.9).all()


@methods
def test_a_single_class_to_train_on_is_fitted_or_the_error_says_what_to_do(method):
    X, y = draw(np.random.default_rng(0), 30, 3)
    y = np.where(np.arange(30) == train_test_split(np.arange(30), random_state=0)[1][0], "b", "a")
    folds = [(np.flatnonzero(y == "a")[:20], np.flatnonzero(y == "b"))]
    settings = {"method": method, "cv": folds, "random_state": 0}
    for estimator in (GaussianNB(), WGBClassifier(n_estimators=2, n_jobs=1)):
        model = ConformalClassifier(estimator, **settings).fit(X, y)
        assert model.estimators_[0].classes_.tolist() == ["a"]
        assert np.isinf(model.scores_[0]).sum() == 1
        assert model.predict_proba(X).tolist() == [[1.0, 0.0]] * 30
    with pytest.raises(
        ValueError, match=r"training rows are of the class 'a'.*smaller calibration_fraction"
    ):
        ConformalClassifier(LogisticRegression(), **settings).fit(X, y)


def test_another_error_is_left_as_it_is():
    X, y = draw(np.random.default_rng(0), 30, 3)
    with pytest.raises(ValueError, match=r"^Number of priors"):
        ConformalClassifier(GaussianNB(priors=[0.5, 0.5]), random_state=0).fit(X, y)
