"""The workers of a Dask cluster: how tasks start and end on them."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from wgboost.distributed.cluster import Cluster, LostWorkerError, Shards
from wgboost.distributed.dask.library import import_dask
from wgboost.distributed.dask.run import DaskChannel, DaskRun, dask_task
from wgboost.distributed.dask.tracker import Tracker
from wgboost.distributed.worker import WorkerConfig

__all__ = ["DaskCluster"]

_LOG = logging.getLogger("wgboost.dask")
_POLL_SECONDS = 0.5
_LOSS_TIMEOUT = 10.0  # seconds for the scheduler to notice that a worker has gone
_EXIT_TIMEOUT = 5.0  # seconds for workers to leave a fit that ends early
_SEMAPHORES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # by client; one fit at a time


@dataclass(frozen=True, eq=False)
class DaskCluster(Cluster):
    """A Dask cluster that a fit runs on.

    Attributes
    ----------
    client : dask.distributed.Client
        The connection to the cluster.
    max_retries : int
        How often a fit continues after workers were lost.
    checkpoint_every : int
        The number of rounds between two reports.
    worker_timeout : float
        Seconds to wait for new workers in place of lost ones.
    tracker_host : str or None
        The address of this machine for the tracker; None finds it.
    """

    client: Any
    max_retries: int
    checkpoint_every: int
    worker_timeout: float
    tracker_host: str | None

    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker.

        Raises
        ------
        ConnectionError
            If the scheduler does not answer.
        """
        client = self.client
        if client.status == "running":
            try:
                return dict(client.nthreads())
            except (OSError, AttributeError, TimeoutError) as error:
                _LOG.debug("no answer: %s", error)
        raise ConnectionError(
            f"the Dask scheduler does not answer (the client is {client.status}), and the data are "
            "lost with it; start a cluster and fit again, with resume_from if there is a Checkpoint"
        )

    def wait(self, n_workers: int) -> None:
        """Wait until there are `n_workers` workers, or until `worker_timeout` is over."""
        until = time.monotonic() + self.worker_timeout
        while len(self.workers()) < n_workers and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        left = len(self.workers())
        if left == 0:
            raise RuntimeError(
                f"no worker is left, and none came within {self.worker_timeout:g} s "
                "(worker_timeout); start some and fit again"
            )
        if left < n_workers:
            _LOG.warning("continuing with %d workers of %d", left, n_workers)

    @contextmanager
    def start(self, config: WorkerConfig, make_shards: Callable[[], Shards]) -> Iterator[DaskRun]:
        """Start the tracker and a task on every worker, and end them with the context."""
        with self._exclusive():
            _, distributed = import_dask()
            client, name, shards = self.client, uuid4().hex, make_shards()
            reports, replies = (
                distributed.Queue(f"wgboost-{kind}-{name}", client=client)
                for kind in ("reports", "replies")
            )
            futures: dict[str, Any] = {}
            with Tracker(len(shards), self._host()) as tracker:
                channel = DaskChannel(tracker.worker_args, reports.name, replies.name)
                try:
                    with self._detect_loss(shards):
                        common = client.scatter((config, channel), broadcast=False, hash=False)
                        for address, (shard, parts) in shards.items():
                            own = client.scatter(shard, workers=[address], hash=False)
                            futures[address] = client.submit(
                                dask_task, common, own, parts, workers=[address], pure=False,
                                priority=100,
                            )  # fmt: skip
                    yield DaskRun(self, client, futures, reports, replies)
                finally:
                    if client.status == "running":
                        self._stop(futures, reports, replies)

    def _stop(self, futures: dict[str, Any], reports: Any, replies: Any) -> None:
        """End the tasks, and close the queues."""
        if any(future.status != "finished" for future in futures.values()):
            # The first worker may wait for a reply; the queue stays open for it.
            replies.put(pickle.dumps(KeyboardInterrupt()))
            self._wait_for_exit(futures)
        else:
            replies.close()
        self.client.cancel(list(futures.values()), force=True)
        reports.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Wait until no other fit runs: two fits that wait for each other's workers would hang.

        A client that dies loses the semaphore after half a minute.
        """
        _, distributed = import_dask()
        client = self.client
        if client not in _SEMAPHORES:
            _SEMAPHORES[client] = distributed.Semaphore(
                1, name="wgboost", scheduler_rpc=client.scheduler, loop=client.loop
            )
        if not _SEMAPHORES[client].acquire(timeout=1):
            _LOG.warning("another fit runs on this cluster, or did until now; waiting for its end")
            while not _SEMAPHORES[client].acquire(timeout=5):
                self.workers()  # raises if the scheduler does not answer
        try:
            yield
        finally:
            if client.status == "running":
                _SEMAPHORES[client].release()

    def _host(self) -> str:
        """Return the address of this machine as workers see it."""
        if self.tracker_host is not None:
            return self.tracker_host
        _, distributed = import_dask()
        address = distributed.comm.get_address_host(self.client.scheduler.address)
        return str(distributed.utils.get_ip(address))

    @contextmanager
    def _detect_loss(self, addresses: Iterable[str]) -> Iterator[None]:
        """Raise LostWorkerError for an error that comes from the loss of a worker."""
        try:
            yield
        except (KeyError, OSError) as error:  # from the scheduler, or from a connection
            until = time.monotonic() + _LOSS_TIMEOUT
            while set(addresses) <= set(self.workers()) and time.monotonic() < until:
                time.sleep(_POLL_SECONDS)
            raise LostWorkerError(f"a worker could not be reached: {error!r}") from error

    def _wait_for_exit(self, futures: dict[str, Any]) -> None:
        """Wait a little for workers to leave the fit.

        A worker that finds no tracker looks for it for half a minute, and would delay the next fit.
        """
        workers, until = self.workers(), time.monotonic() + _EXIT_TIMEOUT
        while time.monotonic() < until and any(
            future.status == "pending" and address in workers for address, future in futures.items()
        ):
            time.sleep(0.1 * _POLL_SECONDS)
