"""What a fit needs of a cluster: its workers, and a run of a function on all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from wgboost.distributed.worker import Reply, Report, Shard, WorkerConfig
from wgboost.model import FittedModel

__all__ = ["Cluster", "ClusterRun", "LostWorkerError", "Shards", "TaskError", "WorkerStartError"]


class LostWorkerError(Exception):
    """A worker died, or its connection to the other workers is lost."""

    remedy = (
        "Workers die when they run out of memory: more workers, or smaller partitions, may help"
    )


class WorkerStartError(LostWorkerError):
    """A worker died before it began to train."""

    remedy = (
        "Every machine needs the same versions of Python, wgboost and xgboost, and memory for its "
        "workers; the logs of the workers say what is missing"
    )


class TaskError(Exception):
    """A worker or a callback raised an error; no worker was lost.

    Parameters
    ----------
    error : exception
        The error to raise to the user.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


Shards = dict[str, tuple[Shard, list[Any]]]
"""The shard of each worker, and the futures of the partitions it reads."""


class ClusterRun(ABC):
    """A run of `run_worker` on all workers, as the client sees it."""

    @abstractmethod
    def next_report(self) -> Report | None:
        """Return the next report that has no reply yet, or None."""

    @abstractmethod
    def reply(self, value: Reply) -> None:
        """Send the reply to a report to the workers."""

    @abstractmethod
    def poll_model(self) -> FittedModel | None:
        """Return the model, or None while workers are busy.

        Raises
        ------
        LostWorkerError
            If a worker died.
        TaskError
            If a worker raised an error.
        """


class Cluster(ABC):
    """A cluster that a fit runs on.

    Attributes
    ----------
    max_retries : int
        How often a fit continues after workers were lost.
    checkpoint_every : int
        The number of rounds between two reports.
    """

    max_retries: int
    checkpoint_every: int

    @abstractmethod
    def workers(self) -> dict[str, int]:
        """Return the number of threads of each worker.

        Raises
        ------
        ConnectionError
            If the cluster does not answer.
        """

    @abstractmethod
    def wait(self, n_workers: int) -> None:
        """Wait until the cluster has `n_workers` workers."""

    @abstractmethod
    def start(
        self, config: WorkerConfig, make_shards: Callable[[], Shards]
    ) -> AbstractContextManager[ClusterRun]:
        """Run `run_worker` on every worker until the context ends.

        Parameters
        ----------
        config : WorkerConfig
            What all workers have in common.
        make_shards : callable
            Returns the shards. It is called when the cluster is free for this fit, because
            partitions may move until then.
        """
