"""evidence="auto" of many rows: a sample chooses the evidence, all rows are trained on."""

from dataclasses import replace

import numpy as np
import pytest

from evidence_examples import INSIDE, SAMPLE, SETTINGS, WATCHED, N, X, Y
from wgboost import Batches, DiagonalNewton, Kernel, WGBClassifier, WGBRegressor, load
from wgboost.callbacks import MaxTime
from wgboost.training import search, stages
from wgboost.training.search_trials import SearchSpace, next_on
from wgboost.training.settings import usual_leaves


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(search, "_SAMPLE", SAMPLE)
    monkeypatch.setattr(search, "_WATCHED", WATCHED)


class Spy:
    """Keeps what it is told, and the rows that are trained on."""

    in_refit = True

    def __init__(self, answer=lambda _: None):
        self.answer, self.told = answer, []

    def __call__(self, info):
        self.told.append({**info, "rows": len(info["particles"])})
        return self.answer(info)

    def rows(self, stage):
        return {info["rows"] for info in self.told if info["stage"] == stage}


def test_the_search_sees_the_sample_and_the_fit_all_rows():
    spy = Spy()
    model = WGBRegressor(**SETTINGS).fit(X, Y, callbacks=[spy])
    assert spy.rows("evidence") == {SAMPLE}
    assert spy.rows("fit") == {INSIDE}
    assert spy.rows("refit") == {N}
    trials = model.search_
    assert {one["rows"] for one in trials} == {SAMPLE, INSIDE}
    sizes = [one["rows"] for one in trials]
    assert sizes == sorted(sizes)
    [chosen] = [one for one in trials if one.get("chosen")]
    assert chosen["rows"] == INSIDE
    assert chosen["rounds"] == model.n_estimators_
    on_sample = [one for one in trials if one["rows"] == SAMPLE]
    best = min(on_sample, key=lambda one: one["value"])
    final = next(one for one in trials if one["rows"] == INSIDE)
    assert final["evidence"] == best["evidence"]


def test_a_chosen_constant_is_the_fit_with_this_number():
    y = 3 * X[:, 0] + 0.01 * np.random.default_rng(1).standard_normal(N)
    model = WGBRegressor(**SETTINGS).fit(X, y)
    kernel = "gaussian" if model.evidence_ < 3 else "scaled"
    fixed = SETTINGS | {"evidence": model.evidence_, "direction": DiagonalNewton(Kernel(kernel))}
    plain = WGBRegressor(**fixed).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.history_ == plain.history_


