"""Threads change nothing but the time: neither ours nor those of Python."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from making import assert_same_tree, grow, made
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree
from wgboost.trees import TreeSettings
from wgboost.trees.flat import FlatTrees


def assert_same_fit(a, b):
    np.testing.assert_array_equal(a.leaf, b.leaf)
    for one, other in zip(a.trees, b.trees, strict=True):
        assert_same_tree(one, other)


SETTINGS = {
    "plain": {},
    "best first": {"growth": "best_first", "max_depth": None, "max_leaves": 25},
    "drawn": {"subsample": 0.6, "colsample": 0.7},
    "random projection": {"split_on": 2},
    "particle mean": {"split_on": "particle_mean", "l2": 1.0},
}


@pytest.mark.parametrize("n", [40, 3000, 150_000])
@pytest.mark.parametrize("tree", ["shared", "per_particle"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_any_number_of_threads_grows_the_same_trees(n, tree, settings):
    X, g = made(1, n, 5, 3, 2, missing=0.05)
    features = Features.from_raw(X)
    settings = {"max_depth": 5, **settings, "tree": tree}
    one, two, five = (grow(features, g, n_threads=k, **settings)[1] for k in (1, 2, 5))
    assert one.trees[0].n_leaves > 4
    assert_same_fit(one, two)
    assert_same_fit(one, five)


@pytest.mark.parametrize("tree", ["shared", "per_particle"])
def test_weights_and_curvature_keep_threads_equal(tree):
    X, g = made(2, 40_000, 4, 3, 2, missing=0.05)
    rng = np.random.default_rng(0)
    c = rng.random(g.shape).astype(np.float32)
    weight = rng.integers(0, 3, 40_000).astype(np.float32)
    features = Features.from_raw(X, weight=weight)
    one, two, five = (
        grow(features, g, c, weight, n_threads=k, tree=tree, max_depth=4)[1] for k in (1, 2, 5)
    )
    assert_same_fit(one, two)
    assert_same_fit(one, five)


def test_a_learner_used_again_on_other_data_grows_what_a_new_one_grows():
    used = HistTree(n_threads=2)
    for seed, (n, p, m, d) in enumerate([(5000, 3, 4, 2), (30, 7, 1, 1), (9000, 2, 2, 2)] * 2):
        X, g = made(seed, n, p, m, d, missing=0.1)
        features = Features.from_raw(X)
        assert_same_fit(used.fit(features, g), HistTree(n_threads=2).fit(features, g))


def test_a_learner_that_has_refused_targets_grows_what_a_new_one_grows():
    X, g = made(3, 4000, 3, 2)
    features, used = Features.from_raw(X), HistTree()
    with pytest.raises(ValueError, match="targets is nan"):
        used.fit(features, np.full_like(g, np.nan))
    assert_same_fit(used.fit(features, g), HistTree().fit(features, g))


def test_a_learner_that_has_been_used_can_be_pickled():
    X, g = made(3, 200, 3)
    features, used = Features.from_raw(X), HistTree(TreeSettings(max_depth=5))
    before = used.fit(features, g)
    again = pickle.loads(pickle.dumps(used))
    assert again == used
    assert_same_fit(again.fit(features, g), before)


@pytest.mark.parametrize("shared_learner", [False, True])
def test_trees_grown_at_once_from_python_threads_are_those_grown_alone(shared_learner):
    problems = [made(seed, 20_000, 4, 2, 2) for seed in range(4)]
    features = [Features.from_raw(X) for X, _ in problems]
    one = HistTree(TreeSettings(max_depth=5), n_threads=2)

    def fit(i):
        learner = one if shared_learner else HistTree(TreeSettings(max_depth=5), n_threads=2)
        return learner.fit(features[i], problems[i][1])

    alone = [fit(i) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, [0, 1, 2, 3] * 4))
    for i, fitted in enumerate(together):
        assert_same_fit(fitted, alone[i % 4])


@pytest.fixture
def ticks_during():
    """Counts how often another Python thread gets its turn during a call.

    Threads do not take turns by themselves here, so each turn is one that the call gave away.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    state = {"ticks": 0, "end": False}

    def tick():
        while not state["end"]:
            state["ticks"] += 1
            time.sleep(1e-5)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()

    def count(call):
        before = state["ticks"]
        call()
        return state["ticks"] - before

    yield count
    state["end"] = True
    thread.join()
    sys.setswitchinterval(interval)


