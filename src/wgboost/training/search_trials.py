"""What a search tries next, and what it takes, from what was measured so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["LADDER", "TRIED", "SearchSpace", "Trial", "next_on", "smooth_margin", "stage_name"]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Evidence to choose from."""

TRIED = ("init", "evidence", "leaf_share")
"""What trials differ in."""

_FIRST = (30.0, 10.0, 3.0, 1.0)  # much evidence takes few rounds
_FIRST_SMOOTH = (10.0,)  # of a smooth start beside another one: it depends little on the evidence
_MARGIN = 1.2  # of smooth starts: nats, over the root of the number of held-out rows
_FEW_LEAVES = 0.25  # suits noise and simple functions

Trial = dict[str, Any]
"""What was tried and measured.

"evidence", "init" if starts are compared, and "leaf_share" if trees have fewer leaves than usual;
"rounds", the best number; "trained", the number of rounds that this took; the metric's "value" and
"start", its value before a round; and "rows", the number of rows that were trained on."""


@dataclass(frozen=True)
class SearchSpace:
    """What a search chooses from.

    Attributes
    ----------
    starts : tuple of str
        Starts to compare, "smooth" and "flow"; empty for the start that is given.
    level : float or None
        The evidence that is given; None if it is searched for.
    compares_leaves : bool
        Whether trees with fewer leaves are tried.
    margin : float
        By how much a smooth start has to be better than another one, in the unit of the metric.
    """

    starts: tuple[str, ...] = ()
    level: float | None = None
    compares_leaves: bool = False
    margin: float = 0.0

    def next_trial(self, trials: Sequence[Trial]) -> Trial | None:
        """Return what to try after these, or None if nothing is left.

        All starts are tried with the usual evidence, and then what differs from the best in one
        step of the evidence or in the number of leaves. A process takes longest to start, so that
        there is another model already if time runs out.
        """
        tried = [_place(one) for one in trials]
        for place in self._first():
            if place not in tried:
                return _trial(*place)
        best = tried[self.best(trials)]
        for place in self._next_to(*best):
            if place not in tried:
                return _trial(*place)
        return None

    def best(self, trials: Sequence[Trial]) -> int:
        """Return the index of the trial to take."""
        return min(range(len(trials)), key=lambda i: trials[i]["value"] + self.handicap(trials[i]))

    def handicap(self, trial: Trial) -> float:
        """Return what is added to the value of a trial before it is compared.

        Smooth starts err more on rows unlike those held out than trees do.
        """
        return self.margin if self.starts and trial.get("init") == "smooth" else 0.0

    def goal(self, trial: Trial, trials: Sequence[Trial]) -> float:
        """Return the value that a trial has to reach to be better than others."""
        values = [one["value"] + self.handicap(one) for one in trials]
        least = min((one for one in values if math.isfinite(one)), default=math.inf)
        return least - self.handicap(trial)

    def _first(self) -> list[_Place]:
        """Return what is tried in any case."""
        others = _FIRST if self.level is None else (self.level,)
        smooth = _FIRST_SMOOTH if self.level is None else (self.level,)
        first: list[_Place] = [("flow" if self.starts else None, level, 1.0) for level in others]
        if "smooth" in self.starts:
            first[1:1] = [("smooth", level, 1.0) for level in smooth]
        return first

    def _next_to(self, init: str | None, level: float, share: float) -> list[_Place]:
        """Return what differs from a trial in one respect."""
        places: list[_Place] = []
        if self.compares_leaves and share == 1.0:
            places.append((init, level, _FEW_LEAVES))
        if self.level is None and init != "smooth":
            at = LADDER.index(level)
            near = LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]
            places += [(init, other, share) for other in near]
        return places


_Place = tuple[str | None, float, float]


def _place(trial: Trial) -> _Place:
    """Return the start, the evidence and the share of leaves of a trial."""
    return trial.get("init"), trial["evidence"], trial.get("leaf_share", 1.0)


def _trial(init: str | None, level: float, share: float = 1.0) -> Trial:
    trial: Trial = {} if init is None else {"init": init}
    trial["evidence"] = level
    return trial if share == 1.0 else {**trial, "leaf_share": share}


def smooth_margin(metric: str, held_out: float) -> float:
    """Return how much better a smooth start has to be with so many held-out rows: a standard error.

    Only the unit of the likelihood is known.
    """
    return _MARGIN / math.sqrt(max(held_out, 1.0)) if metric == "nll" else 0.0


def stage_name(trial: Trial) -> str:
    """Return the name of the stage that a trial is."""
    init, level, share = _place(trial)
    name = f"evidence {level:.3g}"
    name = name if init is None else f"{name}, {init}"
    return name if share == 1.0 else f"{name}, fewer leaves"


def next_on(
    space: SearchSpace, trials: Sequence[Trial], n_sample: int, n: int, decided: bool
) -> Trial | None:
    """Return what to try next of n rows of which a sample chooses, with its "rows".

    The search on the sample comes first, unless it is `decided` that it is over. The best of it is
    then trained on all rows.
    """
    tried = [one for one in trials if one.get("rows", n_sample) == n_sample]
    trial = None if decided else space.next_trial(tried)
    if trial is not None:
        return {**trial, "rows": n_sample}
    if n_sample == n or len(tried) < len(trials):
        return None
    best = tried[space.best(tried)]
    return {**_trial(*_place(best)), "rows": n}
