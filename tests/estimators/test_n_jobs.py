"""How many threads `n_jobs` stands for, alone and in workers of joblib."""

import os

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from wgboost import WGBRegressor
from wgboost.validation import resolve_threads


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(joblib, "cpu_count", lambda *_, **__: 8)


def test_none_is_a_thread_for_each_core_unless_something_limits_them(monkeypatch):
    assert resolve_threads(None) == 8
    with joblib.parallel_config(n_jobs=2):
        assert resolve_threads(None) == 2
    with joblib.parallel_config(n_jobs=-3):
        assert resolve_threads(None) == 6
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert resolve_threads(None) == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    assert resolve_threads(None) == 8
    for unclear in ("", "many", "0"):
        monkeypatch.setenv("OMP_NUM_THREADS", unclear)
        assert resolve_threads(None) == 8


def test_a_number_is_what_it_says(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with joblib.parallel_config(n_jobs=2):
        assert [resolve_threads(n) for n in (1, 5, -1, -2, -20)] == [1, 5, 8, 7, 1]


def test_workers_of_joblib_do_not_use_all_cores_each():
    inside = joblib.Parallel(2, backend="threading")(
        joblib.delayed(resolve_threads)(n) for n in (None, None, 4)
    )
    assert inside == [1, 1, 4]


def threads_inside():
    return resolve_threads(None), os.environ.get("OMP_NUM_THREADS"), joblib.cpu_count()


def test_processes_of_joblib_have_their_share_of_the_cores():
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        inside = joblib.Parallel(2)(joblib.delayed(threads_inside)() for _ in range(2))
    assert [(threads, limit) for threads, limit, _ in inside] == [(1, "1")] * 2
    inside = joblib.Parallel(2, backend="loky")(joblib.delayed(threads_inside)() for _ in range(2))
    for threads, limit, cores in inside:
        assert threads == min(cores, int(limit))
        assert 2 * threads <= max(2, cores)


def test_the_model_is_the_same_however_many_threads_there_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = WGBRegressor(n_estimators=3, random_state=0)
    alone = model.fit(X, X[:, 0]).predict(X)
    with joblib.parallel_config(n_jobs=2):
        assert_array_equal(model.fit(X, X[:, 0]).predict(X), alone)
