"""Errors of wgboost.dask."""

import inspect
import json
import os
import signal
import socket
import struct
import threading

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import dask.bag as bag  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402

import wgboost  # noqa: E402
from model_particles import particles_of  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.dask import WGBClassifier, WGBRegressor  # noqa: E402
from wgboost.distributed.dask.communicator import join_communicator  # noqa: E402
from wgboost.distributed.dask.tracker import Tracker  # noqa: E402
from wgboost.distributed.worker import distributed_scorer  # noqa: E402
from wgboost.estimators.preparing import training_data  # noqa: E402
from wgboost.metrics import METRICS  # noqa: E402

X = np.arange(40.0).reshape(20, 2)
LAZY, Y = da.from_array(X, chunks=(10, 2)), da.from_array(X[:, 0], chunks=10)
LEFT = threading.Event()  # set when a worker has given up its neighbours


@pytest.fixture(scope="module")
def client():
    """A cluster inside this process."""
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        yield client


def test_without_a_client_the_error_says_how_to_make_one():
    with pytest.raises(ValueError, match=r"no Dask client: make one, .*fit\(X, y, client=client\)"):
        WGBRegressor().fit(LAZY, Y)
    with pytest.raises(TypeError, match=r"client='here' must be a dask.distributed.Client"):
        WGBRegressor().fit(LAZY, Y, client="here")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"learner": TreeLearner(engine="native")}, "one process; wgboost.dask has TreeLearner"),
        ({"init": "smooth"}, "init='smooth' is fitted to X, .* the estimators of wgboost"),
        ({"eval_metric": "concordance"}, "different workers; use .* with wgboost.WGBRegressor"),
        ({"monotone_constraints": [1, 0]}, r'monotone_constraints .*engine="native"\) does'),
        (
            {"learner": wgboost.WGBRegressor()},
            "learner=.* is fitted in one process; wgboost.dask grows trees",
        ),
    ],
)
def test_parameters_of_one_process_are_refused_with_an_alternative(settings, said):
    with pytest.raises(ValueError, match=said):
        WGBRegressor(**settings).fit(LAZY, Y)


def test_parameters_are_those_of_one_process():
    assert WGBRegressor(max_depth=5).get_params() == (
        wgboost.WGBRegressor(max_depth=5).get_params()
    )
    paper = wgboost.WGBClassifier.paper(l2=2.0).get_params()
    assert WGBClassifier.paper(l2=2.0).get_params() == paper
    with pytest.raises(TypeError, match="max_dept"):
        WGBRegressor(max_dept=5)


@pytest.mark.parametrize("kind", ["WGBRegressor", "WGBClassifier"])
def test_predictions_have_the_signatures_of_the_ordinary_estimators(kind):
    ours, ordinary = getattr(wgboost.dask, kind), getattr(wgboost, kind)
    names = ["predict", "predict_dist", "predict_band", "ood_score"]
    names += ["predict_interval"] if kind == "WGBRegressor" else ["predict_proba"]
    for name in names:
        lazy, method = getattr(ours, name), getattr(ordinary, name)
        assert inspect.signature(lazy) == inspect.signature(method)
        assert lazy.__doc__.split("\n")[0] == method.__doc__.split("\n")[0]
        assert "For a Dask array or frame the result is lazy" in lazy.__doc__


def test_partitions_of_y_and_weights_have_to_be_those_of_x(client):
    said = r"has partitions of 5, 15 rows, X of 10, 10: .*rechunk"
    with pytest.raises(ValueError, match="y " + said):
        WGBRegressor().fit(LAZY, Y.rechunk(((5, 15),)), client=client)
    with pytest.raises(ValueError, match="sample_weight " + said):
        WGBRegressor().fit(LAZY, Y, Y.rechunk(((5, 15),)), client=client)
    with pytest.raises(ValueError, match="X has 20 rows, y has 19"):
        WGBRegressor().fit(LAZY, X[1:, 0], client=client)
    with pytest.raises(ValueError, match=r"sample weights have shape \(19,\); \(20,\) is needed"):
        WGBRegressor().fit(LAZY, Y, X[1:, 0], client=client)


def test_the_error_for_data_in_memory_names_the_ordinary_estimator(client):
    with pytest.raises(TypeError, match=r"X is a numpy ndarray; .* wgboost.WGBRegressor"):
        WGBRegressor().fit(X, X[:, 0], client=client)


def test_x_has_to_be_an_array_or_a_frame(client):
    with pytest.raises(TypeError, match=r"X is a dask Delayed\w*; wgboost.dask takes Dask arrays"):
        WGBRegressor().fit(dask.delayed(X), X[:, 0], client=client)
    with pytest.raises(TypeError, match=r"X is a dask Bag; wgboost.dask takes Dask arrays"):
        WGBRegressor().fit(bag.from_sequence(X), X[:, 0], client=client)


def test_columns_that_are_no_numbers_are_named(client):
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(["u", "v"] * 10)})
    lazy = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="column 'b' is categorical, and partitions are of num"):
        WGBRegressor().fit(lazy, lazy["a"], client=client)
    with pytest.raises(ValueError, match="y='c' is no column of X"):
        WGBRegressor().fit(lazy, "c", client=client)
    with pytest.raises(ValueError, match="sample_weight='w' is no column of X; columns:"):
        WGBRegressor().fit(lazy, "a", "w", client=client)
    with pytest.raises(ValueError, match="y_val='c' is no column of X_val; an array has no names"):
        WGBRegressor().fit(LAZY, Y, client=client, X_val=LAZY, y_val="c")


