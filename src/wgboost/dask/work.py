"""What one worker does: the usual rounds on its rows, in step with the others."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from wgboost.boosting import Keep, Start
from wgboost.dask.library import libraries
from wgboost.data import Cuts, StoredMatrix
from wgboost.engines import collective
from wgboost.engines.library import library
from wgboost.estimators.fitting import Fit
from wgboost.estimators.rows import Rows
from wgboost.estimators.training import trained
from wgboost.learners import FittedTrees
from wgboost.metrics import Metric
from wgboost.metrics.scores import rmse
from wgboost.responses import Units
from wgboost.typing import Array, Directions
from wgboost.validation import takes_weight

__all__ = ["Job", "Piece", "Share", "Told", "reduced", "work"]

_PAUSE = 0.5  # seconds at most between two looks for an answer of the client


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows, and where their features are: in which partitions, and in which rows of them."""

    rows: Any  # Rows without X
    places: list[tuple[int, Array | None]]  # by number among the partitions of this worker


@dataclass(frozen=True, eq=False)
class Share:
    """What is one worker's alone."""

    task: int
    train: Piece
    sets: dict[str, Piece]


@dataclass(frozen=True, eq=False)
class Job:
    """What all workers are told."""

    estimator: Any
    cuts: Cuts
    start: Start
    units: Units
    how: dict[str, Any]  # for `train`
    address: dict[str, Any]  # of the tracker
    reports: str  # names of queues
    answers: str
    every: int  # rounds between two reports


@dataclass(frozen=True, eq=False)
class Told:
    """A report: rounds since the last one, and what was measured so far."""

    round: int
    rounds: list[FittedTrees]
    metrics: dict[str, dict[str, float]]
    history: dict[str, dict[str, list[float]]]
    watch: dict[str, Any] | None
    finished: bool


def work(job: Job, share: Share, coded: Sequence[Array]) -> Fit | None:
    """Train with the other workers; the first of them returns the model.

    `coded` are the codes of this worker's partitions.
    """
    _, distributed = libraries()
    estimator = job.estimator
    if estimator.n_jobs is None:
        estimator.n_jobs = distributed.get_worker().state.nthreads
    train = _placed(share.train, coded, job.cuts)
    sets = {
        # A stand-in where there is none of a set: it is measured with weight zero.
        name: _placed(piece, coded, job.cuts) if len(piece.rows) else replace(
            piece.rows, X=train.X[:1]
        )
        for name, piece in share.sets.items()
    }  # fmt: skip
    with library().collective.CommunicatorContext(**job.address, dmlc_task_id=f"{share.task:09d}"):
        rank = library().collective.get_rank()
        fit = trained(
            estimator, train, sets, job.start, job.units, scorer=reduced,
            seed=_own_seed(estimator.seed_, rank), callbacks=[_Report(job, rank)], **job.how,
        )  # fmt: skip
    return fit if rank == 0 else None


def _own_seed(seed: int, rank: int) -> int:
    """Noise and rows drawn differ from worker to worker; what has to be common is broadcast."""
    return int(np.random.default_rng([seed, rank]).integers(2**31)) if rank else seed


def _placed(piece: Piece, coded: Sequence[Array], cuts: Cuts) -> Any:
    """Return the rows of a piece with their features."""
    some = [coded[i] if where is None else coded[i][where] for i, where in piece.places]
    codes = np.asfortranarray(np.concatenate(some))
    return replace(piece.rows, X=StoredMatrix(codes, cuts, None))


def reduced(rows: Rows, metric: Metric, units: Units) -> Callable[[Directions], float]:
    """Return the metric of the rows of all workers as a function of these rows' particles.

    Metrics are means over rows, the root mean squared error the root of one: their sums are added
    up, and the sums of weights. A worker without rows adds nothing to either.
    """
    mass = float(len(rows))
    if rows.weight is not None and takes_weight(metric.function):
        mass = float(rows.weight.sum(dtype=np.float64))
    score = rows.scorer(metric, units) if mass else None
    squared = metric.function is rmse

    def everywhere(particles: Directions) -> float:
        value = math.nan if score is None else score(particles)
        if squared:
            return math.sqrt(collective.weighted_mean(value**2, mass))
        return collective.weighted_mean(value, mass)

    return everywhere


class _Report:
    """Tells the client how far the fit is, and all workers what it answers."""

    order: ClassVar[int] = 1
    in_refit: ClassVar[bool] = True

    def __init__(self, job: Job, rank: int) -> None:
        self.job, self.rank, self._sent = job, rank, 0
        if rank == 0:
            _, distributed = libraries()
            self.reports, self.answers = map(distributed.Queue, (job.reports, job.answers))

    def __call__(self, info: dict[str, Any]) -> bool | Keep | None:
        last = info["finished"] or info["round"] == info["n_rounds"]
        if info["round"] % self.job.every and not last:
            return None
        # In a tuple: None cannot be broadcast.
        [answer] = collective.common((self._asked(info) if self.rank == 0 else None,))
        if isinstance(answer, KeyboardInterrupt):
            raise answer
        agreed: bool | Keep | None = answer
        return agreed

    def _asked(self, info: dict[str, Any]) -> Any:
        new = list(info["rounds"][self._sent :])
        self._sent = len(info["rounds"])
        seen = info["watch"]
        if seen is not None:
            names = ("best_round", "best_value", "odd_rounds")
            seen = {name: getattr(seen, name) for name in names}
        told = Told(
            info["round"], new, info["metrics"], info["history"], seen, info["finished"]
        )  # fmt: skip
        self.reports.put(pickle.dumps(told))
        pause = 0.005
        while not self.answers.qsize():
            time.sleep(pause)
            pause = min(1.2 * pause, _PAUSE)  # it may be saving a file
            _check_wanted()
        return pickle.loads(self.answers.get())


def _check_wanted() -> None:
    """Raise RuntimeError if nobody waits for this task any more: its client has gone."""
    _, distributed = libraries()
    worker = distributed.get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state == "cancelled":
        raise RuntimeError("the client of this fit has gone")
