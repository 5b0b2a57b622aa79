"""Workers of Ray Train: how a job reaches them, and how one notices that they died."""

from __future__ import annotations

import logging
import pickle
import re
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from wgboost.boosting import Keep
from wgboost.distributed import (
    Cluster,
    Job,
    LostWorkerError,
    RaisedError,
    Running,
    Shares,
    Told,
    is_loss,
    work,
)
from wgboost.distributed.ray.library import library
from wgboost.model import FittedModel

__all__ = ["RayCluster"]

_LOG = logging.getLogger("wgboost.ray")
_PAUSE = 0.2  # seconds at most between two looks for an answer of the client
_GRACE = 60.0  # seconds for workers to leave when a fit ends early
_SHORT = 5.0  # the same if none has reported yet


@dataclass(frozen=True, eq=False)
class RayCluster(Cluster):
    """Where a fit runs, and how it takes losses."""

    scaling: Any  # a ScalingConfig
    max_retries: int
    checkpoint_every: int

    def workers(self) -> dict[str, int]:
        """Return the threads of each worker; raise ConnectionError if Ray is gone."""
        if not library().is_initialized():
            raise ConnectionError(
                "Ray is not running any more, and the data are gone with it; ray.init() and fit "
                "anew, with resume_from if there is a Checkpoint"
            )
        cpus = int((self.scaling.resources_per_worker or {}).get("CPU", 1))
        return {f"{rank:09d}": max(1, cpus) for rank in range(self.scaling.num_workers)}

    def wait(self, n_workers: int) -> None:
        """Do nothing: Ray Train itself waits until there is room for its workers."""

    @contextmanager
    def started(self, job: Job, shares: Callable[[], Shares]) -> Iterator[_RayRunning]:
        """Run Ray Train with a worker for every share; end it in any case."""
        ray = library()
        found = [some for _, some in sorted(shares().items())]
        # With the client: who loses that machine has lost the fit anyway.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        desk = ray.remote(num_cpus=0, scheduling_strategy=here)(_Desk).remote()
        config = {
            "desk": desk, "job": ray.put(job), "shares": [ray.put(share) for share, _ in found],
            "parts": [parts for _, parts in found],
        }  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="wgboost-", ignore_cleanup_errors=True) as folder:
            trainer = ray.train.xgboost.XGBoostTrainer(
                _loop, train_loop_config=config,
                scaling_config=replace(self.scaling, num_workers=len(found)),
                # What is kept of a fit is kept by its client.
                run_config=ray.train.RunConfig(
                    storage_path=folder, failure_config=ray.train.FailureConfig(max_failures=0)
                ),
            )  # fmt: skip
            self._warn_of_room(len(found))
            running = _RayRunning(trainer, desk)
            try:
                yield running
            finally:
                running.end()

    def _warn_of_room(self, n_workers: int) -> None:
        """Say so if the cluster has too few CPUs as it is: Ray Train waits for more."""
        each = next(iter(self.workers().values()))
        there = library().cluster_resources().get("CPU", 0)
        if n_workers * each > there:
            _LOG.warning(
                "%d workers of %d CPUs are asked for, the cluster has %g: waiting for more",
                n_workers, each, there,
            )  # fmt: skip


class _RayRunning(Running):
    """Ray Train in a thread of its own, and the desk between its workers and the client."""

    def __init__(self, trainer: Any, desk: Any) -> None:
        self.desk, self._heard = desk, False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._train, args=(trainer,), daemon=True)
        self._thread.start()

    def _train(self, trainer: Any) -> None:
        try:
            trainer.fit()
        except Exception as error:  # told to the client by `ended`
            self._error = error

    def heard(self) -> Told | None:
        """Return the next report, if there is one that was not answered."""
        told: Told | None = self._asked(self.desk.heard)
        self._heard = self._heard or told is not None
        return told

    def answer(self, value: bool | Keep | KeyboardInterrupt | None) -> None:
        """Say to the workers what callbacks say of a report."""
        self._asked(self.desk.answer, (value,))

    def _asked(self, method: Any, *given: Any) -> Any:
        """Return what a method of the desk answers."""
        ray = library()
        try:
            return ray.get(method.remote(*given))
        except ray.exceptions.RayActorError as error:
            raise LostWorkerError(
                f"the actor between workers and client is gone: {error}"
            ) from error

    def ended(self) -> FittedModel | None:
        """Return the model, or None while workers are at it."""
        if self._thread.is_alive():
            return None
        fit, error = self._asked(self.desk.outcome)
        if error is not None:
            raise RaisedError(error)
        if self._error is not None or fit is None:
            said = [line for line in str(self._error).splitlines() if re.search("[a-z]", line)]
            raise LostWorkerError(f"a worker is gone: {said[-1] if said else 'no model came'}")
        model: FittedModel = fit
        return model

    def end(self) -> None:
        """Have workers leave at their next report, if they are not done."""
        ray = library()
        if ray.is_initialized():
            if self._thread.is_alive():
                self.desk.answer.remote((KeyboardInterrupt(),))
                self._thread.join(_GRACE if self._heard else _SHORT)
            ray.kill(self.desk)
            if self._thread.is_alive():
                _LOG.warning("Ray Train still waits for room; its workers will leave at once")


class _Desk:
    """An actor between the first worker and the client."""

    def __init__(self) -> None:
        self._reports: deque[Told] = deque()
        self._answers: deque[tuple[Any]] = deque()
        self._fit: FittedModel | None = None
        self._error: Exception | None = None

    def tell(self, told: Told) -> None:
        self._reports.append(told)

    def heard(self) -> Told | None:
        return self._reports[0] if self._reports else None

    def answer(self, value: tuple[Any]) -> None:
        if self._reports:
            self._reports.popleft()
        self._answers.append(value)

    def answered(self) -> tuple[Any] | None:
        return self._answers.popleft() if self._answers else None

    def done(self, fit: FittedModel | None, error: Exception | None) -> None:
        self._fit, self._error = fit or self._fit, error or self._error

    def outcome(self) -> tuple[FittedModel | None, Exception | None]:
        return self._fit, self._error


@dataclass(frozen=True, eq=False)
class _Link:
    """How a worker reaches the client."""

    desk: Any

    def ask(self, told: Told) -> Any:
        """Hand in a report, and wait for the answer; raises if the client has gone."""
        ray = library()
        ray.get(self.desk.tell.remote(told))
        pause = 0.005
        while True:
            found = ray.get(self.desk.answered.remote())
            if found is not None:
                return found[0]
            time.sleep(pause)
            pause = min(1.2 * pause, _PAUSE)  # it may be saving a file


def _portable(error: Exception) -> Exception:
    """Return an error as it is, or what it says if it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception as reason:  # whatever its class makes of it
        _LOG.debug("%s cannot be sent: %s", type(error).__name__, reason)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _loop(config: dict[str, Any]) -> None:
    """What a worker of Ray Train runs, inside XGBoost's collective."""
    ray = library()
    rank, desk = ray.train.get_context().get_world_rank(), config["desk"]
    threads = int(ray.get_runtime_context().get_assigned_resources().get("CPU", 1))
    ray.get(desk.heard.remote())  # raises if the client has gone
    try:
        job, share = ray.get([config["job"], config["shares"][rank]])
        coded = ray.get(config["parts"][rank])
        fit = work(job, share, coded, _Link(desk), max(1, threads))
    except Exception as error:
        if not is_loss(error) and not isinstance(error, ray.exceptions.RayError):
            ray.get(desk.done.remote(None, _portable(error)))
        raise
    if fit is not None:
        ray.get(desk.done.remote(fit, None))
