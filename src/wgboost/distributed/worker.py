"""What one worker does: the usual rounds on its rows, in step with the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from wgboost.boosting import Keep
from wgboost.data import Cuts, StoredMatrix
from wgboost.learners import FittedTrees
from wgboost.metrics import Metric
from wgboost.model import FittedModel
from wgboost.responses import Units
from wgboost.training import Stage, TrainingData, add_rounds
from wgboost.trees.xgboost import collective
from wgboost.trees.xgboost.library import library
from wgboost.typing import Array, Directions
from wgboost.validation import accepts_sample_weight

__all__ = ["Desk", "Job", "Piece", "Share", "Told", "is_loss", "reduced", "work"]


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

    stage: Stage  # without rows and callbacks
    cuts: Cuts
    every: int  # rounds between two reports
    own_threads: bool  # whether workers decide how many threads they have


@dataclass(frozen=True, eq=False)
class Told:
    """A report: rounds since the last one, and what was measured so far."""

    round: int
    rounds: list[FittedTrees]
    metrics: dict[str, dict[str, float]]
    history: dict[str, dict[str, list[float]]]
    watch: dict[str, Any] | None
    finished: bool


class Desk(Protocol):
    """Where the first worker reports to the client, and hears what it says."""

    def ask(self, told: Told) -> bool | Keep | KeyboardInterrupt | None:
        """Hand in a report, and wait for the answer."""


def work(
    job: Job, share: Share, coded: Sequence[Array], desk: Desk, threads: int
) -> FittedModel | None:
    """Train with the other workers; the first of them returns the model.

    XGBoost's collective connects them already. `coded` are the codes of this worker's partitions,
    `threads` those it may have.
    """
    stage, settings = job.stage, job.stage.settings
    if job.own_threads:
        settings = replace(settings, n_threads=threads)
    train = _placed(share.train, coded, job.cuts)
    sets = {
        # A stand-in where there is none of a set: it is measured with weight zero.
        name: _placed(piece, coded, job.cuts) if len(piece.rows) else replace(
            piece.rows, X=train.X[:1]
        )
        for name, piece in share.sets.items()
    }  # fmt: skip
    rank = library().collective.get_rank()
    report = _Report(job.every, rank, desk)
    stage = replace(stage, settings=settings, data=train, validation=sets, callbacks=[report])
    model = add_rounds(stage, scorer=reduced, seed=_own_seed(settings.seed, rank))
    return model if rank == 0 else None


def is_loss(error: BaseException) -> bool:
    """Whether an error is that of XGBoost's connections: another worker is gone."""
    return isinstance(error, library().core.XGBoostError) and "collective" in str(error)


def _own_seed(seed: int, rank: int) -> int:
    """Noise and rows drawn differ from worker to worker; what has to be common is broadcast."""
    return int(np.random.default_rng([seed, rank]).integers(2**31)) if rank else seed


def _placed(piece: Piece, coded: Sequence[Array], cuts: Cuts) -> Any:
    """Return the rows of a piece with their features."""
    some = [coded[i] if where is None else coded[i][where] for i, where in piece.places]
    codes = np.asfortranarray(np.concatenate(some))
    return replace(piece.rows, X=StoredMatrix(codes, cuts, None))


def reduced(data: TrainingData, metric: Metric, units: Units) -> Callable[[Directions], float]:
    """Return the metric of the rows of all workers as a function of these rows' particles.

    `metric.reduction` says how the values of workers make one: by their weighted mean, or by the
    root of the weighted mean of their squares. A worker without rows has a weight of zero.
    """
    mass = float(len(data))
    if data.weight is not None and accepts_sample_weight(metric.function):
        mass = float(data.weight.sum(dtype=np.float64))
    score = data.scorer(metric, units) if mass else None
    squared = metric.reduction == "root_mean_square"

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

    def __init__(self, every: int, rank: int, desk: Desk) -> None:
        self.every, self.rank, self.desk, self._sent = every, rank, desk, 0

    def __call__(self, info: dict[str, Any]) -> bool | Keep | None:
        last = info["finished"] or info["round"] == info["n_rounds"]
        if info["round"] % self.every and not last:
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
        return self.desk.ask(
            Told(info["round"], new, info["metrics"], info["history"], seen, info["finished"])
        )