def test_a_failed_fit_leaves_the_estimator_as_it_was(client):
    model = WGBRegressor()
    before = dict(vars(model))
    with pytest.raises(ValueError, match="nan"):
        model.fit(LAZY, Y * np.nan, client=client)
    assert vars(model) == before


def test_predictions_of_partitions_take_no_values_of_rows(client):
    model = WGBRegressor(n_estimators=2, n_particles=2, n_jobs=1)
    model.fit(LAZY, Y, client=client, tracker_host="127.0.0.1")
    with pytest.raises(TypeError, match="offset has a value for each row"):
        model.predict(LAZY, offset=np.zeros(20))
    shifted = model.predict(LAZY, offset=1.0).compute()
    np.testing.assert_array_equal(shifted, model.predict(X, offset=1.0))


def test_the_tracker_is_in_a_process_of_its_own():
    with Tracker(2, "127.0.0.1") as tracker:
        assert tracker.worker_args["dmlc_tracker_uri"] == "127.0.0.1"
        assert tracker.pid != os.getpid()
        os.kill(tracker.pid, signal.SIGABRT)  # as it does when a worker dies at a bad moment
    with pytest.raises(ProcessLookupError):
        os.kill(tracker.pid, 0)


def _join_tracker(address, joined):
    """Speak to a tracker as a worker that dies before it connects to its neighbour."""
    with (
        socket.create_connection(address, timeout=60) as tracker,
        socket.create_server(("127.0.0.1", 0)) as neighbours,
        socket.create_server(("127.0.0.1", 0)) as errors,
    ):
        tracker.sendall(struct.pack("<i", 0xFF99))
        ports = {"port": neighbours.getsockname()[1], "error_port": errors.getsockname()[1]}
        hello = {"world_size": -1, "rank": -1, "task_id": "1"}
        for message in (hello, {"cmd": 1, **ports}, {"done": True}):
            text = json.dumps(message).encode()
            tracker.sendall(struct.pack("<i", len(text)) + text)
        neighbours.settimeout(60)
        with neighbours.accept()[0]:
            joined.set()
            LEFT.wait(60)


def _joining(worker_args):
    try:
        with join_communicator(worker_args, "0"):
            pass
    finally:
        LEFT.set()


def test_a_cancelled_worker_does_not_wait_for_its_neighbours(client):
    joined = threading.Event()
    with Tracker(2, "127.0.0.1") as tracker:
        args = tracker.worker_args
        address = args["dmlc_tracker_uri"], int(args["dmlc_tracker_port"])
        neighbour = threading.Thread(target=_join_tracker, args=(address, joined))
        neighbour.start()
        future = client.submit(_joining, args, pure=False)
        assert joined.wait(60)  # XGBoost waits for the connection of its neighbour now
        assert not LEFT.wait(1)
        client.cancel(future, force=True)
        assert LEFT.wait(30)
        neighbour.join()


def test_the_tracker_refuses_an_address_of_another_machine(client):
    with pytest.raises(RuntimeError, match=r"tracker cannot be at '192.0.2.77': .*tracker_host="):
        WGBRegressor(n_estimators=2).fit(LAZY, Y, client=client, tracker_host="192.0.2.77")


def test_a_fit_says_that_it_waits_for_workers(caplog):
    quiet = {"n_workers": 0, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**quiet) as cluster, Client(cluster) as client:
        coming = threading.Timer(1, cluster.scale, [1])
        coming.start()
        model = WGBRegressor(n_estimators=2, n_particles=2, n_jobs=1)
        model.fit(LAZY, Y, client=client, tracker_host="127.0.0.1")
    assert "the cluster has no workers yet; waiting for some" in caplog.messages


def test_a_metric_of_one_process_is_not_changed_by_the_reduction():
    model = wgboost.WGBRegressor(n_estimators=2, n_particles=2).fit(X, X[:, 0])
    known = dict.fromkeys(("sample_weight", "offset", "exposure", "y_std"))
    params = model.get_params(deep=False)
    _, rows = training_data("WGBRegressor", params, X, {"y": X[:, 0], **known})
    particles = particles_of(model, X)
    for name in ("nll", "rmse", "crps"):
        score = rows.scorer(METRICS[name], model.model_.units)(particles)
        assert distributed_scorer(rows, METRICS[name], model.model_.units)(
            particles
        ) == pytest.approx(score)


def test_a_dead_scheduler_is_named_before_a_fit_and_in_it():
    # A process: a worker in this one opens clients of its own, which would stay the default.
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as cluster:  # fmt: skip
        client = Client(cluster)

        def close(info):
            if info["round"] == 2:
                client.close()

        model = WGBRegressor(n_particles=2, n_jobs=1)
        with pytest.raises(ConnectionError, match="scheduler does not answer"):
            model.fit(LAZY, Y, client=client, tracker_host="127.0.0.1", callbacks=[close])
        with pytest.raises(ConnectionError, match="the Dask client is closed: its scheduler"):
            model.fit(LAZY, Y, client=client)
