"""Callbacks: what they are told, and what they do to a fit."""

import io
import logging
import os
import pty
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from wgboost import AveragedFlow, WGBRegressor
from wgboost.callbacks import Checkpoint, EarlyStopping, Keep, Log, MaxTime, Progress, Record

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
NEW = np.random.default_rng(9).normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]
SETS = {"X_val": [NEW[:30], NEW[30:]], "y_val": [NEW_Y[:30], NEW_Y[30:]]}


def model(**options):
    fixed = {"random_state": 3, "n_jobs": 1, "init": AveragedFlow(steps=20), "evidence": 1.0}
    return WGBRegressor(**{"n_estimators": 12, **fixed, **options})


def test_a_callback_is_told_how_the_fit_goes():
    told = []
    fitted = model().fit(X, Y, **SETS, callbacks=[lambda info: told.append(dict(info))])
    assert [info["round"] for info in told] == [*range(1, 13)]
    assert {info["n_rounds"] for info in told} == {12}
    assert not any(info["finished"] for info in told)
    seconds = [info["seconds"] for info in told]
    assert 0 < seconds[0] <= seconds[-1] == max(seconds)
    last = told[-1]
    assert last["history"] == fitted.history_
    assert last["metrics"]["validation_2"]["nll"] == fitted.history_["validation_2"]["nll"][-1]
    assert len(last["rounds"]) == 12
    np.testing.assert_array_equal(last["particles"], fitted.predict_dist(X).particles)


def test_the_round_that_ends_early_stopping_is_told_to_be_the_last():
    told = []
    options = {"early_stopping": True, "n_iter_no_change": 2, "learning_rate": 0.9}
    fitted = model(n_estimators=99, refit=False, **options).fit(
        X, Y, callbacks=[lambda info: told.append(info["finished"])]
    )
    assert told == [False] * (len(told) - 1) + [True]
    assert fitted.n_estimators_ == len(told) - 2


@pytest.mark.parametrize(("name", "index"), [("validation", 0), ("validation_2", 1)])
def test_early_stopping_keeps_the_best_round_of_any_set(name, index):
    options = {"learning_rate": 0.6, "n_estimators": 60}
    free = model(**options).fit(X, Y, **SETS).history_[name]["nll"]
    stopped = model(**options).fit(X, Y, **SETS, callbacks=[EarlyStopping(5, validation=name)])
    history = stopped.history_[name]["nll"]
    assert history == free[: len(history)]
    assert stopped.n_estimators_ == np.argmin(history)
    assert len(history) == min(61, np.argmin(history) + 6)
    chosen = {"X_val": SETS["X_val"][index], "y_val": SETS["y_val"][index]}
    twin = model(**options, early_stopping=True, n_iter_no_change=5).fit(X, Y, **chosen)
    np.testing.assert_array_equal(stopped.predict(NEW), twin.predict(NEW))


def test_early_stopping_keeps_the_best_round_at_the_end_too():
    options = {"learning_rate": 0.9, "n_estimators": 40}
    fitted = model(**options).fit(X, Y, **SETS, callbacks=[EarlyStopping(1000)])
    history = fitted.history_["validation"]["nll"]
    assert len(history) == 41
    assert fitted.n_estimators_ == np.argmin(history) < 40


def test_small_steps_are_no_improvement_where_they_are_said_to_be_none():
    patient = model().fit(X, Y, **SETS, callbacks=[EarlyStopping(3)])
    strict = model().fit(X, Y, **SETS, callbacks=[EarlyStopping(3, min_delta=10.0)])
    assert strict.n_estimators_ == 0 < patient.n_estimators_
    assert len(strict.history_["validation"]["nll"]) == 4


def test_early_stopping_without_a_set_says_what_is_missing():
    with pytest.raises(ValueError, match=r"needs the validation set 'validation'; there are \[\]"):
        model().fit(X, Y, callbacks=[EarlyStopping(3)])
    for wrong in (0, True, 1.5):
        with pytest.raises((ValueError, TypeError), match=f"rounds={wrong} must be"):
            EarlyStopping(wrong)


def test_a_callback_says_which_rounds_to_keep():
    def keep(info):
        return Keep(4) if info["round"] == 7 else None

    fitted = model().fit(X, Y, callbacks=[keep])
    assert fitted.n_estimators_ == 4
    expected = model(n_estimators=4).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(NEW), expected.predict(NEW))
    with pytest.raises(ValueError, match=r"Keep.rounds=9 must be between 0 and 1"):
        model().fit(X, Y, callbacks=[lambda _: Keep(9)])


def test_a_time_budget_ends_the_fit():
    assert model(n_estimators=10**6).fit(X, Y, callbacks=[MaxTime(0.05)]).n_estimators_ < 10**5
    assert model().fit(X, Y, callbacks=[MaxTime(1e6)]).n_estimators_ == 12
    with pytest.raises(ValueError, match="seconds=0 must be > 0"):
        MaxTime(0)


