"""Which evidence to try next and which to take, from what was measured so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["LADDER", "Trial", "best_trial", "next_on", "next_trial"]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = 10.0

# "evidence", "rounds", the metric's "value", "start", its value before a round, and "rows", the
# number of rows that were trained on
Trial = dict[str, Any]


def next_trial(trials: Sequence[Trial]) -> Trial | None:
    """Return what to try after these: one step of the ladder, then the neighbours of the best.

    The upper neighbour comes first, since much evidence takes few rounds.
    """
    if not trials:
        return {"evidence": _FIRST}
    tried = {one["evidence"]: one["value"] for one in trials}
    best = min(tried, key=lambda step: tried[step])
    at = LADDER.index(best)
    for step in LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]:
        if step not in tried:
            return {"evidence": step}
    return None


def best_trial(trials: Sequence[Trial]) -> int:
    """Return the index of the trial with the smallest value."""
    return min(range(len(trials)), key=lambda i: trials[i]["value"])


def next_on(trials: Sequence[Trial], n_sample: int, n: int, decided: bool) -> Trial | None:
    """Return what to try next of n rows of which a sample chooses the evidence, with its "rows".

    The search on the sample comes first, unless it is `decided` that it is over. The best evidence
    is then trained on all rows.
    """
    tried = [one for one in trials if one.get("rows", n_sample) == n_sample]
    trial = None if decided else next_trial(tried)
    if trial is not None:
        return {**trial, "rows": n_sample}
    if n_sample == n or len(tried) < len(trials):
        return None
    return {"evidence": tried[best_trial(tried)]["evidence"], "rows": n}
