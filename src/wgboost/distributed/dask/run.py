"""One run on the workers of a Dask cluster, and the queues between workers and client."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from wgboost.distributed.cluster import Cluster, ClusterRun, LostWorkerError, TaskError
from wgboost.distributed.dask.communicator import cancellation_check, join_communicator
from wgboost.distributed.dask.library import import_dask
from wgboost.distributed.worker import (
    Reply,
    Report,
    Shard,
    WorkerConfig,
    is_lost_connection,
    run_worker,
)
from wgboost.model import FittedModel
from wgboost.typing import Array

__all__ = ["DaskChannel", "DaskRun", "dask_task"]

_POLL_SECONDS = 0.5
_FIRST_POLL_SECONDS = 0.005
_LOSS_TIMEOUT = 10.0  # seconds for the scheduler to notice that a worker has gone


class DaskRun(ClusterRun):
    """Tasks on workers, and the queues between them and the client.

    Parameters
    ----------
    cluster : Cluster
        The workers.
    client : dask.distributed.Client
        The connection to the cluster.
    futures : dict
        The task of each worker.
    reports, replies : distributed.Queue
        Messages to the client, and from it.
    """

    def __init__(
        self, cluster: Cluster, client: Any, futures: dict[str, Any], reports: Any, replies: Any
    ) -> None:
        self.cluster, self.client, self.futures = cluster, client, futures
        self.reports, self.replies = reports, replies
        self._last_check = time.monotonic()

    def next_report(self) -> Report | None:
        """Return the next report, or None."""
        if self.client.status != "running" or not self.reports.qsize():
            return None
        report: Report = pickle.loads(self.reports.get())
        return report

    def reply(self, value: Reply) -> None:
        """Send the reply to a report to the workers."""
        self.replies.put(pickle.dumps(value))

    def poll_model(self) -> FittedModel | None:
        """Return the model, or None while workers are busy."""
        states = {future.status for future in self.futures.values()}
        if states == {"finished"}:
            try:
                results: list[FittedModel | None] = [
                    future.result() for future in self.futures.values()
                ]
            except (CancelledError, OSError) as error:
                raise LostWorkerError(f"a worker was lost with its result: {error}") from error
            model: FittedModel
            [model] = [one for one in results if one is not None]
            return model
        if states - {"pending", "finished"}:
            self._raise_failure()
        if time.monotonic() - self._last_check > 1:
            self._last_check = time.monotonic()
            self._check_workers()
        return None

    def _check_workers(self) -> None:
        """Raise LostWorkerError if a worker has gone."""
        lost = set(self.futures) - set(self.cluster.workers())
        if lost:
            raise LostWorkerError(f"the worker {min(lost)} is lost")

    def _raise_failure(self) -> None:
        """Raise the error of a worker, or LostWorkerError if it follows from a loss."""
        until = time.monotonic() + _LOSS_TIMEOUT
        errors = {}
        while time.monotonic() < until:
            self._check_workers()
            errors = {a: f.exception() for a, f in self.futures.items() if f.status == "error"}
            own = [one for one in errors.values() if not is_lost_connection(one)]
            if own:
                raise TaskError(own[0])
            time.sleep(_POLL_SECONDS)
        reason = next(iter(errors.values()), "a task was taken from its worker")
        raise LostWorkerError(f"workers lost each other: {reason}")


@dataclass(frozen=True, eq=False)
class DaskChannel:
    """The connections of a worker to the other workers and to the client.

    Attributes
    ----------
    tracker_args : dict
        How to reach the tracker.
    reports, replies : str
        The names of the queues.
    """

    tracker_args: dict[str, Any]
    reports: str
    replies: str

    def request(self, report: Report) -> Reply:
        """Send a report, and wait for the reply."""
        _, distributed = import_dask()
        reports, replies = map(distributed.Queue, (self.reports, self.replies))
        is_cancelled = cancellation_check()
        try:
            reports.put(pickle.dumps(report))
            pause = _FIRST_POLL_SECONDS
            while not replies.qsize():
                time.sleep(pause)
                pause = min(1.2 * pause, _POLL_SECONDS)  # a callback may write a file
                if is_cancelled():
                    raise RuntimeError("the client of this fit has gone")
            reply: Reply = pickle.loads(replies.get())
            return reply
        finally:  # the scheduler forgets a queue when all its users have closed it
            reports.close()
            replies.close()


def dask_task(
    common: tuple[WorkerConfig, DaskChannel], shard: Shard, codes: list[Array]
) -> FittedModel | None:
    """Run `run_worker` in a task of Dask.

    Parameters
    ----------
    common : (WorkerConfig, DaskChannel)
        What all workers have in common.
    shard : Shard
        The rows of this worker.
    codes : list of arrays
        Its partitions.

    Returns
    -------
    model : FittedModel or None
        The model on the first worker, None on the others.
    """
    _, distributed = import_dask()
    config, channel = common
    with join_communicator(channel.tracker_args, f"{shard.task:09d}"):
        n_threads = distributed.get_worker().state.nthreads
        return run_worker(config, shard, codes, channel, n_threads)
