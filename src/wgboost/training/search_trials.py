"""Which start and evidence to try next, and which to take, from what was measured so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["LADDER", "SearchSpace", "Trial", "best_trial", "next_on"]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Evidence to choose from."""

_FIRST = (30.0, 10.0, 3.0, 1.0)  # much evidence takes few rounds
_FIRST_SMOOTH = (10.0,)  # of a smooth start beside another one: it depends little on the evidence

Trial = dict[str, Any]
"""What was tried and measured.

"evidence", and "init" if starts are compared; "rounds", the best number; "trained", the number of
rounds that this took; the metric's "value" and "start", its value before a round; and "rows", the
number of rows that were trained on."""


@dataclass(frozen=True)
class SearchSpace:
    """What a search chooses from.

    Attributes
    ----------
    starts : tuple of str
        Starts to compare, "smooth" and "flow"; empty for the start that is given.
    level : float or None
        The evidence that is given; None if it is searched for.
    """

    starts: tuple[str, ...] = ()
    level: float | None = None

    def next_trial(self, trials: Sequence[Trial]) -> Trial | None:
        """Return what to try after these, or None if nothing is left.

        All starts are tried with the usual evidence, and then the neighbours of the best.
        """
        tried = {(one.get("init"), one["evidence"]): one["value"] for one in trials}
        for init in self.starts or (None,):
            for level in self._first_levels(init):
                if (init, level) not in tried:
                    return _trial(init, level)
        if self.level is not None:
            return None
        init, best = min(tried, key=lambda key: tried[key])
        at = LADDER.index(best)
        for level in LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]:
            if (init, level) not in tried:
                return _trial(init, level)
        return None

    def _first_levels(self, init: str | None) -> tuple[float, ...]:
        if self.level is not None:
            return (self.level,)
        return _FIRST_SMOOTH if init == "smooth" else _FIRST


def _trial(init: str | None, level: float) -> Trial:
    return {"evidence": level} if init is None else {"init": init, "evidence": level}


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
    return {**_trial(best.get("init"), best["evidence"]), "rows": n}
