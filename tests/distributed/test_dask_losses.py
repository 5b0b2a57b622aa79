"""Workers of a Dask cluster that die in a fit, at one moment or another."""

import os
import signal

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import dask  # noqa: E402

import wgboost  # noqa: E402
from clusters import two_processes  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.dask import WGBRegressor  # noqa: E402
from wgboost.distributed.dask.partitions import DaskPartitions  # noqa: E402
from wgboost.distributed.dask.run import DaskRun  # noqa: E402
from wgboost.metrics import nll  # noqa: E402

RNG = np.random.default_rng(0)
COARSE = RNG.integers(0, 12, size=(600, 3)).astype(np.float64)
Y = np.sin(COARSE[:, 0]) + np.exp(COARSE[:, 1] / 12 - 1) * RNG.normal(size=600)
FEW = {
    "n_estimators": 6, "n_particles": 4, "max_leaves": 16, "random_state": 0,
    "learner": TreeLearner(engine="xgboost"), "n_jobs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def client():
    # Some seconds after a loss a LocalCluster gives up a worker that is lost again just then.
    with two_processes(**{"distributed.deploy.lost-worker-timeout": "1h"}) as client:
        yield client


def parts(values, *lengths):
    """An array in chunks of so many rows, the first of them on one worker, the last on another."""
    return da.from_array(values, chunks=(lengths, *((size,) for size in values.shape[1:])))


def alone(X, y, **settings):
    return wgboost.WGBRegressor(**{**FEW, **settings}).fit(X, y)


@pytest.mark.parametrize(
    "settings",
    [{}, {"early_stopping": True, "n_iter_no_change": 3, "learning_rate": 0.5, "refit": False}],
    ids=["all rounds", "early stopping"],
)
def test_a_killed_worker_costs_no_rounds(client, settings):
    killed, settings = [], {**FEW, "n_estimators": 12, **settings}

    def kill(info):
        if info["round"] == 4 and not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    X, y = parts(COARSE, 300, 300), parts(Y, 300, 300)
    model = WGBRegressor(**settings).fit(X, y, client=client, callbacks=[kill])
    assert killed[0] not in client.run(os.getpid).values()
    one = alone(COARSE, Y, **settings)
    assert model.n_estimators_ == one.n_estimators_
    for name, values in one.history_.items():
        np.testing.assert_allclose(model.history_[name]["nll"], values["nll"], atol=1e-4)
    difference = nll(model.predict_dist(COARSE), Y) - nll(one.predict_dist(COARSE), Y)
    assert abs(difference) < 0.01


def test_the_loss_of_a_worker_after_the_last_round_changes_nothing(client):
    def kill(info):
        if info["round"] == 6:
            os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

    X, y = parts(COARSE, 300, 300), parts(Y, 300, 300)
    model = WGBRegressor(**FEW).fit(X, y, client=client, callbacks=[kill], max_retries=0)
    np.testing.assert_allclose(model.predict(COARSE), alone(COARSE, Y).predict(COARSE), atol=1e-5)
    client.wait_for_workers(2, timeout=60)


def test_a_fit_without_retries_ends_with_the_first_loss(client):
    def kill(_):
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

    X, y = parts(COARSE, 300, 300), parts(Y, 300, 300)
    with pytest.raises(RuntimeError, match="lost 1 times, max_retries=0"):
        WGBRegressor(**FEW).fit(X, y, client=client, callbacks=[kill], max_retries=0)
    client.wait_for_workers(2, timeout=60)


def test_partitions_that_cannot_be_computed_again_are_named(client):
    def kill(info):
        if info["round"] == 2:
            [holder] = client.who_has(scattered)[scattered.key]
            os.kill(client.run(os.getpid)[holder], signal.SIGKILL)

    scattered = client.scatter(COARSE)
    X = da.from_delayed(dask.delayed(scattered), shape=COARSE.shape, dtype=np.float64)
    with pytest.raises(RuntimeError, match=r"partition of X is gone with its worker, .*scattered"):
        WGBRegressor(**FEW).fit(X, Y, client=client, callbacks=[kill])
    client.wait_for_workers(2, timeout=60)


@pytest.mark.parametrize("moment", ["before it has its rows", "when all are done"])
def test_a_worker_killed_at_any_moment_is_a_lost_worker(client, monkeypatch, moment):
    killed = []

    def kill():
        if not killed:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    def locate(parts):
        found = original_locate(parts)
        kill()
        return found

    def poll_model(run):
        if {future.status for future in run.futures.values()} == {"finished"}:
            kill()
        return original_poll(run)

    original_locate, original_poll = DaskPartitions.locate, DaskRun.poll_model
    if moment == "when all are done":
        monkeypatch.setattr(DaskRun, "poll_model", poll_model)
    else:
        monkeypatch.setattr(DaskPartitions, "locate", locate)
    X, y = parts(COARSE, 300, 300), parts(Y, 300, 300)
    model = WGBRegressor(**FEW).fit(X, y, client=client)
    assert killed
    np.testing.assert_allclose(model.predict(COARSE), alone(COARSE, Y).predict(COARSE), atol=1e-5)
    client.wait_for_workers(2, timeout=60)
