"""What was found in trials with few trees: files, continued fits, time limits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wgboost import WGBClassifier, WGBRegressor, load
from wgboost.callbacks import MaxTime

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (200, 3))
Y = np.sin(2 * X[:, 0]) + 0.5 * RNG.standard_normal(200)
FAST = {"n_iter_no_change": 10, "random_state": 0, "n_jobs": 1}


def interrupted(estimator, y, rounds=12):
    """Return an estimator whose fit is interrupted in a trial."""
    count = []

    def interrupt(_):
        count.append(1)
        if len(count) == rounds:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        return estimator.fit(X, y, callbacks=[interrupt])


def test_a_model_is_saved_and_loaded_with_its_search(tmp_path):
    model = WGBRegressor(**FAST).fit(X, Y)
    assert any("leaf_share" in one for one in model.search_)
    model.save(tmp_path / "model.wgb")
    again = load(tmp_path / "model.wgb")
    assert again.search_ == model.search_
    assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("stage", ["evidence", "refit"])
def test_a_fit_with_the_default_start_is_resumed(stage, tmp_path):
    path, whole = tmp_path / "half.wgb", WGBRegressor(**FAST).fit(X, Y)

    def crash(info):
        if info["stage"] == stage and info["round"] == 4:
            info["save"](path)
            raise RuntimeError("the machine goes down")

    crash.in_refit = True
    with pytest.raises(RuntimeError, match="goes down"):
        WGBRegressor(**FAST).fit(X, Y, callbacks=[crash])
    again = WGBRegressor(**FAST).fit(X, Y, resume_from=path)
    assert again.search_ == whole.search_
    assert_array_equal(again.predict(X), whole.predict(X))


@pytest.mark.parametrize(
    "changes",
    [{"refit": False}, {"early_stopping": False, "n_estimators": 30}, {"refit": False, "X_val": 1}],
)
@pytest.mark.parametrize("classes", [False, True])
def test_an_interrupted_trial_goes_on_with_its_trees(changes, classes):
    kind, y = (WGBClassifier, Y > 0) if classes else (WGBRegressor, Y)
    model = interrupted(kind(**FAST, init="flow"), y)
    n_rounds = model.n_estimators_
    changes = dict(changes)
    given = {"X_val": X[:50], "y_val": y[:50]} if changes.pop("X_val", None) else {}
    model.set_params(warm_start=True, **changes).fit(X, y, **given)
    assert model.n_estimators_ >= n_rounds
    assert model.model_.ensemble.trees_per_round == 2
    assert np.isfinite(model.predict_dist(X).logpdf(y) if not classes else 0.0).all()


def test_another_number_of_trees_cannot_go_on():
    model = WGBRegressor(**FAST, n_estimators=5, evidence=1.0, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="tree=5 cannot go on from rounds with 10 trees"):
        model.set_params(tree=5, n_estimators=9).fit(X, Y)


def test_a_fit_that_runs_out_of_time_has_a_model_of_the_first_trial():
    model = WGBRegressor(random_state=0).fit(X, Y, callbacks=[MaxTime(1e-6)])
    assert [one.get("init") for one in model.search_] == ["flow"]
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("weight", [1e-3, 1e-6])
def test_weights_far_below_one(weight):
    model = WGBRegressor(**FAST, n_estimators=20, evidence=3.0)
    with pytest.warns(UserWarning, match="divide the weights by their mean"):
        model.fit(X, Y, sample_weight=np.full(200, weight))
    error = model.predict_uncertainty(X)["epistemic"]
    assert np.isfinite(error).all()
    assert error.min() > 0
