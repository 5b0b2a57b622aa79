"""The client's side of a fit: who gets which rows, what they tell, and what if one dies."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np

from wgboost.boosting import Keep, Start
from wgboost.dask.library import libraries
from wgboost.dask.parts import PartedMatrix, Parts
from wgboost.dask.work import Job, Piece, Share, Told, work
from wgboost.engines.library import library
from wgboost.estimators.fitting import Fit, fit_of
from wgboost.estimators.rows import Rows
from wgboost.responses import Units

__all__ = ["Cluster", "LostWorkerError", "Stage"]

_LOG = logging.getLogger("wgboost.dask")
_PAUSE = 0.05  # seconds between two looks at the queue
_GRACE = 10.0  # seconds for the scheduler to notice that a worker has gone
_TURNS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # what one fit at a time has, by client


class LostWorkerError(Exception):
    """A worker died, or its connection to the others did."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Where a fit runs, and how it takes losses."""

    client: Any
    max_retries: int
    checkpoint_every: int
    worker_timeout: float
    tracker_host: str | None

    @contextmanager
    def turn(self) -> Any:
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

    def host(self) -> str:
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
            time.sleep(10 * _PAUSE)
        left = len(self.workers())
        if left == 0:
            raise RuntimeError(
                f"no worker is left, and none came within {self.worker_timeout:g} s "
                "(worker_timeout); start some and fit anew"
            )
        if left < n_workers:
            _LOG.warning("going on with %d workers of %d", left, n_workers)


