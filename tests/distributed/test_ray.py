"""Fits on two workers of Ray Train: the model is the one of all rows in one process."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install wgboost[ray]")
import pandas as pd  # noqa: E402

import wgboost  # noqa: E402
from wgboost import TreeLearner  # noqa: E402
from wgboost.callbacks import Checkpoint  # noqa: E402
from wgboost.distributed.ray.partitions import RayPartitions  # noqa: E402
from wgboost.metrics import nll  # noqa: E402
from wgboost.ray import WGBClassifier, WGBRegressor  # noqa: E402

pytestmark = [
    pytest.mark.slow,  # Ray Train takes ten seconds to start its workers
    pytest.mark.filterwarnings("default"),  # Ray has warnings of its own
]

RNG = np.random.default_rng(0)
NAMES = ["a", "b", "c"]
COARSE = RNG.integers(0, 12, size=(600, 3)).astype(np.float64)
Y = np.sin(COARSE[:, 0]) + np.exp(COARSE[:, 1] / 12 - 1) * RNG.normal(size=600)
WEIGHT = RNG.integers(0, 3, 600).astype(np.float64)
FRAME = pd.DataFrame(COARSE, columns=NAMES)
FEW = {
    "n_estimators": 6, "n_particles": 4, "max_leaves": 16, "random_state": 0,
    "learner": TreeLearner(engine="xgboost"), "n_jobs": 1,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with pytest.raises(ValueError, match=r"Ray is not running: ray.init\(\) before fit"):
        WGBRegressor(**FEW).fit(None, "y")
    ray.init(
        num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False, log_to_driver=False,
        object_store_memory=200_000_000, resources={"seat": 1},
    )  # fmt: skip
    yield
    ray.shutdown()


def blocks(*lengths, **columns):
    """A Dataset with a block of so many rows each."""
    frame, ends = FRAME.assign(**columns), np.cumsum(lengths)
    return ray.data.from_pandas(
        [frame[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    )


def alone(weight=None, **settings):
    return wgboost.WGBRegressor(**{**FEW, **settings}).fit(FRAME, Y, weight)


def test_blocks_go_to_workers_by_their_rows():
    parts = RayPartitions(blocks(400, 150, 50), "X", 2)
    assert parts.lengths == [400, 150, 50]
    first, second, third = parts.locate()
    assert first != second == third
    for uneven in (blocks(600), blocks(600, 0), blocks(590, 10)):
        again = RayPartitions(uneven, "X", 2)
        assert sum(again.lengths) == 600
        assert len(set(again.locate())) == 2
        assert max(again.lengths) <= 300


def test_rows_keep_their_order_when_a_later_block_is_ready_first():
    def slow(part):
        time.sleep(1.0 if part["id"][0] == 0 else 0.0)
        return part

    lazy = ray.data.range(80, override_num_blocks=4).map_batches(slow, batch_size=None)
    parts = RayPartitions(lazy, "X", 1)
    assert parts.take_columns({"y": "id"})["y"].tolist() == list(range(80))


@pytest.mark.parametrize("lengths", [(400, 150, 50), (500, 0, 100)], ids=str)
def test_predictions_are_those_of_one_process(lengths, tmp_path):
    data = blocks(*lengths, price=Y, n=WEIGHT)
    model = WGBRegressor(**FEW).fit(data, "price", "n", scaling_config=2)
    one = alone(WEIGHT)
    assert model.feature_names_in_.tolist() == NAMES
    np.testing.assert_allclose(model.predict(FRAME), one.predict(FRAME), atol=1e-5)
    model.save(tmp_path / "model")
    assert type(wgboost.load(tmp_path / "model")) is wgboost.WGBRegressor
    batches = data.map_batches(
        lambda part: {"mean": model.predict(part[NAMES])}, batch_format="pandas"
    )
    together = np.concatenate([one["mean"] for one in batches.iter_batches(batch_format="numpy")])
    np.testing.assert_allclose(np.sort(together), np.sort(model.predict(FRAME)))


def test_early_stopping_uses_validation_rows_of_all_workers():
    settings = {"early_stopping": True, "n_iter_no_change": 2, "learning_rate": 0.5}
    settings |= {"n_estimators": 40, "evidence": 10.0}
    other = np.sin(COARSE[:, 0]) + RNG.normal(size=600)
    watched = {"X_val": blocks(590, 10, y=other), "y_val": "y"}
    model = WGBRegressor(**FEW | settings).fit(
        blocks(350, 250, y=Y), "y", scaling_config=2, **watched
    )
    one = wgboost.WGBRegressor(**FEW | settings).fit(FRAME, Y, X_val=FRAME, y_val=other)
    assert model.n_estimators_ == one.n_estimators_ < 40
    values = [run.history_["validation"]["nll"] for run in (model, one)]
    np.testing.assert_allclose(*values, atol=1e-5)


def test_classes_are_those_of_all_blocks():
    labels = np.where(COARSE[:, 0] > 5, "high", "low")
    labels[:3] = "odd"  # in the first block alone
    model = WGBClassifier(**FEW).fit(blocks(400, 200, label=labels), "label", scaling_config=2)
    one = wgboost.WGBClassifier(**FEW).fit(FRAME, labels)
    assert model.classes_.tolist() == ["high", "low", "odd"]
    np.testing.assert_allclose(model.predict_proba(FRAME), one.predict_proba(FRAME), atol=1e-5)


def _workers():
    """The processes of Ray Train's workers."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                title = (folder / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):  # it ended just now
                continue
            if title.startswith(b"ray::RayTrainWorker"):
                found.append(int(folder.name))
    return sorted(found)


