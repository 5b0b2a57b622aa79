"""The workers of a Dask cluster: how a job reaches them, and how one notices that they died."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from wgboost.boosting import Keep
from wgboost.distributed import (
    Cluster,
    Job,
    LostWorkerError,
    RaisedError,
    Running,
    Share,
    Shares,
    Told,
    is_loss,
    work,
)
from wgboost.distributed.dask.communicator import joined, still_wanted
from wgboost.distributed.dask.library import libraries
from wgboost.distributed.dask.tracker import Tracker
from wgboost.model import FittedModel
from wgboost.typing import Array

__all__ = ["DaskCluster"]

_LOG = logging.getLogger("wgboost.dask")
_PAUSE = 0.5  # seconds between two looks for something that takes its time
_GRACE = 10.0  # seconds for the scheduler to notice that a worker has gone
_PARTING = 5.0  # seconds for workers to leave a fit that ends early
_TURNS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # what one fit at a time has, by client


@dataclass(frozen=True, eq=False)
class DaskCluster(Cluster):
    """Where a fit runs, and how it takes losses."""

    client: Any
    max_retries: int
    checkpoint_every: int
    worker_timeout: float
    tracker_host: str | None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for other fits: two that each wait for the other's worker would do so for ever.

        A client that dies loses its turn after half a minute.
        """
        _, distributed = libraries()
        client = self.client
        if client not in _TURNS:
            _TURNS[client] = distributed.Semaphore(
                1, name="wgboost", scheduler_rpc=client.scheduler, loop=client.loop
            )
        if not _TURNS[client].acquire(timeout=1):
            _LOG.warning("another fit runs on this cluster, or did until now; waiting for its end")
            while not _TURNS[client].acquire(timeout=5):
                self.workers()  # raises if nobody answers
        try:
            yield
        finally:
            if client.status == "running":
                _TURNS[client].release()

    def _host(self) -> str:
        """Return the address of this machine as the workers see it."""
        if self.tracker_host is not None:
            return self.tracker_host
        _, distributed = libraries()
        address = distributed.comm.get_address_host(self.client.scheduler.address)
        return str(distributed.utils.get_ip(address))

    def workers(self) -> dict[str, int]:
        """Return the threads of each worker; raise ConnectionError if nobody answers."""
        client = self.client
        if client.status == "running":
            try:
                return dict(client.nthreads())
            except (OSError, AttributeError, TimeoutError) as error:
                _LOG.debug("no answer: %s", error)
        raise ConnectionError(
            f"the Dask scheduler does not answer (the client is {client.status}), and the data are "
            "gone with it; start a cluster and fit anew, with resume_from if there is a Checkpoint"
        )

    def wait(self, n_workers: int) -> None:
        """Wait for as many workers as there were; go on with fewer when time is up."""
        until = time.monotonic() + self.worker_timeout
        while len(self.workers()) < n_workers and time.monotonic() < until:
            time.sleep(_PAUSE)
        left = len(self.workers())
        if left == 0:
            raise RuntimeError(
                f"no worker is left, and none came within {self.worker_timeout:g} s "
                "(worker_timeout); start some and fit anew"
            )
        if left < n_workers:
            _LOG.warning("going on with %d workers of %d", left, n_workers)

    @contextmanager
    def started(self, job: Job, shares: Callable[[], Shares]) -> Iterator[_DaskRunning]:
        """Start the tracker and a task on every worker; end them in any case."""
        with self._turn():
            _, distributed = libraries()
            client, name, found = self.client, uuid4().hex, shares()
            reports, answers = (
                distributed.Queue(f"wgboost-{kind}-{name}", client=client)
                for kind in ("reports", "answers")
            )
            futures: dict[str, Any] = {}
            with Tracker(len(found), self._host()) as tracker:
                link = _Link(tracker.worker_args, reports.name, answers.name)
                try:
                    with self._reaching(found):
                        common = client.scatter((job, link), broadcast=False, hash=False)
                        for address, (share, parts) in found.items():
                            own = client.scatter(share, workers=[address], hash=False)
                            futures[address] = client.submit(
                                _task, common, own, parts, workers=[address], pure=False,
                                priority=100,
                            )  # fmt: skip
                    yield _DaskRunning(self, futures, reports, answers)
                finally:
                    if client.status == "running":
                        if any(future.status != "finished" for future in futures.values()):
                            # The first worker may wait for an answer; the queue is left for it.
                            answers.put(pickle.dumps(KeyboardInterrupt()))
                            self._let_leave(futures)
                        else:
                            answers.close()
                        client.cancel(list(futures.values()), force=True)
                        reports.close()

    @contextmanager
    def _reaching(self, addresses: Iterable[str]) -> Iterator[None]:
        """Raise LostWorkerError for what fails in here since one of these workers has gone."""
        try:
            yield
        except (KeyError, OSError) as error:  # the scheduler's word for it, or a connection's
            until = time.monotonic() + _GRACE
            while set(addresses) <= set(self.workers()) and time.monotonic() < until:
                time.sleep(_PAUSE)
            raise LostWorkerError(f"a worker could not be reached: {error!r}") from error

    def _let_leave(self, futures: dict[str, Any]) -> None:
        """Wait a little for workers to leave.

        Who finds the tracker gone looks for it half a minute, and the next fit waits for him.
        """
        there, until = self.workers(), time.monotonic() + _PARTING
        while time.monotonic() < until and any(
            future.status == "pending" and address in there for address, future in futures.items()
        ):
            time.sleep(0.1 * _PAUSE)