MANY_TICKS = 5


def test_the_counter_of_turns_sees_a_call_that_keeps_the_interpreter(ticks_during):
    numbers = np.random.default_rng(0).random(300_000).tolist()
    assert max(ticks_during(lambda: sorted(numbers)) for _ in range(5)) < MANY_TICKS


@pytest.mark.parametrize("call", ["find cuts", "apply cuts", "grow", "predict", "apply"])
def test_other_python_threads_run_while_the_core_works(ticks_during, call):
    X, g = made(4, 100_000, 8, 5, 2)
    features = Features.from_raw(X)
    learner = HistTree(TreeSettings(max_depth=6))
    flat = FlatTrees.join([learner.fit(features, g).flat] * 20)
    calls = {
        "find cuts": lambda: type(features.cuts).find(X),
        "apply cuts": lambda: features.cuts.apply(X),
        "grow": lambda: learner.fit(features, g),
        "predict": lambda: flat.predict(X),
        "apply": lambda: flat.apply(X),
    }
    # The other thread may be slow to wake up once, but not every time.
    assert any(ticks_during(calls[call]) >= MANY_TICKS for _ in range(20))


AFTER_FORK = """
import os, sys
import numpy as np
from wgboost.data import Features
from wgboost.learners.hist_tree import HistTree

rng = np.random.default_rng(0)
X, g = rng.normal(size=(50_000, 4)), rng.normal(size=(50_000, 3, 2)).astype(np.float32)
learner = HistTree(n_threads=2)

def fit():
    fitted = learner.fit(Features.from_raw(X, n_threads=2), g)
    return fitted.predict(X).tobytes()

before = fit()
child = os.fork()
if child == 0:
    os._exit(0 if fit() == before else 3)
after = fit()
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) or (0 if after == before else 4))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_grows_the_same_trees():
    # Python warns about a fork among threads: NumPy's own are kept out.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", AFTER_FORK],
        capture_output=True, text=True, timeout=120, env=environment,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 0


class Alarm(BaseException):
    """What the handler of a signal raises."""


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_signal_ends_a_call_into_the_core(n_threads):
    def ring(*_):
        raise Alarm

    X, g = made(2, 200_000, 4)
    features, fitted = grow(X, g, max_depth=3)
    binned = features.binned
    long = FlatTrees.join([fitted.flat] * 20_000)  # some ten seconds of work
    particles = np.zeros((len(X), *long.shape), np.float32)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Alarm):
            long.add_binned(binned, particles, n_threads=n_threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (particles[-1] == 0).all()  # it was not worked through to the end


@pytest.mark.parametrize("response", ["normal", "gamma"])
def test_any_number_of_blas_threads_gives_the_same_model(response):
    """Long sums of BLAS are divided among its threads, and their last digits follow."""
    program = (
        "import numpy as np; from wgboost import WGBRegressor\n"
        "X = np.random.default_rng(0).exponential(size=(40_000, 2))\n"
        f"model = WGBRegressor(response={response!r}, evidence=1.0, early_stopping=False,\n"
        "    n_estimators=1, n_particles=2, n_jobs=1, random_state=0).fit(X, X[:, 0])\n"
        "print(float(model.predict(X[:1])[0]).hex(), float(model.model_.units.scale).hex())"
    )
    answers = set()
    for threads in ("1", "2"):
        limits = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        found = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, **limits}, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        answers.add(found.stdout)
    assert len(answers) == 1
