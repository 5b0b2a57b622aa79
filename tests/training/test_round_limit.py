"""Early stopping that runs out of rounds says so."""

import warnings

import numpy as np
import pytest

from wgboost import WGBClassifier, WGBRegressor, WGBRegressorCV
from wgboost.boosting.early_stopping import StoppingRule

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=60)
SLOW = {
    "learning_rate": 5e-4,
    "n_particles": 3,
    "max_depth": 2,
    "n_iter_no_change": 10,
    "random_state": 0,
    "n_jobs": 1,
}


@pytest.mark.parametrize("rounds", [100, 200, 500])
def test_a_metric_that_still_improves_at_the_last_round_is_told(rounds):
    model = WGBRegressor(n_estimators=rounds, early_stopping=True, evidence=1.0, **SLOW)
    text = f"at the limit of {rounds} rounds.*'nll' was still"
    with pytest.warns(UserWarning, match=text) as told:
        model.fit(X, Y)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert model.n_estimators_ == rounds


@pytest.mark.parametrize("rounds", [100, 200])
def test_a_classifier_is_told(rounds):
    model = WGBClassifier(n_estimators=rounds, early_stopping=True, **SLOW)
    with pytest.warns(UserWarning, match=f"at the limit of {rounds} rounds.*'nll' was still"):
        model.fit(X, Y > 0)


def test_the_best_round_has_to_be_among_the_last_tenth():
    for best, ran_out in ((151, False), (180, False), (181, True), (200, True)):
        rule = StoppingRule(None, "nll", patience=50, best_round=best)
        assert rule.ran_out(200) == ran_out
    assert not StoppingRule(None, "nll", patience=50, best_round=99).ran_out(99)


def test_only_the_chosen_trial_warns_and_once():
    model = WGBRegressor(n_estimators=500, early_stopping=True, evidence="auto", **SLOW)
    with pytest.warns(UserWarning, match="at the limit of 500 rounds") as told:
        model.fit(X[:40], Y[:40], X_val=X[40:], y_val=Y[40:])
    assert len(told) == 1


def test_a_bag_warns_once():
    bag = WGBRegressorCV([{"evidence": 1.0, "learning_rate": 5e-4}], cv=3, n_estimators=500)
    bag.set_params(n_particles=3, n_iter_no_change=10, random_state=0, n_jobs=1)
    with pytest.warns(UserWarning, match="in 3 of 3 models of the recipe 'recipe_1'") as told:
        bag.fit(X, Y)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_what_ended_otherwise_is_not_told():
    classes = (Y > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick = {**SLOW, "learning_rate": 0.5, "evidence": 1.0}
        assert WGBRegressor(n_estimators=5000, early_stopping=True, **quick).fit(X, Y)
        WGBRegressor(n_estimators=500, evidence=1.0, **SLOW).fit(X, Y)  # none are held out
        measured = WGBRegressor(n_estimators=500, early_stopping=False, **SLOW)
        measured.fit(X, Y, validation_rows=np.arange(10))
        WGBClassifier(n_estimators=99, early_stopping=True, **SLOW).fit(X, classes)  # a choice
        stop = [lambda info: info["round"] == 20]
        model = WGBRegressor(n_estimators=500, early_stopping=True, evidence=1.0, **SLOW)
        model.fit(X, Y, callbacks=stop)
