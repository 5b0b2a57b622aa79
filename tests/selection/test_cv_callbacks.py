"""Callbacks of a bag: they know which model they see, and end the fit as a whole."""

import numpy as np
import pytest

from wgboost import WGBClassifierCV, WGBRegressorCV
from wgboost.callbacks import Checkpoint, Keep, Log, MaxTime
from wgboost.training import progress

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3))
Y = 5 + np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=90)
RECIPES = {"slow": {"learning_rate": 0.05, "evidence": 3.0}, "fast": {"learning_rate": 0.3}}
SMALL = {"cv": 3, "n_estimators": 12, "n_particles": 4, "random_state": 0, "n_jobs": 1}


def test_callbacks_get_the_recipe_and_the_fold():
    told, lines = [], []
    bag = WGBRegressorCV(RECIPES, **SMALL).fit(
        X, Y, callbacks=[lambda info: told.append(dict(info)), Log(12, lines.append)]
    )
    members = list(dict.fromkeys(tuple(info["member"].values()) for info in told))
    table = bag.cv_results_
    assert list(told[0]["member"]) == ["recipe", "fold", "trial"]
    assert members == list(zip(table["recipe"], table["fold"], table["trial"], strict=True))
    stages = {(info["member"]["recipe"], info["stage"]) for info in told}
    assert stages == {("slow", "fit"), ("fast", "evidence")}  # "fast" leaves the evidence open
    total = [info["total_seconds"] for info in told]
    assert total == sorted(total)
    assert lines[0].startswith("slow, fold 1 round 12  validation nll ")
    assert any(line.startswith("fast, fold 1, evidence 10 round 12  ") for line in lines)


def test_one_time_budget_is_for_all_models(monkeypatch):
    ticks = iter(range(10**6))
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(ticks)))
    rounds = []
    stop = {"callbacks": [lambda info: rounds.append(info["round"]), MaxTime(30)]}
    options = {**SMALL, "n_iter_no_change": None}
    bag = WGBRegressorCV([{"evidence": 3.0}], **options).fit(X, Y, **stop)
    assert len(rounds) == 30  # two and a half models of 12 rounds
    assert len(bag.members_) == 2
    assert not bag.interrupted_
    assert np.isfinite(bag.predict(X)).all()


def test_out_of_time_in_the_first_model_it_is_the_bag():
    bag = WGBRegressorCV([{"evidence": 3.0}], **SMALL).fit(X, Y, callbacks=[MaxTime(1e-9)])
    assert len(bag.members_) == 1
    assert bag.members_[0].n_estimators_ <= 1
    labels = np.array(["a", "b", "c"])[np.digitize(Y, [4.6, 5.4])]
    classes = WGBClassifierCV(**SMALL).fit(X, labels, callbacks=[MaxTime(1e-9)])
    assert len(classes.members_) == 1


def test_keep_ends_a_model_and_not_the_bag():
    bag = WGBRegressorCV([{"evidence": 3.0, "early_stopping": False}], **SMALL).fit(
        X, Y, callbacks=[lambda info: Keep(4) if info["round"] == 6 else None]
    )
    assert [one.n_estimators_ for one in bag.members_] == [4, 4, 4]


def test_a_checkpoint_is_refused_before_any_fit():
    with pytest.raises(ValueError, match="cannot continue from a checkpoint: leave Checkpoint out"):
        WGBRegressorCV(RECIPES, **SMALL).fit(X, Y, callbacks=[Checkpoint("file")])
    with pytest.raises(TypeError, match="must be a list of functions"):
        WGBRegressorCV(RECIPES, **SMALL).fit(X, Y, callbacks=[3])


def test_a_bag_with_callbacks_that_only_look_is_the_same_bag():
    plain = WGBRegressorCV(RECIPES, **SMALL).fit(X, Y)
    watched = WGBRegressorCV(RECIPES, **SMALL).fit(X, Y, callbacks=[lambda _: None])
    np.testing.assert_array_equal(plain.predict(X), watched.predict(X))
