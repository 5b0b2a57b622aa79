"""Checkpoints: a fit that dies goes on and gives the very model that it would have given."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from wgboost import (
    AveragedFlow,
    ModelFileError,
    Normal,
    Target,
    WGBClassifier,
    WGBoost,
    WGBRegressor,
    load,
)
from wgboost.callbacks import Checkpoint, EarlyStopping, MaxTime
from wgboost.estimators.paper import PAPER_TREES
from wgboost.training.flat_parameters import grouped_parameters

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
NEW = RNG.normal(size=(60, 3))
NEW_Y = np.sin(2 * NEW[:, 0]) + 0.3 * NEW[:, 1]
SETS = {"X_val": [NEW[:30], NEW[30:]], "y_val": [NEW_Y[:30], NEW_Y[30:]]}
HELD = np.arange(150) % 4 == 0
STOPPING = {"early_stopping": True, "learning_rate": 0.5}


class CrashError(Exception):
    """Ends a fit as a crash would, after a round of the search or, `late`, of the refit."""

    in_refit = True

    def __init__(self, rounds, late=False):
        self.rounds, self.late = rounds, late

    def __call__(self, info):
        refit = not info["metrics"] and self.late
        if info["round"] == self.rounds and refit == self.late:
            raise self


def model(kind=WGBRegressor, **options):
    settings = {"n_estimators": 25, "random_state": 3, "n_jobs": 1, "subsample": 0.6}
    if kind is not WGBoost:
        settings = {**PAPER_TREES, **settings, "init": AveragedFlow(steps=20), "evidence": 1.0}
    return kind(**grouped_parameters({**settings, "colsample": 0.7, **options}))


def crashed(path, crash, y=Y, every=3, callbacks=(), kind=WGBRegressor, data=None, **options):
    checkpoint = Checkpoint(path, every_rounds=every)
    with pytest.raises(CrashError):
        model(kind, **options).fit(X, y, **(data or {}), callbacks=[checkpoint, *callbacks, crash])


def bytes_of(fitted, folder):
    fitted.set_params(verbose=0, n_jobs=1).save(folder / "saved")
    return (folder / "saved").read_bytes()


CASES = [
    ({}, {}, CrashError(14)),
    ({"direction": "langevin", "split_on": 2, "tree": "per_particle"}, {}, CrashError(14)),
    ({}, SETS, CrashError(14)),
    ({**STOPPING, "refit": False}, {}, CrashError(20)),
    ({**STOPPING, "refit": False, "n_iter_no_change": 4}, SETS, CrashError(5)),
    (
        {**STOPPING, "n_iter_no_change": 6},
        {"validation_rows": np.arange(150) % 4 == 0},
        CrashError(8),
    ),
    ({**STOPPING}, {"sample_weight": np.arange(150) % 3}, CrashError(8)),
    ({**STOPPING, "learning_rate": 0.2}, {}, CrashError(5, late=True)),
    ({"random_state": None}, {}, None),
    (
        {"evidence": np.linspace(1, 2, 150), "prior": {"mean": Y}},
        {"offset": X[:, 2]},
        CrashError(14),
    ),
]


@pytest.mark.parametrize(("options", "data", "crash"), CASES, ids=range(len(CASES)))
def test_a_fit_that_died_goes_on_to_the_same_bytes(options, data, crash, tmp_path):
    path = tmp_path / "checkpoint"
    if crash is None:  # without a seed there is no other fit to compare with: end at the last save
        whole = model(**options, n_estimators=24)
        whole.fit(X, Y, **data, callbacks=[Checkpoint(path, every_rounds=8)])
        options = {**options, "n_estimators": 24}
    else:
        crashed(path, crash, data=data, **options)
        whole = model(**options).fit(X, Y, **data)
    again = model(**options, verbose=100, n_jobs=2).fit(X, Y, **data, resume_from=path)
    assert bytes_of(again, tmp_path) == bytes_of(whole, tmp_path)


def test_a_classifier_and_the_general_algorithm_go_on_too(tmp_path):
    labels = np.array(["ash", "beech", "cedar"])[np.digitize(Y, [-0.5, 0.5])]
    samples = RNG.normal(Y[:, None], size=(150, 6))
    target = Target(score=lambda x, y: y[:, None] - x)
    for kind, y, options in (
        (WGBClassifier, labels, {"random_state": np.random.RandomState(4), **STOPPING}),
        (WGBoost, samples, {"direction": "energy", "early_stopping": True, "refit": False}),
        (WGBoost, Y, {"target": target, "direction": "smoothed"}),
    ):
        options = {**options, "kind": kind}

        def fresh(options=options):
            seed = np.random.RandomState(4) if options["kind"] is WGBClassifier else 3
            return {**options, "random_state": seed}

        crashed(tmp_path / "file", CrashError(10), y, **fresh())
        again = model(**fresh()).fit(X, y, resume_from=tmp_path / "file")
        whole = model(**fresh()).fit(X, y)
        assert bytes_of(again, tmp_path) == bytes_of(whole, tmp_path)


def test_stopping_by_a_callback_comes_to_the_same_end(tmp_path):
    options, stop = {"learning_rate": 0.5}, EarlyStopping(3)
    whole = model(**options).fit(X, Y, **SETS, callbacks=[stop])
    rounds = len(whole.history_["validation"]["nll"]) - 1
    assert whole.n_estimators_ == rounds - 3
    for crash in (CrashError(rounds - 2), CrashError(rounds)):
        crashed(tmp_path / "file", crash, data=SETS, callbacks=[stop], every=1, **options)
        again = model(**options).fit(X, Y, **SETS, callbacks=[stop], resume_from=tmp_path / "file")
        assert bytes_of(again, tmp_path) == bytes_of(whole, tmp_path)


def test_a_fit_out_of_time_goes_on_where_it_was(tmp_path):
    path = tmp_path / "file"
    part = model().fit(X, Y, callbacks=[Checkpoint(path, every_rounds=1), MaxTime(1e-9)])
    assert part.n_estimators_ == load(path).n_estimators_ == 1
    whole = model().fit(X, Y)
    assert bytes_of(model().fit(X, Y, resume_from=path), tmp_path) == bytes_of(whole, tmp_path)


def test_a_checkpoint_is_a_model(tmp_path):
    crashed(tmp_path / "file", CrashError(14))
    loaded = load(tmp_path / "file")
    assert loaded.n_estimators_ == 12
    whole = model(support=False).fit(X, Y)  # a checkpoint does not know the support of rows
    expected = whole.predict_dist(NEW, n_rounds=12).particles
    assert loaded.predict_dist(NEW).particles.tobytes() == expected.tobytes()


OTHER = Y + np.eye(1, 150, 77)[0] * 1e-9
REFUSED = [
    ({}, (X, OTHER), {}, "was made with other data: X, y, weights"),
    ({}, (X[::-1], Y), {}, "other data"),
    ({}, (X, Y, np.ones(150)), {}, "other data"),
    ({}, (X, Y), {"X_val": NEW, "y_val": NEW_Y}, "other data"),
    ({}, (X[:, :2], Y), {}, "X has 2 features"),
    ({"max_depth": 4}, (X, Y), {}, r"max_depth=4 cannot resume from .* with max_depth=3; resume"),
    ({"n_estimators": 99}, (X, Y), {}, "n_estimators=99 cannot resume .* with n_estimators=25"),
    ({"evidence": np.ones(150)}, (X, Y), {}, r"evidence=array\(.* with evidence=1.0"),
    ({"response": Normal(prior_mean=1.0)}, (X, Y), {}, r"response=Normal\(.* cannot resume"),
]


@pytest.mark.parametrize(("options", "data", "sets", "message"), REFUSED)
def test_other_data_and_other_parameters_are_refused(options, data, sets, message, tmp_path):
    crashed(tmp_path / "file", CrashError(5))
    fresh = model(**options)
    with pytest.raises(ValueError, match=message):
        fresh.fit(*data, **sets, resume_from=tmp_path / "file")
    assert not hasattr(fresh, "ensemble_")


def test_what_is_no_checkpoint_is_refused(tmp_path):
    model().fit(X, Y).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="is a finished model, not a checkpoint"):
        model().fit(X, Y, resume_from=tmp_path / "model")
    with pytest.raises(ValueError, match="is of a WGBRegressor, not of a WGBClassifier"):
        model(WGBClassifier).fit(X, Y > 0, resume_from=tmp_path / "model")
    (tmp_path / "model").write_bytes(b"x" * 300)
    with pytest.raises(ModelFileError, match="not a wgboost model file"):
        model().fit(X, Y, resume_from=tmp_path / "model")


def test_what_cannot_be_saved_shows_after_the_first_round(tmp_path):
    rounds = []
    with pytest.raises(TypeError, match="learner is foreign"):
        model(learner=DecisionTreeRegressor()).fit(
            X,
            Y,
            callbacks=[Checkpoint(tmp_path / "file"), lambda info: rounds.append(info["round"])],
        )
    assert rounds == [1]


CHILD = """
import sys
import numpy as np
from wgboost import WGBRegressor
from wgboost.callbacks import Checkpoint
from wgboost.training.flat_parameters import grouped_parameters

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = X[:, 0] + 0.3 * rng.normal(size=200)
model = WGBRegressor(
    n_estimators=100, random_state=0, n_jobs=2, subsample=0.5, colsample=0.5, early_stopping=True,
    n_iter_no_change=40, learning_rate=0.05, n_particles=4,
)
callbacks, resume, folder = [], None, sys.argv[2]
if sys.argv[1] == "die":
    callbacks = [Checkpoint(folder + "/checkpoint", 7), lambda i: print(i["round"], flush=True)]
elif sys.argv[1] == "resume":
    resume = folder + "/checkpoint"
model.fit(X, y, callbacks=callbacks, resume_from=resume).save(folder + "/" + sys.argv[1])
"""


def test_a_fit_that_was_killed_goes_on_to_the_same_bytes(tmp_path):
    def child(what):
        return subprocess.Popen(
            [sys.executable, "-c", CHILD, what, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )

    dying = child("die")
    for line in dying.stdout:
        if int(line) == 30:
            break
    os.kill(dying.pid, signal.SIGKILL)
    dying.communicate()
    assert dying.returncode == -signal.SIGKILL
    assert not (tmp_path / "die").exists()
    assert load(tmp_path / "checkpoint").n_estimators_ >= 28
    for what in ("resume", "whole"):
        running = child(what)
        running.communicate()
        assert running.returncode == 0
    assert (tmp_path / "resume").read_bytes() == (tmp_path / "whole").read_bytes()
