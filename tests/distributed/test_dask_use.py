"""Use of wgboost.dask: defaults, validation sets, names of columns, clients that die."""

import subprocess
import sys
import time

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import cloudpickle  # noqa: E402
import dask  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402

import wgboost  # noqa: E402
from clusters import two_processes  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.dask import WGBClassifier, WGBRegressor  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, size=(400, 3)).astype(np.float64)
X[RNG.random(X.shape) < 0.1] = np.nan
Y = np.nan_to_num(X[:, 0]) + RNG.normal(size=400)
LAZY, LAZY_Y = da.from_array(X, chunks=(200, 3)), da.from_array(Y, chunks=200)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(price=Y)
FEW = {"n_estimators": 4, "n_particles": 3, "max_leaves": 16, "random_state": 0, "n_jobs": 1}
FIT_PARAMS = {"y": "price", "sample_weight": "w", "offset": "shift"}
QUICK = {
    "n_particles": 3, "n_iter_no_change": 3, "learning_rate": 0.5, "max_leaves": 16,
    "random_state": 0, "init": "flow",
}  # fmt: skip

CLIENT = """
import sys
import dask.array as da
from dask.distributed import Client
from wgboost.dask import WGBRegressor

with Client(sys.argv[1]) as client:
    X = da.random.default_rng(0).normal(size=(200, 2), chunks=(100, 2))
    model = WGBRegressor(n_estimators=int(sys.argv[2]), n_particles=2, tree="shared", n_jobs=1)
    model.fit(X, X[:, 0], client=client, callbacks=[lambda info: print(info["round"], flush=True)])
"""


@pytest.fixture(scope="module")
def client():
    short = {
        "distributed.scheduler.locks.lease-timeout": "2s",
        "distributed.scheduler.locks.lease-validation-interval": "500ms",
    }
    with two_processes(**short) as client:
        yield client


@pytest.fixture(scope="module")
def model(client):
    return WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client)


def test_rounds_and_evidence_are_found_by_default(client):
    fitted = WGBRegressor(**QUICK).fit(LAZY, LAZY_Y, client=client)
    one = wgboost.WGBRegressor(learner=TreeLearner(engine="xgboost"), n_jobs=1, **QUICK).fit(X, Y)
    assert fitted.refitted_
    for mine, theirs in zip(fitted.search_, one.search_, strict=True):
        assert (mine["evidence"], mine["rounds"]) == (theirs["evidence"], theirs["rounds"])
        assert mine["value"] == pytest.approx(theirs["value"], abs=1e-4)


def test_predictions_of_a_collection_are_those_of_its_rows(model):
    for name in ("predict", "predict_quantiles", "predict_interval", "predict_band", "ood_score"):
        method = getattr(model, name)
        np.testing.assert_array_equal(method(LAZY).compute(), method(X), err_msg=name)
    assert model.score(LAZY, LAZY_Y) == model.score(X, Y)
    with pytest.raises(AttributeError, match=r"no 'response': map\(function\) has any"):
        model.predict_uncertainty(LAZY)
    with pytest.raises(TypeError, match="X is a Dask Array, and this takes rows in memory"):
        model.apply(LAZY)


def test_a_partition_without_rows_has_no_predictions(model):
    few = X[:, 0] > 100
    few[:5] = True
    some = LAZY[da.from_array(few, chunks=200)]  # no row of the second partition, sizes unknown
    for name in ("predict", "predict_interval", "predict_band"):
        method = getattr(model, name)
        np.testing.assert_array_equal(method(some).compute(), method(X[few]), err_msg=name)
    dist = model.predict_dist(some)
    np.testing.assert_array_equal(dist.std().compute(), model.predict_dist(X[few]).std())
    first, second = dask.compute(*dist.parts)
    assert len(first) == 5
    assert second is None


