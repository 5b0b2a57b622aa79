"""Callbacks and Ctrl-C: a fit that is stopped leaves a model, or nothing changed."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from wgboost import Interrupted, Target, WGBoost, WGBRegressor

RNG = np.random.default_rng(7)
X = RNG.normal(size=(150, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.2 * RNG.normal(size=150)
NEW = np.random.default_rng(9).normal(size=(60, 3))


def model(**options):
    return WGBRegressor(**{"n_estimators": 10, "random_state": 3, "n_jobs": 1, **options})


def particles(fitted):
    return fitted.predict_dist(NEW).particles


def stop_after(rounds, how=True):
    def callback(state):
        assert state["particles"].shape[0] == len(X)
        if state["round"] == rounds:
            if how is not True:
                raise how
            return True
        return None

    return callback


def test_a_callback_ends_the_loop():
    fitted = model().fit(X, Y, callbacks=[stop_after(3)])
    assert fitted.n_estimators_ == 3
    assert not fitted.interrupted_
    assert_array_equal(particles(fitted), particles(model(n_estimators=3).fit(X, Y)))


@pytest.mark.parametrize("options", [{}, {"early_stopping": True}])
def test_an_interrupted_fit_keeps_the_rounds_so_far(options):
    def callback(state):
        if state["round"] == 4:
            raise KeyboardInterrupt

    with pytest.warns(Interrupted, match=r"the model consists of [0-4] rounds"):
        fitted = model(**options).fit(X, Y, callbacks=[callback])
    assert fitted.interrupted_
    assert fitted.n_estimators_ == 4 if not options else fitted.n_estimators_ <= 4
    assert np.isfinite(fitted.predict(NEW)).all()


def test_an_interrupted_fit_can_go_on():
    with pytest.warns(Interrupted):
        fitted = model(warm_start=True).fit(X, Y, callbacks=[stop_after(4, KeyboardInterrupt())])
    fitted.fit(X, Y)
    assert fitted.n_estimators_ == 10
    assert_array_equal(particles(fitted), particles(model().fit(X, Y)))


@pytest.mark.parametrize("wrong", [3, [3], print, "ab"])
def test_callbacks_are_a_list_of_functions(wrong):
    with pytest.raises(TypeError, match=r"callbacks=.* must be a list of functions"):
        model().fit(X, Y, callbacks=wrong)


class Stops(LinearRegression):
    """Fits `quiet` times, then behaves as if Ctrl-C were pressed."""

    def __init__(self, quiet=0, count=()):
        self.quiet, self.count = quiet, count

    def __sklearn_clone__(self):
        return self

    def fit(self, X, y):
        if len(self.count) == self.quiet:
            raise KeyboardInterrupt
        self.count.append(1)
        return super().fit(X, y)


def test_ctrl_c_before_the_first_round_leaves_the_estimator_as_it_was():
    fitted = model(init=Stops(0, []))
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X, Y)
    with pytest.raises(NotFittedError):
        fitted.predict(NEW)
    fitted.set_params(init="flow").fit(X, Y)
    before = fitted.predict(NEW)
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(init=Stops(0, [])).fit(X[:, :2], 100 * Y)
    assert_array_equal(fitted.predict(NEW), before)


def test_ctrl_c_in_the_first_round_of_a_continued_fit_leaves_the_model_there_was():
    def stop(*_):
        raise KeyboardInterrupt

    fitted = model(warm_start=True).fit(X, Y)
    before = fitted.predict(NEW)
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(n_estimators=20, direction=stop).fit(X, Y)
    assert fitted.n_estimators_ == 10
    assert_array_equal(fitted.predict(NEW), before)


@pytest.mark.parametrize("before_first_round", [True, False])
def test_ctrl_c_in_a_refit_leaves_the_model_that_early_stopping_found(before_first_round):
    options = {"early_stopping": True, "learning_rate": 0.3, "init": "flow", "tree": "shared"}
    rounds = []

    def direction(particles, score, *_):
        if len(particles) == len(X):
            rounds.append(1)
            if len(rounds) == (1 if before_first_round else 3):
                raise KeyboardInterrupt
        return 0.1 * score

    plain = model(**options, refit=False, direction=lambda _, score, *__: 0.1 * score)
    stopped = plain.fit(X, Y)
    assert stopped.n_estimators_ > 3
    with pytest.warns(Interrupted, match=r"of \d+ rounds, not refitted on all rows"):
        fitted = model(**options, direction=direction, warm_start=True).fit(X, Y)
    assert fitted.interrupted_
    assert_array_equal(fitted.validation_rows_, stopped.validation_rows_)
    assert_array_equal(particles(fitted), particles(stopped))
    again = fitted.fit(X, Y)
    assert not again.interrupted_
    assert again.validation_rows_ is None


def test_the_general_algorithm_keeps_the_rounds_so_far():
    target = Target(score=lambda x, y: y[:, None] - x, curvature=lambda x, _: np.ones_like(x))
    with pytest.warns(Interrupted, match="the model consists of 4 rounds"):
        fitted = WGBoost(target).fit(X, Y, callbacks=[stop_after(4, KeyboardInterrupt())])
    assert fitted.interrupted_
    assert fitted.predict(NEW).shape == (60,)


CHILD = """
import signal

import numpy as np
from wgboost import WGBRegressor

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in jobs of the background
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 20))
y = X[:, 0] + rng.normal(size=20_000)
model = WGBRegressor(n_estimators=100_000, random_state=0, verbose=1, n_jobs=2)
model.fit(X, y)
print("rounds", model.n_estimators_, np.isfinite(model.predict(X)).all(), flush=True)
"""


def test_a_real_ctrl_c_leaves_a_model_that_predicts():
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        for line in child.stdout:
            if line.startswith("round 5 "):
                break
        pressed = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert time.monotonic() - pressed < 10
    assert child.returncode == 0, errors
    word, rounds, finite = out.splitlines()[-1].split()
    assert (word, finite) == ("rounds", "True")
    assert int(rounds) >= 4
    assert "Interrupted" in errors