def test_fewer_rows_than_four_times_the_sample_are_all_used(monkeypatch):
    monkeypatch.setattr(search, "_SAMPLE", INSIDE // 4 + 1)
    some = WGBRegressor(**SETTINGS).fit(X, Y)
    monkeypatch.setattr(search, "_SAMPLE", 10**9)
    whole = WGBRegressor(**SETTINGS).fit(X, Y)
    assert some.search_ == whole.search_
    np.testing.assert_array_equal(some.predict(X), whole.predict(X))


def _leaves(fitted):
    return max(int((tree.feature < 0).sum()) for tree in fitted.trees)


def test_the_trees_of_each_stage_suit_its_rows(monkeypatch):
    monkeypatch.setattr(search, "_SAMPLE", 80)
    default = WGBRegressor()
    free = {name: getattr(default, name) for name in ("max_depth", "max_leaves", "learner")}
    spy = Spy(lambda info: trees[info["stage"]].append(_leaves(info["rounds"][-1])))
    trees = {"evidence": [], "fit": [], "refit": []}
    WGBRegressor(**SETTINGS | free | {"init": "flow"}).fit(X, Y, callbacks=[spy])
    assert max(trees["evidence"]) == usual_leaves(80)
    assert max(trees["fit"]) == max(trees["refit"]) == usual_leaves(INSIDE)


def test_a_sample_does_not_choose_the_number_of_leaves(monkeypatch):
    settings = {"init": "flow", "n_iter_no_change": 5, "random_state": 0, "n_jobs": 1}
    of_sample = WGBRegressor(**settings).fit(X, Y)
    assert {one["rows"] for one in of_sample.search_} == {SAMPLE, INSIDE}
    assert all("leaf_share" not in one for one in of_sample.search_)
    monkeypatch.setattr(search, "_SAMPLE", 10**9)
    assert any("leaf_share" in one for one in WGBRegressor(**settings).fit(X, Y).search_)


def test_true_in_the_search_still_trains_on_all_rows():
    spy = Spy(lambda info: info["stage"] == "evidence" and info["round"] == 5)
    model = WGBRegressor(**SETTINGS | {"init": "flow"}).fit(X, Y, callbacks=[spy])
    assert [(one["evidence"], one["rows"]) for one in model.search_] == [
        (30.0, SAMPLE), (30.0, INSIDE),
    ]  # fmt: skip
    assert model.refitted_
    assert spy.rows("refit") == {N}


def test_the_time_of_all_rows_is_estimated_during_the_search_on_the_sample(monkeypatch):
    monkeypatch.setattr(stages, "monotonic", lambda: 0.0)  # starts take no time
    expected = {"evidence": (INSIDE + N) / SAMPLE, "fit": N / INSIDE}
    spy, shares = Spy(), {}

    def look(info):
        done = info["watch"].best_round * info["seconds"] / len(info["rounds"])
        if info["stage"] not in shares and done > 0:
            shares[info["stage"]] = info["refit_seconds"] / done / 1.3

    model = WGBRegressor(**SETTINGS).fit(X, Y, callbacks=[look, spy, MaxTime(600.0)])
    assert shares == pytest.approx(expected)
    assert model.refitted_


def test_no_time_left_ends_the_search_and_then_the_fit():
    spy = Spy()
    model = WGBRegressor(**SETTINGS | {"init": "flow"}).fit(X, Y, callbacks=[spy, MaxTime(1e-6)])
    assert [info["stage"] for info in spy.told] == ["evidence", "fit", "refit"]
    assert model.n_estimators_ <= 1


def test_ctrl_c_in_the_search_leaves_the_model_of_the_sample():
    def interrupt(info):
        stages.append(info["stage"])
        if len(stages) == 18:
            raise KeyboardInterrupt

    stages = []
    with pytest.warns(UserWarning, match="interrupted"):
        model = WGBRegressor(**SETTINGS).fit(X, Y, callbacks=[interrupt])
    assert set(stages) == {"evidence"}
    assert model.interrupted_
    [chosen] = [one for one in model.search_ if one.get("chosen")]
    assert chosen["rows"] == SAMPLE
    assert model.n_estimators_ == chosen["rounds"]


def test_given_sets_are_sampled_for_the_search_alone():
    new = np.random.default_rng(2).uniform(-1, 1, (200, 3))
    sets = {"X_val": [new[:150], new[150:]], "y_val": [new[:150, 0], new[150:, 0]]}
    settings = SETTINGS | {"learner": replace(SETTINGS["learner"], support=False)}
    model = WGBRegressor(**settings).fit(X, Y, **sets)
    assert {one["rows"] for one in model.search_} == {SAMPLE, N}
    assert set(model.history_) == {"validation", "validation_2"}
    [chosen] = [one for one in model.search_ if one.get("chosen")]
    dist = model.predict_dist(new[:150])
    assert chosen["value"] == pytest.approx(-dist.logpdf(new[:150, 0]).mean(), rel=1e-5)


def test_batches_classes_weights_and_files(tmp_path):
    parts = [(X[i : i + 100], Y[i : i + 100]) for i in range(0, N, 100)]
    model = WGBRegressor(**SETTINGS).fit(Batches(lambda: iter(parts)))
    assert model.search_[-1]["rows"] == INSIDE
    model.save(tmp_path / "model.wgb")
    assert load(tmp_path / "model.wgb").search_ == model.search_
    rare = np.where(np.arange(N) < 8, "rare", np.where(Y > 0, "high", "low"))
    model = WGBClassifier(**SETTINGS).fit(X, rare)
    assert model.search_[-1]["rows"] == INSIDE
    assert list(model.classes_) == ["high", "low", "rare"]


def test_a_weight_of_two_is_the_row_twice():
    weight = np.where(np.arange(N) % 3 == 0, 2, 1)
    twice = np.repeat(np.arange(N), weight)
    one = WGBRegressor(**SETTINGS).fit(X, Y, sample_weight=weight)
    other = WGBRegressor(**SETTINGS).fit(X[twice], Y[twice])
    assert one.search_ == other.search_
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_the_sample_follows_the_seed():
    values = [
        WGBRegressor(**SETTINGS | {"random_state": seed}).fit(X, Y).search_[0]["start"]
        for seed in (1, 1, 2)
    ]
    assert values[0] == values[1] != values[2]


def test_all_rows_are_trained_once_with_what_the_sample_took():
    def trial(level, rows, value):
        return {"evidence": level, "rows": rows, "value": value, "start": 2.0}

    trials = [trial(30.0, 5, 1.1), trial(10.0, 5, 1.0), trial(1.0, 5, 1.3)]
    assert next_on(SearchSpace(), trials, 5, 9, False) == {"evidence": 3.0, "rows": 5}
    whole = {"evidence": 10.0, "rows": 9}
    assert next_on(SearchSpace(), trials, 5, 9, True) == whole
    trials.append(trial(3.0, 5, 1.2))
    assert next_on(SearchSpace(), trials, 5, 9, False) == whole
    assert next_on(SearchSpace(), [*trials, trial(10.0, 9, 0.5)], 5, 9, False) is None
    assert next_on(SearchSpace(), [{**one, "rows": 9} for one in trials], 9, 9, False) is None