def test_distributions_of_several_columns_have_moments_of_each(client):
    y = np.stack([Y, X[:, 1] - Y], axis=1)
    y[np.isnan(y)] = 0.0
    joint = WGBRegressor(**FEW, response="multivariate_normal")
    joint.fit(LAZY, da.from_array(y, chunks=(200, 2)), client=client)
    for name in ("mean", "std", "var", "aleatoric", "epistemic"):
        lazy = getattr(joint.predict_dist(LAZY), name)()
        assert lazy.shape == (400, 2)
        exact = getattr(joint.predict_dist(X), name)()
        np.testing.assert_array_equal(lazy.compute(), exact, err_msg=name)


def test_a_model_is_sent_once_and_not_with_every_partition(model):
    rows = da.zeros((40, 3), chunks=(4, 3))
    least = len(cloudpickle.dumps(model)) // 2
    tasks = dict(model.predict(rows).dask).values()
    assert sum(len(cloudpickle.dumps(task)) > least for task in tasks) == 1


def test_validation_sets_have_the_columns_of_training(client):
    lazy = dd.from_pandas(FRAME, npartitions=3)
    by_name = WGBRegressor(**FEW).fit(lazy, "price", client=client, X_val=lazy, y_val="price")
    one = wgboost.WGBRegressor(learner=TreeLearner(engine="xgboost"), **FEW)
    one.fit(FRAME, "price", X_val=FRAME, y_val="price")
    values = [run.history_["validation"]["nll"] for run in (by_name, one)]
    np.testing.assert_allclose(*values, atol=1e-5)
    with pytest.raises(ValueError, match="X_val, y_val: X has 2 columns, training had 3"):
        WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client, X_val=LAZY[:, :2], y_val=LAZY_Y)
    with pytest.raises(ValueError, match="X_val is a list of 2 sets, y_val is none"):
        WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client, X_val=[LAZY, LAZY], y_val=LAZY_Y)


def test_a_checkpoint_knows_the_validation_rows(client, tmp_path):
    file, given = tmp_path / "checkpoint", {"client": client, "y_val": LAZY_Y}
    stop = [wgboost.callbacks.Checkpoint(file, every_rounds=2), lambda info: info["round"] == 2]
    WGBRegressor(**FEW).fit(LAZY, LAZY_Y, X_val=LAZY, callbacks=stop, **given)
    whole = WGBRegressor(**FEW).fit(LAZY, LAZY_Y, X_val=LAZY, resume_from=file, **given)
    assert len(whole.history_["validation"]["nll"]) == 5
    with pytest.raises(ValueError, match="made with other data"):
        WGBRegressor(**FEW).fit(LAZY, LAZY_Y, X_val=LAZY + 1, resume_from=file, **given)


def test_labels_of_a_categorical_column_are_those_of_all_partitions(client):
    labels = np.where(Y > 4, "high", np.where(Y < 0, "low", "middle"))
    frame = FRAME.assign(price=pd.Categorical(labels)).sort_values("price")
    lazy = dd.from_pandas(frame.reset_index(drop=True), npartitions=4)
    fitted = WGBClassifier(**FEW).fit(lazy, "price", client=client)
    one = wgboost.WGBClassifier(learner=TreeLearner(engine="xgboost"), **FEW).fit(frame, "price")
    assert fitted.classes_.tolist() == one.classes_.tolist() == ["high", "low", "middle"]
    X_sorted = frame[["a", "b", "c"]]
    np.testing.assert_allclose(
        fitted.predict_proba(X_sorted), one.predict_proba(X_sorted), atol=1e-5
    )


