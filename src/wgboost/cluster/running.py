"""The client's side of a fit: who gets which rows, what they tell, and what if one dies."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from wgboost.boosting import Keep, Start
from wgboost.cluster.parts import PartedMatrix, Parts
from wgboost.cluster.work import Job, Piece, Share, Told
from wgboost.estimators.fitting import Fit, fit_of
from wgboost.estimators.rows import Rows
from wgboost.responses import Units

__all__ = ["Cluster", "LostWorkerError", "RaisedError", "Running", "Shares", "Stage"]

_LOG = logging.getLogger("wgboost.cluster")
_PAUSE = 0.05  # seconds between two looks for a report


class LostWorkerError(Exception):
    """A worker died, or its connection to the others did."""


class RaisedError(Exception):
    """What a worker or a callback raised: an error of its own, not the loss of somebody."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


# By worker: its share, and the futures of the partitions that it is about.
Shares = dict[str, tuple[Share, list[Any]]]


class Running(ABC):
    """A function that all workers run, seen from the client."""

    @abstractmethod
    def heard(self) -> Told | None:
        """Return the next report, if there is one that was not answered."""

    @abstractmethod
    def answer(self, value: bool | Keep | KeyboardInterrupt | None) -> None:
        """Say to the workers what callbacks say of a report."""

    @abstractmethod
    def ended(self) -> Fit | None:
        """Return the model, or None while workers are at it.

        Raises LostWorkerError if one died, and what a worker raised in a RaisedError.
        """


class Cluster(ABC):
    """Where a fit runs, and how it takes losses."""

    max_retries: int
    checkpoint_every: int

    @abstractmethod
    def workers(self) -> dict[str, int]:
        """Return the threads of each worker; raise ConnectionError if nobody answers."""

    @abstractmethod
    def wait(self, n_workers: int) -> None:
        """Wait for as many workers as there were."""

    @abstractmethod
    def started(self, job: Job, shares: Callable[[], Shares]) -> AbstractContextManager[Running]:
        """Have every worker do its share of a job; end them in any case.

        Shares are asked for when it is this fit's turn: who holds what may change until then.
        """


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
                with self.cluster.started(self._job(), self._shares) as running:
                    return self._attempt(running)
            except RaisedError as raised:
                raise raised.error from None
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

    def _job(self) -> Job:
        """Return what all workers are to do, from the last report on."""
        how = {**self.how, "previous": self._so_far()}
        if self.told is not None:
            how["seen"] = self.told.watch
        every = 1 if self.callbacks else self.cluster.checkpoint_every
        return Job(self.estimator, self.cuts, self.start, self.units, how, every)

    def _shares(self) -> Shares:
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

    def _attempt(self, running: Running) -> Fit:
        """Listen to the workers until they are done."""
        owed = False  # an answer: Ctrl-C may come while callbacks think about it
        while True:
            try:
                if owed:
                    answer = self._answer()
                    running.answer(answer)
                    owed = False
                told = running.heard()
                if told is not None:
                    owed = True
                    self._hear(told)
                    continue
                fit = running.ended()
                if fit is not None:
                    return fit
                time.sleep(_PAUSE)
            except KeyboardInterrupt:
                if self.interrupted or self.told is None:
                    raise
                self.interrupted = owed = True  # workers hear of it at their next report
            except RaisedError:
                raise
            except Exception as error:
                self.cluster.workers()  # raises if nobody is there any more
                if isinstance(error, OSError):
                    raise LostWorkerError(str(error)) from error
                raise

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
        best_round = None if watch is None else watch.best_round
        course = self.estimator._course
        info |= course.describe(self.how["stage"], info, best_round)
        for callback in sorted(self.callbacks, key=lambda one: getattr(one, "order", 0)):
            try:
                answer = callback(info)
            except Exception as error:
                raise RaisedError(error) from error
            if isinstance(answer, Keep):
                self.agreed, info["finished"] = answer, True
            elif answer:
                course.stopped = True
                self.agreed = True if self.agreed is None else self.agreed
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
