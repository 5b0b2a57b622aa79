"""The client's side of a fit: it assigns rows to workers, reads reports, and survives losses."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from wgboost.boosting.callbacks import Keep, call_callbacks
from wgboost.data.binning import Cuts
from wgboost.distributed.cluster import Cluster, ClusterRun, LostWorkerError, Shards, TaskError
from wgboost.distributed.partitions import Partitions
from wgboost.distributed.worker import Reply, Report, Shard, ShardData, WorkerConfig
from wgboost.model import FittedModel
from wgboost.training.data import TrainingData
from wgboost.training.rounds import FitStage, model_of_rounds

__all__ = ["DistributedStage"]

_LOG = logging.getLogger("wgboost.distributed")
_POLL_SECONDS = 0.05  # between two looks for a report
_TRAIN = ""  # the name of the training rows; validation sets have a "+" before theirs

# Rows in one partition: the table, the partition, the rows as a slice of the set, and in it.
_Source = tuple[Partitions, int, slice, Any]


@dataclass(eq=False)
class DistributedStage:
    """Adds the rounds of a stage on workers, as `add_rounds` does in one process.

    Attributes
    ----------
    cluster : Cluster
        The workers.
    stage : FitStage
        The rounds to add.
    cuts : Cuts
        The bin edges of all features.
    use_worker_threads : bool
        Whether workers use as many threads as they have.
    rounds : list
        The rounds that were reported.
    report : Report or None
        The last report.
    decision : bool, Keep or None
        What callbacks returned for the last report.
    start_time : float
        The time when the stage began.
    interrupted : bool
        Whether the user pressed Ctrl-C.
    """

    cluster: Cluster
    stage: FitStage
    cuts: Cuts
    use_worker_threads: bool
    rounds: list[Any] = field(default_factory=list)
    report: Report | None = None
    decision: bool | Keep | None = None
    start_time: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    def run(self) -> FittedModel:
        """Add the rounds; after a loss, continue from the last report.

        Returns
        -------
        model : FittedModel
            The model with the rounds of the stage.

        Raises
        ------
        RuntimeError
            If workers were lost more than `max_retries` times.
        """
        n_workers, retries = len(self.cluster.workers()), 0
        while True:
            try:
                with self.cluster.start(self._config(), self._shards) as run:
                    return self._follow(run)
            except TaskError as raised:
                raise raised.error from None
            except (LostWorkerError, TimeoutError) as lost:
                complete = self._complete_model()
                if complete is not None:  # the worker was lost after the last round
                    return complete
                retries += 1
                if retries > self.cluster.max_retries:
                    told = lost if isinstance(lost, LostWorkerError) else LostWorkerError
                    raise RuntimeError(
                        f"workers were lost {retries} times, max_retries="
                        f"{self.cluster.max_retries}: {lost}. "
                        f"{told.remedy}"
                    ) from lost
                _LOG.warning("%s; waiting for workers, then continuing", lost)
                self.cluster.wait(n_workers)
                for parts in self._tables():
                    parts.wait()
            except OSError:
                self.cluster.workers()  # raises a clearer error if the scheduler is gone
                raise

    def _tables(self) -> list[Partitions]:
        """Return the tables that the rows of this stage are in."""
        sets: list[Any] = [self.stage.data, *self.stage.validation.values()]
        found = {id(one.X.parts): one.X.parts for one in sets}
        return list(found.values())

    def _complete_model(self) -> FittedModel | None:
        """Return the model if no round follows those that were reported."""
        report = self.report
        if report is None:
            return None
        last = report.finished or report.round == self.stage.n_rounds
        if not (last or self.interrupted or self.decision):
            return None
        n_kept = report.round
        if report.watch is not None:
            n_kept = report.watch["best_round"]
        elif isinstance(self.decision, Keep):
            n_kept = self.decision.rounds
        return replace(self._model(n_kept, report), interrupted=self.interrupted)

    def _model(self, n_rounds: int, report: Report) -> FittedModel:
        """Return the model of the first `n_rounds` rounds, earlier ones included."""
        data: Any = self.stage.data
        ends = None if data.X.ends is None else replace(data.X.ends, rows=len(data.counted))
        return model_of_rounds(self.stage, self.rounds, n_rounds, report.history, ends=ends)

    def _reported_model(self) -> FittedModel | None:
        """Return the model of all rounds that were reported, and of earlier ones."""
        if self.report is None:
            return self.stage.previous
        return self._model(self.report.round, self.report)

    def _config(self) -> WorkerConfig:
        """Return what workers need in order to continue from the last report."""
        watch = self.stage.watch if self.report is None else self.report.watch
        every = 1 if self.stage.callbacks else self.cluster.checkpoint_every
        # Rows stay on the workers, and callbacks on the client.
        stage = replace(
            self.stage, data=_without_rows(self.stage.data), validation={}, callbacks=(),
            save=None, previous=self._reported_model(), watch=watch,
        )  # fmt: skip
        data: Any = self.stage.data
        return WorkerConfig(stage, self.cuts, data.X.ends, every, self.use_worker_threads)

    def _shards(self) -> Shards:
        """Return the shard of each worker, and the partitions it reads."""
        validation = self.stage.validation.items()
        sets = {_TRAIN: self.stage.data, **{f"+{name}": one for name, one in validation}}
        locations = {id(parts): parts.locate() for parts in self._tables()}
        if any("" in found for found in locations.values()):
            raise LostWorkerError("a partition was lost with its worker")
        sources: dict[str, dict[str, list[_Source]]] = {}
        for name, data in sets.items():
            matrix: Any = data.X
            for i, (rows, positions) in enumerate(matrix.rows_by_partition()):
                if rows.stop > rows.start:
                    address = locations[id(matrix.parts)][i]
                    of_worker = sources.setdefault(address, {})
                    of_worker.setdefault(name, []).append((matrix.parts, i, rows, positions))
        training = sorted(address for address, found in sources.items() if _TRAIN in found)
        for j, address in enumerate(sorted(set(sources) - set(training))):
            # This worker has validation rows only: they go to a worker that trains.
            for name, found in sources.pop(address).items():
                sources[training[j % len(training)]].setdefault(name, []).extend(found)
        return {
            address: _make_shard(task, sources[address], sets)
            for task, address in enumerate(training)
        }

    def _follow(self, run: ClusterRun) -> FittedModel:
        """Reply to the reports of the workers until they return the model."""
        needs_reply = False  # Ctrl-C may come while callbacks run
        while True:
            try:
                if needs_reply:
                    run.reply(self._reply())
                    needs_reply = False
                report = run.next_report()
                if report is not None:
                    needs_reply = True
                    self.rounds += report.rounds
                    self.report, self.decision = report, None
                    continue
                model = run.poll_model()
                if model is not None:
                    return model
                time.sleep(_POLL_SECONDS)
            except KeyboardInterrupt:
                if self.interrupted or self.report is None:
                    raise
                self.interrupted = needs_reply = True  # the next reply ends the fit
            except TaskError:
                raise
            except Exception as error:
                self.cluster.workers()  # raises if the cluster does not answer
                if isinstance(error, OSError):
                    raise LostWorkerError(str(error)) from error
                raise

    def _reply(self) -> Reply:
        """Call the callbacks with the last report, and return the reply to it."""
        report = self.report
        if self.interrupted:
            return KeyboardInterrupt()
        if report is None or not self.stage.callbacks:
            return None
        info = self._callback_info(report)
        try:
            keep, stopped = call_callbacks(self.stage.callbacks, info)
        except Exception as error:
            raise TaskError(error) from error
        self.decision = self.decision if keep is None else keep
        if stopped:
            self.stage.progress.stopped = True
            self.decision = True if self.decision is None else self.decision
        return self.decision

    def _callback_info(self, report: Report) -> dict[str, Any]:
        """Return what callbacks are given."""
        n_rounds = self.stage.n_rounds
        watch = None if report.watch is None else SimpleNamespace(**report.watch)

        def save(path: Any) -> None:
            model = self._reported_model()
            if self.stage.save is not None and model is not None:
                self.stage.save(path, model, watch, n_rounds)

        info = {
            "round": report.round, "n_rounds": n_rounds, "metrics": report.metrics,
            "history": report.history, "seconds": time.monotonic() - self.start_time,
            "finished": report.finished, "rounds": self.rounds, "watch": watch, "save": save,
        }  # fmt: skip
        best_round = None if watch is None else watch.best_round
        return info | self.stage.progress.describe(self.stage.name, info, best_round)


def _make_shard(
    task: int, sources: dict[str, list[_Source]], sets: dict[str, TrainingData]
) -> tuple[Shard, list[Any]]:
    """Return the shard of a worker with rows from these sources, and its partitions."""
    number: dict[tuple[int, int], int] = {}
    futures: list[Any] = []

    def shard_data(name: str) -> ShardData:
        in_shard, indices = [], [np.empty(0, dtype=np.int64)]
        for parts, i, rows, positions in sources.get(name, []):
            key = (id(parts), i)
            if key not in number:
                number[key] = len(futures)
                futures.append(parts.futures[i])
            in_shard.append((number[key], positions))
            indices.append(np.arange(rows.start, rows.stop))
        data: Any = sets[name].take(np.concatenate(indices))
        return ShardData(replace(data, X=None), in_shard)

    validation = {name[1:]: shard_data(name) for name in sets if name != _TRAIN}
    return Shard(task, shard_data(_TRAIN), validation), futures


def _without_rows(data: TrainingData) -> TrainingData:
    """Return data of the same kind without rows."""
    none: Any = None
    return replace(data.take(np.empty(0, dtype=np.intp)), X=none)