def test_fit_parameters_can_be_names_of_columns(client):
    frame = FRAME.assign(w=RNG.integers(0, 3, 400), shift=1.0)
    lazy = dd.from_pandas(frame, npartitions=3)
    given = {"sample_weight_val": "w", "offset_val": "shift", "y_val": "price"}
    fitted = WGBRegressor(**FEW).fit(
        lazy, "price", "w", offset="shift", client=client, X_val=lazy, **given
    )
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    one = wgboost.WGBRegressor(learner=TreeLearner(engine="xgboost"), **FEW)
    table, columns = frame[["a", "b", "c"]], {f"{k}_val": frame[v] for k, v in FIT_PARAMS.items()}
    one.fit(table, **{k: frame[v] for k, v in FIT_PARAMS.items()}, X_val=table, **columns)
    values = [run.history_["validation"]["nll"] for run in (fitted, one)]
    np.testing.assert_allclose(*values, atol=1e-5)
    np.testing.assert_allclose(fitted.predict(table), one.predict(table), atol=1e-5)


def test_bins_are_those_of_weighted_classes(client):
    fine = RNG.normal(size=(400, 2))
    rare = np.where(fine[:, 0] + RNG.normal(size=400) > 2, "rare", "common")
    settings = {
        **FEW,
        "class_weight": "balanced",
        "learner": TreeLearner(max_bins=20, engine="xgboost"),
    }
    fitted = WGBClassifier(**settings).fit(
        da.from_array(fine, chunks=(200, 2)), da.from_array(rare, chunks=200), client=client
    )
    one = wgboost.WGBClassifier(**settings).fit(fine, rare)
    np.testing.assert_allclose(fitted.predict_proba(fine), one.predict_proba(fine), atol=1e-5)


def test_workers_are_free_after_their_client_died(client):
    address = client.scheduler.address
    first = subprocess.Popen(
        [sys.executable, "-c", CLIENT, address, "100000"], stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "1\n"
    first.kill()
    first.wait()
    first.stdout.close()
    again = WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client)
    assert again.n_estimators_ == 4


@pytest.mark.filterwarnings("ignore:.*interrupted")
def test_ctrl_c_while_a_callback_runs_ends_the_fit_with_its_rounds(client):
    def interrupt(info):
        if info["round"] == 3:
            raise KeyboardInterrupt

    settings = {**FEW, "n_estimators": 1000}
    fitted = WGBRegressor(**settings).fit(LAZY, LAZY_Y, client=client, callbacks=[interrupt])
    assert fitted.n_estimators_ == 3


@pytest.mark.parametrize("error", [PermissionError, TimeoutError])
def test_an_error_of_a_callback_is_no_lost_worker(client, error):
    def full(_):
        raise error("no room for a checkpoint")

    with pytest.raises(error, match="no room for a checkpoint"):
        WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client, callbacks=[full])


def test_workers_leave_a_fit_that_failed_and_nothing_is_left_of_it(client):
    def full(_):
        raise OSError("no room for a checkpoint")

    def queues(dask_scheduler):
        return len(dask_scheduler.extensions["queues"].queues)

    before = client.run_on_scheduler(queues)
    WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client)
    until = time.monotonic() + 10
    while client.run_on_scheduler(queues) > before and time.monotonic() < until:
        time.sleep(0.1)  # workers' messages take a moment
    assert client.run_on_scheduler(queues) <= before  # those of earlier fits may go meanwhile
    with pytest.raises(OSError, match="no room"):
        WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client, callbacks=[full])
    assert all(not running for running in client.processing().values())
    began = time.monotonic()
    WGBRegressor(**FEW).fit(LAZY, LAZY_Y, client=client)
    assert time.monotonic() - began < 8  # and not the time to look for a tracker that has gone


def test_an_error_of_a_worker_is_no_lost_worker(client):
    def odd(*_, **__):
        raise FileNotFoundError("the table of limits")

    given = {"client": client, "X_val": LAZY, "y_val": LAZY_Y}
    with pytest.raises(FileNotFoundError, match="the table of limits"):
        WGBRegressor(**FEW, eval_metric=odd).fit(LAZY, LAZY_Y, **given)
    with pytest.raises(Exception, match="device") as raised:
        WGBRegressor(learner=TreeLearner(device="gpuu"), **FEW).fit(LAZY, LAZY_Y, client=client)
    assert "lost" not in str(raised.value)
