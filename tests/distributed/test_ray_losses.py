"""Workers of Ray Train that die, do not start or raise errors."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install wgboost[ray]")

from ray_examples import (  # noqa: E402
    FEW,
    FRAME,
    Y,
    alone,
    blocks,
    two_workers,
)
from wgboost.callbacks import Checkpoint  # noqa: E402
from wgboost.metrics import nll  # noqa: E402
from wgboost.ray import WGBRegressor  # noqa: E402

pytestmark = [
    pytest.mark.slow,  # Ray Train takes ten seconds to start its workers
    pytest.mark.filterwarnings("default"),  # Ray has warnings of its own
]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with two_workers():
        yield


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
