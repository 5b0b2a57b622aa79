"""What callbacks are told of a fit that has several stages, and how they end it."""

import numpy as np
import pytest

from wgboost import AveragedFlow, WGBRegressor
from wgboost.callbacks import Keep, Log, MaxTime, Progress, Record
from wgboost.training import progress
from wgboost.training.search_trials import stage_name

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.5 * RNG.normal(size=150)
NEW = np.random.default_rng(9).normal(size=(60, 3))


def model(**options):
    fixed = {"random_state": 3, "n_jobs": 1, "init": AveragedFlow(steps=20), "n_particles": 4}
    usual = {"n_estimators": 12, "early_stopping": True, "n_iter_no_change": 4}
    return WGBRegressor(**{**fixed, **usual, **options})


class Spy:
    """Keeps what it is told, and answers as a function of it says."""

    in_refit = True

    def __init__(self, answer=lambda _: None):
        self.answer, self.told = answer, []

    def __call__(self, info):
        self.told.append(dict(info))
        return self.answer(info)


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second whenever somebody looks."""
    ticks = iter(range(10**6))
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(ticks)))


def test_a_callback_is_told_the_stage_and_the_trial():
    spy = Spy()
    fitted = model().fit(X, Y, callbacks=[spy])
    stages = [info["stage"] for info in spy.told]
    assert stages == sorted(stages)  # "evidence", then "refit"
    assert set(stages) == {"evidence", "refit"}
    tried = list(dict.fromkeys(
        info["trial"]["evidence"] for info in spy.told if info["stage"] == "evidence"
    ))  # fmt: skip
    assert tried == list(dict.fromkeys(one["evidence"] for one in fitted.search_))
    assert len(tried) >= 3
    assert all(info["trial"] is None for info in spy.told if info["stage"] == "refit")
    assert all(info["member"] is None for info in spy.told)
    total = [info["total_seconds"] for info in spy.told]
    assert total == sorted(total)
    assert all(info["seconds"] <= info["total_seconds"] for info in spy.told)


def test_a_fit_of_one_stage_says_so():
    spy = Spy()
    model(early_stopping=False, evidence=1.0).fit(X, Y, callbacks=[spy])
    assert {info["stage"] for info in spy.told} == {"fit"}
    assert {info["refit_seconds"] for info in spy.told} == {0.0}


def test_how_long_a_refit_would_take_is_known_while_one_is_to_follow():
    spy = Spy()
    model(evidence=3.0).fit(X, Y, callbacks=[spy])
    search = [info for info in spy.told if info["stage"] == "fit"]
    assert search[-1]["refit_seconds"] > 0
    assert {info["refit_seconds"] for info in spy.told if info["stage"] == "refit"} == {0.0}
    spy = Spy()
    model(evidence=3.0, refit=False).fit(X, Y, callbacks=[spy])
    assert {info["refit_seconds"] for info in spy.told} == {0.0}


@pytest.mark.usefixtures("clock")
def test_one_time_budget_is_for_all_trials_together():
    spy = Spy()
    fitted = model(n_estimators=500, learning_rate=0.01).fit(X, Y, callbacks=[spy, MaxTime(30)])
    assert sum(info["stage"] == "evidence" for info in spy.told) == 30
    assert len(fitted.search_) == 1
    # On this clock nothing is left for the refit: it is dropped after a round.
    assert sum(info["stage"] == "refit" for info in spy.told) == 1
    assert not fitted.refitted_
    assert fitted.validation_rows_ is not None


def test_a_budget_leaves_time_for_the_refit():
    stop = MaxTime(10.0)
    info = {"total_seconds": 6.0, "refit_seconds": 3.9}
    assert not stop(info)
    assert stop({**info, "refit_seconds": 4.0})
    assert stop({"total_seconds": 10.0, "refit_seconds": 0.0})


def test_a_refit_that_is_ended_leaves_the_model_of_the_search():
    def answer(info):
        return info["stage"] == "refit" and info["round"] == 2

    options = {"evidence": 3.0, "n_estimators": 30, "tree": "shared"}
    ended = model(**options).fit(X, Y, callbacks=[Spy(answer)])
    found = model(**options, refit=False).fit(X, Y)
    assert not ended.refitted_
    assert not ended.interrupted_
    np.testing.assert_array_equal(ended.predict(NEW), found.predict(NEW))
    np.testing.assert_array_equal(ended.validation_rows_, found.validation_rows_)


def test_true_ends_the_search_and_keep_only_the_trial():
    def in_the_second(answer):
        trials = []

        def told(info):
            if info["trial"] is not None and info["trial"] not in trials:
                trials.append(info["trial"])
            return answer if len(trials) == 2 and info["round"] == 3 else None

        return told

    ended = model().fit(X, Y, callbacks=[in_the_second(True)])
    assert len(ended.search_) == 2
    assert ended.refitted_
    kept = model().fit(X, Y, callbacks=[in_the_second(Keep(3))])
    assert len(kept.search_) > 2


def test_a_record_says_which_stage_values_are_of():
    record = {}
    fitted = model().fit(X, Y, callbacks=[Record(record)])
    lengths = {len(record[name]) for name in ("round", "stage", "seconds")}
    assert lengths == {len(record["validation"]["nll"])}
    chosen = next(one for one in fitted.search_ if one.get("chosen"))
    name = stage_name(chosen)
    own = [i for i, stage in enumerate(record["stage"]) if stage == name]
    assert [record["round"][i] for i in own] == [*range(1, len(own) + 1)]
    values = [record["validation"]["nll"][i] for i in own]
    assert values == fitted.history_["validation"]["nll"][1:]
    assert record["seconds"] == sorted(record["seconds"])


def test_lines_say_which_stage_they_are_of(capsys):
    lines = []
    model().fit(X, Y, callbacks=[Log(4, lines.append), Progress(every=4)])
    assert lines[0].startswith("evidence 30 round 4  validation nll ")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("evidence 30 round 4 of 12  validation nll ")
    assert [line.split(" round ")[0] for line in shown] == [
        line.split(" round ")[0] for line in lines
    ]


def test_the_speed_of_a_stage_is_its_own():
    told = {"n_rounds": 100, "metrics": {}, "particles": None, "member": None, "stage": "evidence"}
    bar = Progress()
    bar.live = True
    written = []
    bar._write = written.append
    for evidence in (10.0, 30.0):
        trial = {"evidence": evidence}
        for r in (1, 50, 100):
            bar({**told, "round": r, "seconds": r / 10, "trial": trial})
    last = [text for text in written if "100/100" in text]
    assert len(last) == 2
    assert all("10 rounds/s" in text for text in last)
