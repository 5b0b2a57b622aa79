"""A smooth start is the same to the last bit whichever thread or process fits it."""

import subprocess
import sys
from threading import Thread

import numpy as np
import pytest
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info, threadpool_limits

from wgboost.smooth import SmoothStart
from wgboost.smooth.blas import one_thread
from wgboost.smooth.gp_model import GPData, fit_gp

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(300, 5))
Y = np.sin(3 * X[:, 0]) * X[:, 1] + 0.2 * RNG.normal(size=300)


def location():
    settings = SmoothStart(kernel="matern52", scaling="standard")
    found = fit_gp(
        settings, GPData.of(X, Y, None, None), np.zeros(5, int), np.random.default_rng(1)
    )
    return found[0].at(X).location


def in_thread(function):
    out = []
    thread = Thread(target=lambda: out.append(function()))
    thread.start()
    thread.join()
    return out[0]


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def held():
    with one_thread():
        return blas_threads()


def test_a_thread_uses_one_blas_thread_and_restores_the_number():
    with threadpool_limits(2, user_api="blas"):  # this thread controls BLAS now
        assert in_thread(held) == {1}
        assert blas_threads() == {2}
        assert held() == {1}
        assert in_thread(blas_threads) == {2}


@pytest.mark.parametrize("backend", ["thread", "threading", "loky"])
def test_another_thread_or_process_finds_the_same_bits(backend):
    with threadpool_limits(2, user_api="blas"):
        here = location()
        if backend == "thread":
            there = [in_thread(location)]
        else:
            there = Parallel(n_jobs=2, backend=backend)(delayed(location)() for _ in range(2))
    for one in there:
        assert_array_equal(one, here)


FORK = """
import os
from threading import Event, Thread
from threadpoolctl import threadpool_info, threadpool_limits
import numpy, scipy.linalg
from wgboost.smooth import blas

def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

def hold():
    with blas.one_thread():
        entered.set()
        leave.wait(60)

entered, leave = Event(), Event()
with threadpool_limits(2, user_api="blas"):
    thread = Thread(target=hold)
    thread.start()
    entered.wait(60)
    blas._lock.acquire()
    child = os.fork()
    if child == 0:
        with blas.one_thread():
            inside = threads()
        os._exit(0 if (inside, threads()) == ({1}, {2}) else 1)
    blas._lock.release()
    leave.set()
    thread.join()
    status = os.waitpid(child, 0)[1]
    assert status == 0 and threads() == {2}, (status, threads())
"""


@pytest.mark.skipif(not hasattr(sys, "getdlopenflags"), reason="there is no fork")
def test_a_child_forked_inside_the_context_starts_anew():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=120)
