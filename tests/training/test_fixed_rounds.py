"""A given number of rounds turns early stopping off, and says so."""

import warnings

import numpy as np
import pytest

from wgboost import WGBClassifier, WGBRegressor, WGBRegressorCV

X = np.random.default_rng(0).uniform(size=(60, 2))
Y = X[:, 0] + np.random.default_rng(1).normal(0, 0.1, 60)


def test_a_number_of_rounds_alone_says_what_it_switches():
    with pytest.warns(
        UserWarning, match=r"n_estimators=3 turns early stopping off .* evidence to 1"
    ):
        model = WGBRegressor(n_estimators=3).fit(X, Y)
    assert model.n_estimators_ == 3
    assert model.evidence_ == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"n_estimators": 3, "early_stopping": False},
        {"n_estimators": 3, "early_stopping": True, "evidence": 10},
        {"n_estimators": 3, "evidence": 1},
    ],
)
def test_settings_that_say_what_is_meant_are_quiet(settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "early stopping ended at the limit")
        WGBRegressor(**settings).fit(X, Y)


def test_classifiers_and_bags_have_nothing_to_say():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "early stopping ended at the limit")
        WGBClassifier(n_estimators=3).fit(X, Y > 0.5)
        WGBRegressorCV([{"max_leaves": 4}], cv=3, n_estimators=3).fit(X, Y)