class _DaskRunning(Running):
    """Tasks on workers, and the queues between them and the client."""

    def __init__(
        self, cluster: DaskCluster, futures: dict[str, Any], reports: Any, answers: Any
    ) -> None:
        self.cluster, self.futures = cluster, futures
        self.reports, self.answers = reports, answers
        self._looked = time.monotonic()

    def heard(self) -> Told | None:
        """Return the next report, if there is one."""
        if self.cluster.client.status != "running" or not self.reports.qsize():
            return None
        told: Told = pickle.loads(self.reports.get())
        return told

    def answer(self, value: bool | Keep | KeyboardInterrupt | None) -> None:
        """Say to the workers what callbacks say of a report."""
        self.answers.put(pickle.dumps(value))

    def ended(self) -> FittedModel | None:
        """Return the model, or None while workers are at it."""
        states = {future.status for future in self.futures.values()}
        if states == {"finished"}:
            try:
                found: list[FittedModel | None] = [
                    future.result() for future in self.futures.values()
                ]
            except (CancelledError, OSError) as error:
                raise LostWorkerError(f"a worker is gone with what it had: {error}") from error
            model: FittedModel
            [model] = [one for one in found if one is not None]
            return model
        if states - {"pending", "finished"}:
            self._failed()
        if time.monotonic() - self._looked > 1:
            self._looked = time.monotonic()
            self._check_there()
        return None

    def _check_there(self) -> None:
        gone = set(self.futures) - set(self.cluster.workers())
        if gone:
            raise LostWorkerError(f"the worker {min(gone)} is gone")

    def _failed(self) -> None:
        """Raise what a worker raised, or LostWorkerError if it is the loss of another."""
        until = time.monotonic() + _GRACE
        errors = {}
        while time.monotonic() < until:
            self._check_there()
            errors = {a: f.exception() for a, f in self.futures.items() if f.status == "error"}
            own = [one for one in errors.values() if not is_loss(one)]
            if own:
                raise RaisedError(own[0])
            time.sleep(_PAUSE)
        what = next(iter(errors.values()), "a task was taken from its worker")
        raise LostWorkerError(f"workers lost each other: {what}")


@dataclass(frozen=True, eq=False)
class _Link:
    """How a worker reaches the others and the client."""

    address: dict[str, Any]  # of the tracker
    reports: str  # names of queues
    answers: str

    def ask(self, told: Told) -> Any:
        """Hand in a report, and wait for the answer."""
        _, distributed = libraries()
        reports, answers = map(distributed.Queue, (self.reports, self.answers))
        wanted = still_wanted()
        try:
            reports.put(pickle.dumps(told))
            pause = 0.005
            while not answers.qsize():
                time.sleep(pause)
                pause = min(1.2 * pause, _PAUSE)  # it may be saving a file
                if not wanted():
                    raise RuntimeError("the client of this fit has gone")
            return pickle.loads(answers.get())
        finally:  # the scheduler forgets a queue when all who opened it have closed it
            reports.close()
            answers.close()


def _task(common: tuple[Job, _Link], share: Share, coded: list[Array]) -> FittedModel | None:
    """What a worker runs."""
    _, distributed = libraries()
    job, link = common
    number = f"{share.task:09d}"
    with joined(link.address, number):
        return work(job, share, coded, link, distributed.get_worker().state.nthreads)
