"""What one worker runs: the boosting rounds on its rows, in step with the other workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from wgboost.boosting import Keep
from wgboost.data.bin_ends import BinEnds
from wgboost.data.binning import Cuts
from wgboost.data.stored import StoredMatrix
from wgboost.learners.hist_tree import FittedTrees
from wgboost.metrics import Metric
from wgboost.model import FittedModel
from wgboost.responses import Units
from wgboost.training.data import TrainingData
from wgboost.training.rounds import FitStage, add_rounds
from wgboost.trees.xgboost import collective
from wgboost.trees.xgboost.library import import_xgboost
from wgboost.typing import Array, Directions
from wgboost.validation import accepts_sample_weight

__all__ = [
    "Reply", "Report", "ReportChannel", "Shard", "ShardData", "WorkerConfig", "distributed_scorer",
    "is_lost_connection", "run_worker",
]  # fmt: skip

Reply = bool | Keep | KeyboardInterrupt | None
"""The client's reply to a report: what callbacks returned, or Ctrl-C."""


@dataclass(frozen=True, eq=False)
class ShardData:
    """The rows of one set that a worker has.

    Attributes
    ----------
    data : TrainingData
        The rows, without their features.
    sources : list of (int, array or None)
        Where the features are: the number of a partition of this worker, and the rows in it. None
        stands for the whole partition.
    """

    data: TrainingData
    sources: list[tuple[int, Array | None]]


@dataclass(frozen=True, eq=False)
class Shard:
    """The rows of one worker.

    Attributes
    ----------
    task : int
        The number of the worker.
    train : ShardData
        Its training rows.
    validation : dict
        Its rows of each validation set.
    """

    task: int
    train: ShardData
    validation: dict[str, ShardData]


@dataclass(frozen=True, eq=False)
class WorkerConfig:
    """What all workers have in common.

    Attributes
    ----------
    stage : FitStage
        The rounds to add, without rows and callbacks.
    cuts : Cuts
        The bin edges of all features.
    ends : BinEnds or None
        The smallest and largest training value of each bin.
    report_every : int
        The number of rounds between two reports.
    use_worker_threads : bool
        Whether a worker uses as many threads as it has, and not as many as the settings say.
    """

    stage: FitStage
    cuts: Cuts
    ends: BinEnds | None
    report_every: int
    use_worker_threads: bool


@dataclass(frozen=True, eq=False)
class Report:
    """A message to the client: the rounds since the last report, and the metrics so far.

    Attributes
    ----------
    round : int
        The number of the last round.
    rounds : list of FittedTrees
        The rounds since the last report.
    metrics, history : dict
        Metrics of the last round, and of all rounds, by set and name.
    watch : dict or None
        The state of early stopping.
    finished : bool
        Whether no round follows.
    """

    round: int
    rounds: list[FittedTrees]
    metrics: dict[str, dict[str, float]]
    history: dict[str, dict[str, list[float]]]
    watch: dict[str, Any] | None
    finished: bool


class ReportChannel(Protocol):
    """The connection from the first worker to the client."""

    def request(self, report: Report) -> Reply:
        """Send a report, and wait for the reply."""