def test_a_killed_worker_costs_no_rounds(tmp_path):
    killed, settings = [], {**FEW, "n_estimators": 12}

    def kill(info):
        if info["round"] == 4 and not killed:
            killed.extend(_workers())
            os.kill(killed[-1], signal.SIGKILL)

    saved = Checkpoint(tmp_path / "checkpoint", every_rounds=3)
    model = WGBRegressor(**settings).fit(
        blocks(300, 300, y=Y), "y", scaling_config=2, callbacks=[saved, kill]
    )
    assert len(killed) == 2
    one = alone(**settings)
    assert model.n_estimators_ == one.n_estimators_ == 12
    assert abs(nll(model.predict_dist(FRAME), Y) - nll(one.predict_dist(FRAME), Y)) < 0.01
    with pytest.raises(RuntimeError, match="lost 1 times, max_retries=0"):
        WGBRegressor(**settings).fit(
            blocks(300, 300, y=Y), "y", scaling_config=2, max_retries=0,
            callbacks=[lambda _: os.kill(_workers()[0], signal.SIGKILL)],
        )  # fmt: skip


def test_workers_that_cannot_start_end_the_fit_after_max_retries():
    killed, over = set(), threading.Event()

    def kill():
        while not over.wait(0.01):
            for process in _workers():
                killed.add(process)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(RuntimeError, match="lost 2 times, max_retries=1: a worker could not"):
            WGBRegressor(**FEW).fit(blocks(600, y=Y), "y", max_retries=1)
    finally:
        over.set()
        killer.join()
    assert len(killed) == 2


def test_waiting_for_resources_is_no_loss(monkeypatch):
    monkeypatch.setenv("RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S", "2")

    class Occupant:
        def ready(self):
            return True

    occupant = ray.remote(num_cpus=0, resources={"seat": 1})(Occupant).remote()
    ray.get(occupant.ready.remote())
    leaving = threading.Timer(12, ray.kill, [occupant])
    leaving.start()
    begun = time.monotonic()
    seat = ray.train.ScalingConfig(num_workers=1, resources_per_worker={"CPU": 1, "seat": 1})
    model = WGBRegressor(**FEW).fit(blocks(600, y=Y), "y", scaling_config=seat, max_retries=0)
    assert time.monotonic() - begun > 12
    assert model.n_estimators_ == FEW["n_estimators"]


