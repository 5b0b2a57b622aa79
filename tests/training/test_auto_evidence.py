"""evidence="auto": what is tried, what is taken, and what the spread of particles then means."""

import warnings

import numpy as np
import pytest

from wgboost import DiagonalNewton, Kernel, TreeLearner, WGBClassifier, WGBRegressor, load
from wgboost.training.search_trials import LADDER, SearchSpace

SETTINGS = {
    "evidence": "auto",
    "early_stopping": True,
    "n_iter_no_change": 5,
    "n_estimators": 30,
    "learner": TreeLearner(leaf="newton", split_on="particle_mean", growth="depth_wise"),
    "l2": 1,
    "n_particles": 4,
    "n_jobs": 1,
    "random_state": 0,
    "tree": "shared",
    "max_depth": 3,
    "max_leaves": None,
    "colsample": 1.0,
    "learning_rate": 0.1,
    "init": "flow",
}


def made(n, seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return X, np.sin(2 * X[:, 0]) + noise * rng.standard_normal(n)


def _trials_of(space, value):
    """Return the trials of a search in which a function gives the values, and the best."""
    trials = []
    while (trial := space.next_trial(trials)) is not None:
        trials.append({**trial, "value": value(trial), "start": 9.0})
    return trials, trials[space.best(trials)]


def _two_minima(trial):
    """Return the values of a curve with several minima."""
    return {1.0: 0.4, 3.0: 0.9, 10.0: 0.5, 30.0: 0.8, 100.0: 0.6}[trial["evidence"]]


@pytest.mark.parametrize("best", LADDER)
def test_the_search_finds_the_best_and_tries_nothing_twice(best):
    trials, chosen = _trials_of(SearchSpace(), lambda one: abs(np.log(one["evidence"] / best)))
    tried = [one["evidence"] for one in trials]
    assert chosen["evidence"] == best
    assert len(set(tried)) == len(tried) <= len(LADDER)


def test_the_search_is_no_hill_climb():
    trials, chosen = _trials_of(SearchSpace(), _two_minima)
    assert {one["evidence"] for one in trials} >= {1.0, 3.0, 10.0, 30.0}
    assert chosen["evidence"] == 1.0


@pytest.mark.parametrize(("init", "best"), [("smooth", 10.0), ("flow", 3.0), ("flow", 100.0)])
def test_the_search_compares_starts(init, best):
    def value(trial):
        return abs(np.log(trial["evidence"] / best)) + 9.0 * (trial["init"] != init)

    trials, chosen = _trials_of(SearchSpace(("smooth", "flow")), value)
    assert (chosen["init"], chosen["evidence"]) == (init, best)
    assert {one["init"] for one in trials} == {"smooth", "flow"}
    # A smooth start is not tried with other evidence.
    assert sum(one["init"] == "smooth" for one in trials) == 1


def test_with_a_given_evidence_only_starts_are_compared():
    trials, _ = _trials_of(SearchSpace(("smooth", "flow"), level=5.0), lambda _: 1.0)
    assert [(one["init"], one["evidence"]) for one in trials] == [("flow", 5.0), ("smooth", 5.0)]


def test_noise_asks_for_more_evidence_than_its_absence():
    levels = []
    for noise in (0.02, 2.0):
        X, y = made(300, 2, noise)
        settings = SETTINGS | {"n_estimators": 150, "n_iter_no_change": 30}
        model = WGBRegressor(**settings).fit(X, y)
        levels.append(model.evidence_)
        chosen = [one for one in model.search_ if one.get("chosen")]
        assert len(chosen) == 1
        assert chosen[0]["rounds"] == model.n_estimators_
    assert levels[0] < 10 <= levels[1]


def test_the_refit_has_the_evidence_that_was_found():
    X, y = made(400, 1, 1.0)
    model = WGBRegressor(**SETTINGS).fit(X, y)
    assert model.refitted_
    kept = WGBRegressor(**SETTINGS | {"refit": False}).fit(X, y)
    trial = next(one for one in kept.search_ if one.get("chosen"))
    assert trial["value"] == kept.history_["validation"]["nll"][trial["rounds"]]
    assert kept.evidence_ == trial["evidence"]


def test_a_single_number_is_the_same_as_the_number():
    """Where the best is a constant, the model is the one that this constant gives."""
    X, y = made(300, 2, 0.02)
    settings = SETTINGS | {"n_estimators": 150, "n_iter_no_change": 30}
    auto = WGBRegressor(**settings).fit(X, y)
    same = {
        "evidence": auto.evidence_,
        "direction": DiagonalNewton(Kernel("gaussian" if auto.evidence_ < 3 else "scaled")),
    }
    plain = WGBRegressor(**settings | same).fit(X, y)
    np.testing.assert_array_equal(auto.predict(X), plain.predict(X))
    assert auto.history_ == plain.history_


@pytest.mark.parametrize("stop", [3, 14, 25, 38, 47, 60])
def test_a_checkpoint_anywhere_in_the_search_goes_on_to_the_same_model(tmp_path, stop):
    X, y = made(300, 3, 1.0)
    whole = WGBRegressor(**SETTINGS).fit(X, y)
    path, rounds = tmp_path / "half.wgb", []

    def pause(info):
        rounds.append(info["round"])
        if len(rounds) == stop:
            info["save"](path)
            raise RuntimeError("the machine goes down")

    pause.in_refit = True
    with pytest.raises(RuntimeError, match="goes down"):
        WGBRegressor(**SETTINGS).fit(X, y, callbacks=[pause])
    again = WGBRegressor(**SETTINGS).fit(X, y, resume_from=path)
    np.testing.assert_array_equal(again.predict(X), whole.predict(X))
    assert again.search_ == whole.search_
    assert again.history_ == whole.history_


def test_it_is_saved_with_the_model(tmp_path):
    X, y = made(200, 4, 1.0)
    model = WGBRegressor(**SETTINGS).fit(X, y)
    model.save(tmp_path / "model.wgb")
    loaded = load(tmp_path / "model.wgb")
    assert loaded.evidence_ == model.evidence_
    assert loaded.search_ == model.search_


def test_ctrl_c_leaves_the_best_so_far():
    X, y = made(300, 5, 1.0)

    def interrupt(info):
        rounds.append(info["round"])
        if len(rounds) == 25:
            raise KeyboardInterrupt

    rounds = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = WGBRegressor(**SETTINGS).fit(X, y, callbacks=[interrupt])
    assert model.interrupted_
    assert any("interrupted" in str(one.message) for one in caught)
    values = [one["value"] for one in model.search_]
    [chosen] = [one for one in model.search_ if one.get("chosen")]
    assert chosen["value"] == min(values)
    assert model.n_estimators_ == chosen["rounds"]


def test_classes_and_given_rows():
    X, y = made(300, 6, 0.5)
    model = WGBClassifier(**SETTINGS).fit(X[:200], y[:200] > 0, X_val=X[200:], y_val=y[200:] > 0)
    assert model.evidence_ in LADDER


def test_it_needs_rows_to_choose_by():
    X, y = made(50, 7, 1.0)
    with pytest.raises(ValueError, match="early_stopping=True"):
        WGBRegressor(evidence="auto", n_estimators=20).fit(X, y)
    with pytest.raises(ValueError, match=r"evidence='atuo'.*auto"):
        WGBRegressor(evidence="atuo").fit(X, y)


def test_threads_do_not_matter():
    X, y = made(400, 8, 1.0)
    one, two = (WGBRegressor(**SETTINGS | {"n_jobs": n}).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