def test_a_checkpoint_is_made_after_rounds_or_seconds():
    def rounds(seconds, **every):
        checkpoint, saved = Checkpoint("path", **every), []
        for r, now in enumerate(seconds, start=1):
            checkpoint(
                {"round": r, "rounds": range(r), "total_seconds": now,
                 "finished": r == len(seconds), "save": lambda path, r=r: saved.append((r, path))}
            )  # fmt: skip
        return [r for r, path in saved if path == "path"]

    assert rounds(range(10), every_rounds=3) == [1, 3, 6, 9]
    assert rounds([1, 2, 3, 9, 10, 12, 13], every_seconds=2) == [1, 3, 4, 6]
    assert rounds([1, 2, 3, 9, 10, 12, 13], every_seconds=2, every_rounds=5) == [1, 3, 4, 5, 6]
    assert rounds(range(250)) == [1, 100, 200]
    with pytest.raises(ValueError, match="every_rounds=0 must be >= 1"):
        Checkpoint("path", every_rounds=0)
    with pytest.raises(ValueError, match="every_seconds=-1 must be > 0"):
        Checkpoint("path", every_seconds=-1)


def test_what_is_measured_is_recorded_and_logged(caplog, capsys):
    record, logger = {}, logging.getLogger("wgboost.test")
    with caplog.at_level(logging.INFO):
        fitted = model().fit(
            X, Y, **SETS, callbacks=[Record(record), Log(5, logger.info), Log(100)]
        )
    history = fitted.history_["validation"]["nll"]
    assert record["validation"]["nll"] == history[1:]
    assert record["seconds"] == sorted(record["seconds"])
    lines = [entry.message for entry in caplog.records]
    assert [line.split("  ")[0] for line in lines] == ["round 5", "round 10", "round 12"]
    assert f"validation nll {history[5]:.4f}" in lines[0]
    assert capsys.readouterr().out == lines[-1] + "\n"


def test_progress_is_plain_lines_where_nothing_can_be_drawn_over(capsys):
    fitted = model(verbose=5, early_stopping=True).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    heads = [line.split("  ")[0] for line in lines]
    n = fitted.n_estimators_
    assert heads[:3] == ["round 5 of 12", "round 10 of 12", "round 12 of 12"]
    assert heads[-1] == f"refit round {n} of {n}"
    value = fitted.history_["validation"]["nll"][10]
    assert lines[1] == f"round 10 of 12  validation nll {value:.4f}"


def in_a_notebook(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))


def test_the_bar_shows_the_metric_of_the_training_rows(capsys, monkeypatch):
    in_a_notebook(monkeypatch)
    fitted = model(verbose=1).fit(X, Y)
    *_, line = capsys.readouterr().out.rstrip().split("\r")
    expected = -fitted.predict_dist(X).logpdf(Y).mean()
    assert float(re.search(r"train nll (-?[\d.]+)", line)[1]) == pytest.approx(expected, abs=1e-4)


SCRIPT = """
import numpy as np
from wgboost import WGBRegressor
X = np.random.default_rng(0).normal(size=(100, 2))
WGBRegressor(n_estimators=40, n_jobs=1, verbose=1).fit(X, X[:, 0], X_val=X, y_val=X[:, 1])
"""


def test_progress_is_a_bar_in_a_terminal():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], stdout=theirs, env=environment, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert shown.count("\n") == 1
    *_, last = shown.rstrip().split("\r")
    assert last.startswith("100% |########################| 40/40  ")
    assert re.search(r"rounds/s  0:00 left  train nll -?[\d.]+  validation nll", last)


def test_progress_is_a_bar_in_a_notebook(monkeypatch):
    out = io.StringIO()
    assert not Progress(file=out).live
    in_a_notebook(monkeypatch)
    bar = Progress(file=out)
    assert bar.live
    for r in (1, 2):
        bar({"round": r, "n_rounds": 2, "metrics": {}, "particles": None, "seconds": r / 4,
             "stage": "fit", "trial": None, "member": None})  # fmt: skip
    bar.close()
    first, second = out.getvalue().strip("\r\n").split("\r")
    assert first.startswith(" 50% |############            | 1/2  4 rounds/s  0:00 left")
    assert second.startswith("100% |########################| 2/2")


def test_rounds_that_are_kept_do_not_hold_the_places_of_rows():
    sizes = []
    WGBRegressor(n_estimators=3, random_state=0, n_jobs=1).fit(
        X, Y, callbacks=[lambda info: sizes.append([one.leaf.size for one in info["rounds"]])]
    )
    assert sizes == [[0], [0, 0], [0, 0, 0]]