@dataclass(eq=False)
class Stage:
    """Rounds that are added on workers, as `train` adds them in one process."""

    cluster: Cluster
    estimator: Any  # what workers need of it
    cuts: Any
    rows: Any
    sets: Mapping[str, Any]
    start: Start
    units: Units
    callbacks: Sequence[Any]
    save: Any
    how: dict[str, Any]  # n_rounds, watch, previous, seen, ...
    rounds: list[Any] = field(default_factory=list)  # that the client was told of
    told: Told | None = None
    agreed: bool | Keep | None = None  # what callbacks said of the last report
    began: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    def run(self) -> Fit:
        """Return the model; where workers die, go on from the last report with those there are."""
        n_workers, retries = len(self.cluster.workers()), 0
        while True:
            try:
                with self.cluster.turn(), self._job() as job:
                    return self._attempt(*job)
            except (LostWorkerError, TimeoutError) as lost:
                complete = self._complete()
                if complete is not None:  # lost after the last round
                    return complete
                retries += 1
                if retries > self.cluster.max_retries:
                    raise RuntimeError(
                        f"workers were lost {retries} times, max_retries="
                        f"{self.cluster.max_retries}: {lost}. Workers that run out of memory die "
                        "so: more of them, or smaller partitions, may help"
                    ) from lost
                _LOG.warning("%s; waiting for workers, then going on", lost)
                self.cluster.wait(n_workers)
                for parts in self._sources():
                    parts.wait()
            except OSError:
                self.cluster.workers()  # raises, and says so, if it is the scheduler
                raise

    def _sources(self) -> list[Parts]:
        """The collections that rows are in."""
        found = {id(one.X.parts): one.X.parts for one in (self.rows, *self.sets.values())}
        return list(found.values())

    def _complete(self) -> Fit | None:
        """Return the model, if the rounds that were reported are all that there will be."""
        told = self.told
        if told is None:
            return None
        last = told.finished or told.round == self.how["n_rounds"]
        if not (last or self.interrupted or self.agreed):
            return None
        kept = told.round
        if told.watch is not None:
            kept = told.watch["best_round"]
        elif isinstance(self.agreed, Keep):
            kept = self.agreed.rounds
        return replace(self._first(kept, told), interrupted=self.interrupted)

    def _first(self, n_rounds: int, told: Told) -> Fit:
        """Return the model of the first so many rounds, those of before included."""
        return fit_of(
            self.how["previous"], self.rounds, n_rounds, self.rows.X.shape[1], self.start,
            self.units, told.history,
        )  # fmt: skip

    def _so_far(self) -> Fit | None:
        """Return the model of the rounds that were reported, on top of those before."""
        previous: Fit | None = self.how["previous"]
        return previous if self.told is None else self._first(self.told.round, self.told)

    @contextmanager
    def _job(self) -> Any:
        """Start the tracker and a task on every worker that has rows; end them in any case."""
        _, distributed = libraries()
        client = self.cluster.client
        shares = self._shares()
        name = uuid4().hex
        reports, answers = (
            distributed.Queue(f"wgboost-{kind}-{name}", client=client)
            for kind in ("reports", "answers")
        )
        how = {**self.how, "previous": self._so_far()}
        if self.told is not None:
            how["seen"] = self.told.watch
        tracker = library().RabitTracker(
            n_workers=len(shares), host_ip=self.cluster.host(), sortby="task"
        )
        tracker.start()
        every = 1 if self.callbacks else self.cluster.checkpoint_every
        job = Job(
            self.estimator, self.cuts, self.start, self.units, how,
            tracker.worker_args(), reports.name, answers.name, every,
        )  # fmt: skip
        common = client.scatter(job, broadcast=False, hash=False)
        futures = {}
        try:
            for address, (share, parts) in shares.items():
                own = client.scatter(share, workers=[address], hash=False)
                futures[address] = client.submit(
                    work, common, own, parts, workers=[address], pure=False, priority=100
                )
            yield futures, reports, answers
        finally:
            if client.status == "running":
                if any(future.status != "finished" for future in futures.values()):
                    # The first worker may wait for an answer; the queue is left for it.
                    answers.put(pickle.dumps(KeyboardInterrupt()))
                else:
                    answers.close()
                client.cancel(list(futures.values()), force=True)
                reports.close()
            try:
                tracker.free()
            except library().core.XGBoostError as error:  # it still waited for a lost worker
                _LOG.debug("the tracker ended early: %s", error)

    def _shares(self) -> dict[str, tuple[Share, list[Any]]]:
        """Return, by worker, its share of the rows and the partitions that they are in."""
        pieces = {"": self.rows, **{f"+{name}": one for name, one in self.sets.items()}}
        holders = {id(parts): parts.holders() for parts in self._sources()}
        if any("" in found for found in holders.values()):
            raise LostWorkerError("a partition went with its worker")
        places: dict[str, dict[str, list[tuple[Parts, int, slice, Any]]]] = {}
        for name, rows in pieces.items():
            matrix: PartedMatrix = rows.X
            for i, (own, where) in enumerate(matrix.within()):
                if own.stop > own.start:
                    address = holders[id(matrix.parts)][i]
                    of_worker = places.setdefault(address, {})
                    of_worker.setdefault(name, []).append((matrix.parts, i, own, where))
        training = sorted(address for address, found in places.items() if "" in found)
        for j, address in enumerate(sorted(set(places) - set(training))):
            # Rows to watch alone: they go to a worker that trains.
            for name, found in places.pop(address).items():
                places[training[j % len(training)]].setdefault(name, []).extend(found)
        return {
            address: _share(task, places[address], pieces) for task, address in enumerate(training)
        }

    def _attempt(self, futures: dict[str, Any], reports: Any, answers: Any) -> Fit:
        """Listen to the workers until they are done."""
        looked = time.monotonic()
        while True:
            try:
                if self.cluster.client.status == "running" and reports.qsize():
                    self._hear(pickle.loads(reports.get()))
                    answers.put(pickle.dumps(self._answer()))
                    continue
                states = {address: future.status for address, future in futures.items()}
                if all(state == "finished" for state in states.values()):
                    return self._ended(futures)
                if set(states.values()) - {"pending", "finished"}:
                    self._failed(futures)
                if time.monotonic() - looked > 20 * _PAUSE:
                    looked = time.monotonic()
                    gone = set(futures) - set(self.cluster.workers())
                    if gone:
                        raise LostWorkerError(f"the worker {min(gone)} is gone")
                time.sleep(_PAUSE)
            except KeyboardInterrupt:
                if self.interrupted or self.told is None:
                    raise
                self.interrupted = True
            except Exception as error:
                self.cluster.workers()  # raises if it is the scheduler
                if isinstance(error, OSError):
                    raise LostWorkerError(str(error)) from error
                raise

    def _failed(self, futures: dict[str, Any]) -> None:
        """Raise what a worker raised, or LostWorkerError if it is the loss of another."""
        until = time.monotonic() + _GRACE
        errors = {}
        while time.monotonic() < until:
            gone = set(futures) - set(self.cluster.workers())
            if gone:
                raise LostWorkerError(f"the worker {min(gone)} is gone")
            errors = {a: f.exception() for a, f in futures.items() if f.status == "error"}
            own = [e for e in errors.values() if not isinstance(e, library().core.XGBoostError)]
            if own:
                raise own[0]
            time.sleep(10 * _PAUSE)
        what = next(iter(errors.values()), "a task was taken from its worker")
        raise LostWorkerError(f"workers lost each other: {what}")

    def _ended(self, futures: dict[str, Any]) -> Fit:
        found: list[Fit | None] = [future.result() for future in futures.values()]
        [fit] = [one for one in found if one is not None]
        return fit

    def _hear(self, told: Told) -> None:
        self.rounds += told.rounds
        self.told, self.agreed = told, None

    def _answer(self) -> bool | Keep | KeyboardInterrupt | None:
        """Return what the callbacks say of the latest report."""
        told = self.told
        if self.interrupted:
            return KeyboardInterrupt()
        if told is None or not self.callbacks:
            return None
        goal = self.how["n_rounds"]
        watch = None if told.watch is None else SimpleNamespace(**told.watch)

        def save(path: Any) -> None:
            self.save(path, self._so_far(), watch, goal)

        info = {
            "round": told.round, "n_rounds": goal, "metrics": told.metrics,
            "history": told.history, "seconds": time.monotonic() - self.began,
            "finished": told.finished, "rounds": self.rounds, "watch": watch, "save": save,
        }  # fmt: skip
        for callback in sorted(self.callbacks, key=lambda one: getattr(one, "order", 0)):
            answer = callback(info)
            if isinstance(answer, Keep):
                self.agreed, info["finished"] = answer, True
            elif answer and self.agreed is None:
                self.agreed = True
        return self.agreed


def _share(
    task: int, places: dict[str, list[tuple[Parts, int, slice, Any]]], pieces: dict[str, Rows]
) -> tuple[Share, list[Any]]:
    """Return the share of a worker whose rows are at these places, and its partitions."""
    number: dict[tuple[int, int], int] = {}
    futures: list[Any] = []

    def piece(name: str) -> Piece:
        found, where_all, own_all = places.get(name, []), [], [np.empty(0, dtype=np.int64)]
        for parts, i, own, where in found:
            key = (id(parts), i)
            if key not in number:
                number[key] = len(futures)
                futures.append(parts.futures[i])
            where_all.append((number[key], where))
            own_all.append(np.arange(own.start, own.stop))
        rows: Any = pieces[name].take(np.concatenate(own_all))
        return Piece(replace(rows, X=None), where_all)

    sets = {name[1:]: piece(name) for name in pieces if name}
    return Share(task, piece(""), sets), futures
