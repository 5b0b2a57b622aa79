"""One run of Ray Train, and the actor between its workers and the client."""

from __future__ import annotations

import logging
import pickle
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from wgboost.distributed.cluster import ClusterRun, LostWorkerError, TaskError, WorkerStartError
from wgboost.distributed.ray.library import import_ray
from wgboost.distributed.worker import Reply, Report, is_lost_connection, run_worker
from wgboost.model import FittedModel

__all__ = ["RayRun", "ReportActor", "ray_task"]

_LOG = logging.getLogger("wgboost.ray")
_FIRST_POLL_SECONDS, _POLL_SECONDS = 0.005, 0.2
_EXIT_TIMEOUT = 60.0  # seconds for workers to leave a fit that ends early
_EARLY_EXIT_TIMEOUT = 5.0  # the same if no worker has reported yet
_NO_ROOM = "WorkerGroupStartupTimeoutError"  # Ray Train found no free CPUs for a minute


class RayRun(ClusterRun):
    """Ray Train in its own thread, and the actor between its workers and the client.

    Parameters
    ----------
    make_trainer : callable
        Returns a new `ray.train.xgboost.XGBoostTrainer`.
    actor : handle of a ReportActor
        The connection to the workers.
    """

    def __init__(self, make_trainer: Callable[[], Any], actor: Any) -> None:
        self.actor, self._has_report = actor, False
        self._error: Exception | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._train, args=(make_trainer,), daemon=True)
        self._thread.start()

    def _train(self, make_trainer: Callable[[], Any]) -> None:
        """Run trainers until one of them has its workers."""
        while True:
            try:
                make_trainer().fit()
            except Exception as error:  # `poll_model` raises it
                if _start_failure(error) == _NO_ROOM and not self._stopped.is_set():
                    continue
                self._error = error
            return

    def next_report(self) -> Report | None:
        """Return the next report that has no reply yet, or None."""
        report: Report | None = self._call(self.actor.next_report)
        self._has_report = self._has_report or report is not None
        return report

    def reply(self, value: Reply) -> None:
        """Send the reply to a report to the workers."""
        self._call(self.actor.reply, (value,))

    def _call(self, method: Any, *arguments: Any) -> Any:
        """Call a method of the actor."""
        ray = import_ray()
        try:
            return ray.get(method.remote(*arguments))
        except ray.exceptions.RayActorError as error:
            raise LostWorkerError(
                f"the actor between workers and client is lost: {error}"
            ) from error

    def poll_model(self) -> FittedModel | None:
        """Return the model, or None while workers are busy."""
        if self._thread.is_alive():
            return None
        model, error = self._call(self.actor.outcome)
        if error is not None:
            raise TaskError(error)
        if self._error is not None or model is None:
            lines = [line for line in str(self._error).splitlines() if re.search("[a-z]", line)]
            reason = shorten(lines[-1], 300) if lines else "no model came"
            if _start_failure(self._error):
                raise WorkerStartError(f"a worker could not start: {reason}")
            raise LostWorkerError(f"a worker is lost: {reason}")
        found: FittedModel = model
        return found

    def stop(self) -> None:
        """Have workers leave at their next report if they are not done."""
        ray = import_ray()
        self._stopped.set()
        if ray.is_initialized():
            if self._thread.is_alive():
                self.actor.reply.remote((KeyboardInterrupt(),))
                self._thread.join(_EXIT_TIMEOUT if self._has_report else _EARLY_EXIT_TIMEOUT)
            ray.kill(self.actor)
            if self._thread.is_alive():
                _LOG.warning("Ray Train still waits for CPUs; workers that it finds stop at once")


def _start_failure(error: Exception | None) -> str:
    """Return the name of Ray Train's error if workers did not start, and "" otherwise."""
    failure = type(getattr(error, "controller_failure", None)).__name__
    return failure if failure.startswith("WorkerGroupStartup") else ""


class ReportActor:
    """An actor that passes reports to the client, and replies to the first worker.

    Examples
    --------
    >>> actor = ReportActor()
    >>> actor.add_report("round 1")
    >>> actor.next_report()
    'round 1'
    >>> actor.reply((None,))
    >>> actor.take_reply()
    (None,)
    """

    def __init__(self) -> None:
        self._reports: deque[Report] = deque()
        self._replies: deque[tuple[Reply]] = deque()
        self._model: FittedModel | None = None
        self._error: Exception | None = None

    def add_report(self, report: Report) -> None:
        """Add a report of the first worker."""
        self._reports.append(report)

    def next_report(self) -> Report | None:
        """Return the oldest report that has no reply, or None."""
        return self._reports[0] if self._reports else None

    def reply(self, value: tuple[Reply]) -> None:
        """Add the reply to the oldest report, in a tuple since it may be None."""
        if self._reports:
            self._reports.popleft()
        self._replies.append(value)

    def take_reply(self) -> tuple[Reply] | None:
        """Remove and return the oldest reply, or None if there is none."""
        return self._replies.popleft() if self._replies else None

    def set_outcome(self, model: FittedModel | None, error: Exception | None) -> None:
        """Store the model, or the error of a worker."""
        self._model, self._error = model or self._model, error or self._error

    def outcome(self) -> tuple[FittedModel | None, Exception | None]:
        """Return the model and the error, None each if there is none."""
        return self._model, self._error


@dataclass(frozen=True, eq=False)
class _RayChannel:
    """The connection of the first worker to the client."""

    actor: Any

    def request(self, report: Report) -> Reply:
        """Send a report, and wait for the reply; raise if the client has gone."""
        ray = import_ray()
        ray.get(self.actor.add_report.remote(report))
        pause = _FIRST_POLL_SECONDS
        while True:
            reply: tuple[Reply] | None = ray.get(self.actor.take_reply.remote())
            if reply is not None:
                return reply[0]
            time.sleep(pause)
            pause = min(1.2 * pause, _POLL_SECONDS)  # a callback may write a file


def _portable(error: Exception) -> Exception:
    """Return an error that can be pickled: the error itself, or its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception as reason:  # its class may raise anything
        _LOG.debug("%s cannot be pickled: %s", type(error).__name__, reason)
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def ray_task(loop_config: dict[str, Any]) -> None:
    """Run `run_worker` in a worker of Ray Train, which connects XGBoost's collective.

    Parameters
    ----------
    loop_config : dict
        The actor, the configuration of workers, and the shards and partitions by rank.
    """
    ray = import_ray()
    rank, actor = ray.train.get_context().get_world_rank(), loop_config["actor"]
    n_threads = int(ray.get_runtime_context().get_assigned_resources().get("CPU", 1))
    ray.get(actor.next_report.remote())  # raises if the client has gone
    try:
        config, shard = ray.get([loop_config["config"], loop_config["shards"][rank]])
        codes = ray.get(loop_config["partitions"][rank])
        model = run_worker(config, shard, codes, _RayChannel(actor), max(1, n_threads))
    except Exception as error:
        if not is_lost_connection(error) and not isinstance(error, ray.exceptions.RayError):
            ray.get(actor.set_outcome.remote(None, _portable(error)))
        raise
    if model is not None:
        ray.get(actor.set_outcome.remote(model, None))