def test_errors_and_ctrl_c_are_not_lost_workers():
    class OddError(Exception):
        def __init__(self, one, two):  # which cannot be unpickled
            super().__init__(f"{one} {two}")

    def odd(*_, **__):
        raise OddError("the table", "of limits")

    def full(info):
        if info["round"] == 2:
            raise PermissionError("no room for a checkpoint")

    def interrupt(info):
        if info["round"] == 3:
            raise KeyboardInterrupt

    data = blocks(300, 300, y=Y)
    with pytest.raises(RuntimeError, match="OddError: the table of limits"):
        WGBRegressor(**FEW, eval_metric=odd).fit(data, "y", scaling_config=2, X_val=data, y_val="y")
    with pytest.raises(PermissionError, match="no room"):
        WGBRegressor(**FEW).fit(data, "y", scaling_config=2, callbacks=[full])
    model = WGBRegressor(**FEW).fit(data, "y", scaling_config=2, callbacks=[interrupt])
    assert model.n_estimators_ == 3


def test_a_fit_that_a_callback_ended_resumes_from_its_checkpoint(tmp_path):
    def stop(info):
        if info["round"] == 4:
            raise RuntimeError("power cut")

    data, file = blocks(300, 300, y=Y), tmp_path / "checkpoint"
    with pytest.raises(RuntimeError, match="power cut"):
        WGBRegressor(**FEW).fit(
            data, "y", scaling_config=2, callbacks=[Checkpoint(file, every_rounds=3), stop]
        )
    model = WGBRegressor(**FEW).fit(data, "y", scaling_config=2, resume_from=file)
    np.testing.assert_allclose(model.predict(FRAME), alone().predict(FRAME), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "given", "said"),
    [
        (
            {"learner": TreeLearner(engine="native")},
            {},
            "one process; wgboost.ray has TreeLearner",
        ),
        ({"init": "smooth"}, {}, "wgboost.ray starts at"),
        ({}, {"y": "z"}, "y='z' is no column of X; columns: .*'a', 'b', 'c', 'y', 'text'"),
        ({}, {"sample_weight": "w"}, "sample_weight='w' is no column of X"),
        ({}, {"y": Y[1:]}, "X has 600 rows, y has 599"),
        ({}, {"y": ["high"] * 600}, "not numeric: .*'high'"),  # labels, not names
        ({}, {"scaling_config": 0}, "num_workers=0; it must be a number of at least 1"),
        ({}, {"scaling_config": "two"}, "scaling_config='two' must be a number of workers"),
        ({}, {"X": FRAME}, "X is a pandas DataFrame; wgboost.ray takes a ray.data.Dataset"),
        ({}, {"y": "text"}, "not numeric: .*'u'; labels are for WGBClassifier"),
        ({}, {"y": Y}, "column 'text' .* partitions are of numbers"),
    ],
)
def test_bad_input_is_named_with_the_remedy(settings, given, said):
    text = {} if "rows" in said or "high" in said else {"text": ["u", "v"] * 300}
    data = blocks(400, 200, y=Y, **text)
    model = WGBRegressor(**{**FEW, **settings})
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=said):
        model.fit(**{"X": data, "y": "y", **given})
    assert vars(model) == before


def test_a_dataset_without_rows_and_one_for_y_are_named():
    with pytest.raises(ValueError, match="X has no rows"):
        WGBRegressor(**FEW).fit(blocks(600, y=Y).filter(lambda row: row["y"] > 99), "y")
    with pytest.raises(TypeError, match="y is a Dataset of its own; y is the name of a column"):
        WGBRegressor(**FEW).fit(blocks(600), blocks(600))


def test_predictions_of_a_dataset_are_refused():
    model = wgboost.WGBRegressor(**FEW).fit(FRAME, Y)
    spread = WGBRegressor(**FEW)
    spread.__dict__.update(vars(model))
    with pytest.raises(TypeError, match=r"rows in memory: X.to_pandas\(\).*map_batches"):
        spread.predict(blocks(600))