def run_worker(
    config: WorkerConfig, shard: Shard, codes: Sequence[Array], channel: ReportChannel,
    n_threads: int,
) -> FittedModel | None:  # fmt: skip
    """Add the rounds of a stage together with the other workers.

    XGBoost's collective has to be connected already.

    Parameters
    ----------
    config : WorkerConfig
        What all workers have in common.
    shard : Shard
        The rows of this worker.
    codes : sequence of arrays (rows, p)
        The partitions of this worker.
    channel : ReportChannel
        The connection to the client; the first worker alone uses it.
    n_threads : int
        The number of threads of this worker.

    Returns
    -------
    model : FittedModel or None
        The model on the first worker, None on the others.
    """
    stage, settings = config.stage, config.stage.settings
    if config.use_worker_threads:
        settings = replace(settings, n_threads=n_threads)
    train = _with_features(shard.train, codes, config.cuts, config.ends)
    validation = {
        # A set without rows here gets the features of one training row, with weight zero.
        name: _with_features(one, codes, config.cuts) if len(one.data) else replace(
            one.data, X=train.X[:1]
        )
        for name, one in shard.validation.items()
    }  # fmt: skip
    rank = import_xgboost().collective.get_rank()
    callback = _ReportCallback(config.report_every, rank, channel)
    stage = replace(
        stage, settings=settings, data=train, validation=validation, callbacks=[callback]
    )
    seed = _worker_seed(settings.seed, rank)
    model = add_rounds(stage, scorer=distributed_scorer, seed=seed)
    return model if rank == 0 else None


def is_lost_connection(error: BaseException) -> bool:
    """Return whether XGBoost raised an error because the connection to a worker is lost."""
    return isinstance(error, import_xgboost().core.XGBoostError) and "collective" in str(error)


def _worker_seed(seed: int, rank: int) -> int:
    """Return the seed of a worker: noise and sampled rows differ between workers."""
    return int(np.random.default_rng([seed, rank]).integers(2**31)) if rank else seed


def _with_features(
    shard: ShardData, codes: Sequence[Array], cuts: Cuts, ends: BinEnds | None = None
) -> Any:
    """Return the rows of a shard with their features."""
    some = [codes[i] if rows is None else codes[i][rows] for i, rows in shard.sources]
    joined = np.asfortranarray(np.concatenate(some))
    data: Any = shard.data
    return replace(data, X=StoredMatrix(joined, cuts, None, ends=ends))


def distributed_scorer(
    data: TrainingData, metric: Metric, units: Units
) -> Callable[[Directions], float]:
    """Make a metric of the rows of all workers.

    `metric.reduction` says how the values of workers make one: by their weighted mean, or by the
    root of the weighted mean of their squares. A worker without rows has a weight of zero.

    Parameters
    ----------
    data : TrainingData
        The rows of this worker.
    metric : Metric
        The metric of one process.
    units : Units
        Units of y.

    Returns
    -------
    score : callable
        Maps the particles of the rows of this worker to the metric of all rows.
    """
    mass = float(len(data))
    if data.weight is not None and accepts_sample_weight(metric.function):
        mass = float(data.weight.sum(dtype=np.float64))
    local_score = data.scorer(metric, units) if mass else None
    squared = metric.reduction == "root_mean_square"

    def score(particles: Directions) -> float:
        value = math.nan if local_score is None else local_score(particles)
        if squared:
            return math.sqrt(collective.weighted_mean(value**2, mass))
        return collective.weighted_mean(value, mass)

    return score


class _ReportCallback:
    """Reports to the client, and passes its reply to all workers."""

    order: ClassVar[int] = 1
    in_refit: ClassVar[bool] = True

    def __init__(self, every: int, rank: int, channel: ReportChannel) -> None:
        self.every, self.rank, self.channel, self._n_sent = every, rank, channel, 0

    def __call__(self, info: dict[str, Any]) -> bool | Keep | None:
        last = info["finished"] or info["round"] == info["n_rounds"]
        if info["round"] % self.every and not last:
            return None
        # In a tuple, since None cannot be broadcast.
        [reply] = collective.broadcast((self._request(info) if self.rank == 0 else None,))
        if isinstance(reply, KeyboardInterrupt):
            raise reply
        stop: bool | Keep | None = reply
        return stop

    def _request(self, info: dict[str, Any]) -> Reply:
        """Send a report of the rounds since the last one, and return the reply."""
        new = list(info["rounds"][self._n_sent :])
        self._n_sent = len(info["rounds"])
        watch = None if info["watch"] is None else info["watch"].state()
        return self.channel.request(
            Report(info["round"], new, info["metrics"], info["history"], watch, info["finished"])
        )
