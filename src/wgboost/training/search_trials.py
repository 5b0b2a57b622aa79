"""Which start and evidence to try next, and which to take, from what was measured so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["LADDER", "SearchSpace", "Trial", "best_trial", "next_on"]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Evidence to choose from."""

TRIED = ("init", "evidence", "leaf_share")
"""What trials differ in."""

_FIRST = (30.0, 10.0, 3.0, 1.0)  # much evidence takes few rounds
_FIRST_SMOOTH = (10.0,)  # of a smooth start beside another one: it depends little on the evidence
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
    """

    starts: tuple[str, ...] = ()
    level: float | None = None
    compares_leaves: bool = False

    def next_trial(self, trials: Sequence[Trial]) -> Trial | None:
        """Return what to try after these, or None if nothing is left.

        All starts are tried with the usual evidence, and then what differs from the best in one
        step of the evidence or in the number of leaves.
        """
        tried = [_place(one) for one in trials]
        for init in self.starts or (None,):
            for level in self._first_levels(init):
                if (init, level, 1.0) not in tried:
                    return _trial(init, level)
        best = tried[best_trial(trials)]
        for place in self._next_to(*best):
            if place not in tried:
                return _trial(*place)
        return None

    def _first_levels(self, init: str | None) -> tuple[float, ...]:
        if self.level is not None:
            return (self.level,)
        return _FIRST_SMOOTH if init == "smooth" else _FIRST

    def _next_to(self, init: str | None, level: float, share: float) -> list[_Place]:
        """Return what differs from a trial in one respect."""
        places: list[_Place] = []
        if self.compares_leaves and share == 1.0:
            places.append((init, level, _FEW_LEAVES))
        if self.level is None:
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


def stage_name(trial: Trial) -> str:
    """Return the name of the stage that a trial is."""
    init, level, share = _place(trial)
    name = f"evidence {level:.3g}"
    name = name if init is None else f"{name}, {init}"
    return name if share == 1.0 else f"{name}, fewer leaves"


def best_trial(trials: Sequence[Trial]) -> int:
    """Return the index of the trial with the smallest value."""
    return min(range(len(trials)), key=lambda i: trials[i]["value"])


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
    best = tried[best_trial(tried)]
    return {**_trial(*_place(best)), "rows": n}
