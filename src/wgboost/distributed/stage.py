"""The client's side of a fit: who gets which rows, what they tell, and what if one dies."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from wgboost.boosting import Keep
from wgboost.data import Cuts
from wgboost.distributed.partitions import Parts
from wgboost.distributed.worker import Job, Piece, Share, Told
from wgboost.model import FittedModel
from wgboost.training import Stage, TrainingData, model_of_rounds

__all__ = ["Cluster", "ClusterStage", "LostWorkerError", "RaisedError", "Running", "Shares"]

_LOG = logging.getLogger("wgboost.distributed")
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
    def ended(self) -> FittedModel | None:
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
class ClusterStage:
    """Adds the rounds of a stage on workers, as `add_rounds` does in one process."""

    cluster: Cluster
    stage: Stage
    cuts: Cuts
    own_threads: bool  # whether workers decide how many threads they have
    rounds: list[Any] = field(default_factory=list)  # that the client was told of
    told: Told | None = None
    agreed: bool | Keep | None = None  # what callbacks said of the last report
    began: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    def run(self) -> FittedModel:
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
        sets: list[Any] = [self.stage.data, *self.stage.validation.values()]
        found = {id(one.X.parts): one.X.parts for one in sets}
        return list(found.values())

    def _complete(self) -> FittedModel | None:
        """Return the model, if the rounds that were reported are all that there will be."""
        told = self.told
        if told is None:
            return None
        last = told.finished or told.round == self.stage.n_rounds
        if not (last or self.interrupted or self.agreed):
            return None
        kept = told.round
        if told.watch is not None:
            kept = told.watch["best_round"]
        elif isinstance(self.agreed, Keep):
            kept = self.agreed.rounds
        return replace(self._first(kept, told), interrupted=self.interrupted)

    def _first(self, n_rounds: int, told: Told) -> FittedModel:
        """Return the model of the first so many rounds, those of before included."""
        return model_of_rounds(self.stage, self.rounds, n_rounds, told.history)

    def _so_far(self) -> FittedModel | None:
        """Return the model of the rounds that were reported, on top of those before."""
        previous = self.stage.previous
        return previous if self.told is None else self._first(self.told.round, self.told)

    def _job(self) -> Job:
        """Return what all workers are to do, from the last report on."""
        watch = self.stage.watch if self.told is None else self.told.watch
        every = 1 if self.stage.callbacks else self.cluster.checkpoint_every
        # Rows stay where they are, and callbacks on the client.
        stage = replace(
            self.stage, data=_without_rows(self.stage.data), validation={}, callbacks=(),
            save=None, previous=self._so_far(), watch=watch,
        )  # fmt: skip
        return Job(stage, self.cuts, every, self.own_threads)

    def _shares(self) -> Shares:
        """Return, by worker, its share of the rows and the partitions that they are in."""
        sets = self.stage.validation.items()
        pieces = {"": self.stage.data, **{f"+{name}": one for name, one in sets}}
        holders = {id(parts): parts.holders() for parts in self._sources()}
        if any("" in found for found in holders.values()):
            raise LostWorkerError("a partition went with its worker")
        places: dict[str, dict[str, list[tuple[Parts, int, slice, Any]]]] = {}
        for name, rows in pieces.items():
            matrix: Any = rows.X
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

    def _attempt(self, running: Running) -> FittedModel:
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
        if told is None or not self.stage.callbacks:
            return None
        goal = self.stage.n_rounds
        watch = None if told.watch is None else SimpleNamespace(**told.watch)

        def save(path: Any) -> None:
            model = self._so_far()
            if self.stage.save is not None and model is not None:
                self.stage.save(path, model, watch, goal)

        info = {
            "round": told.round, "n_rounds": goal, "metrics": told.metrics,
            "history": told.history, "seconds": time.monotonic() - self.began,
            "finished": told.finished, "rounds": self.rounds, "watch": watch, "save": save,
        }  # fmt: skip
        best_round = None if watch is None else watch.best_round
        progress = self.stage.progress
        info |= progress.describe(self.stage.name, info, best_round)
        for callback in sorted(self.stage.callbacks, key=lambda one: getattr(one, "order", 0)):
            try:
                answer = callback(info)
            except Exception as error:
                raise RaisedError(error) from error
            if isinstance(answer, Keep):
                self.agreed, info["finished"] = answer, True
            elif answer:
                progress.stopped = True
                self.agreed = True if self.agreed is None else self.agreed
        return self.agreed


def _share(
    task: int,
    places: dict[str, list[tuple[Parts, int, slice, Any]]],
    pieces: dict[str, TrainingData],
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


def _without_rows(data: TrainingData) -> TrainingData:
    """Return data of no rows, of the same kind."""
    none: Any = None
    return replace(data.take(np.empty(0, dtype=np.intp)), X=none)
