"""Which evidence to try next and which to take, from what was measured so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "LADDER",
    "NOISY",
    "Trial",
    "best_constant",
    "best_trial",
    "next_on",
    "next_trial",
    "pilot_of",
    "sampled",
]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
NOISY = 10.0
"""From here on leaves average over rows, and how well they do says something."""
_FIRST = 10.0
_KEPT = 0.95  # of what the best constant learnt of the watched rows

# "evidence", "by_error", "rounds", the metric's "value", "start", its value before a round, and
# "rows", the number of rows that were trained on
Trial = dict[str, Any]


def next_trial(trials: Sequence[Trial], has_errors: bool = True) -> Trial | None:
    """Return what to try after these: the evidence, and whether rows differ in it by their errors.

    First one rung of the ladder and then the neighbours of the best until there are no more of
    them, the upper one first, since much evidence takes few rounds; then, where much is best, one
    that follows how far the best of them errs at each row.
    """
    if not trials:
        return {"evidence": _FIRST, "by_error": False}
    constant = {one["evidence"]: one["value"] for one in trials if not one["by_error"]}
    best = min(constant, key=lambda rung: constant[rung])
    at = LADDER.index(best)
    for rung in LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]:
        if rung not in constant:
            return {"evidence": rung, "by_error": False}
    if best < NOISY or not has_errors or len(constant) < len(trials):
        return None
    return {"evidence": best, "by_error": True}


def best_constant(trials: Sequence[Trial]) -> int:
    """Return which of the trials has the smallest value among those with the same evidence."""
    constant = [i for i, one in enumerate(trials) if not one["by_error"]]
    return min(constant, key=lambda i: trials[i]["value"])


def best_trial(trials: Sequence[Trial]) -> int:
    """Return which of the trials to take.

    The constant of the smallest value, or evidence by error if that is hardly worse: it is there
    for the spread of the particles, of which the metric sees little. Not where it comes to less
    than leaves that average over noise ask for: there a model errs by more than y does.
    """
    if all(one["by_error"] for one in trials):
        return 0
    best = best_constant(trials)
    start = trials[best]["start"]
    learnt = start - trials[best]["value"]
    for i, one in enumerate(trials):
        # More evidence starts better, with less left to learn: that is no loss.
        kept = max(start, one["start"]) - one["value"] >= _KEPT * learnt
        if one["by_error"] and one["evidence"] >= NOISY and kept:
            return i
    return best


def next_on(
    trials: Sequence[Trial], n_sample: int, n: int, has_errors: bool, decided: bool
) -> Trial | None:
    """Return what to try next of n rows of which a sample chooses the evidence, with its "rows".

    The search on the sample comes first, unless it is `decided` that it is over. What it took, the
    best constant or evidence by error, is then trained on all rows.
    """
    tried = [one for one in trials if one.get("rows", n_sample) == n_sample]
    trial = None if decided else next_trial(tried, has_errors)
    if trial is not None:
        return {**trial, "rows": n_sample}
    if n_sample == n or len(tried) < len(trials):
        return None
    level = tried[best_constant(tried)]["evidence"]
    return {"evidence": level, "by_error": bool(tried[best_trial(tried)]["by_error"]), "rows": n}


def pilot_of(trials: Sequence[Trial]) -> int:
    """Return which constant evidence by error follows: the best on all rows or on a sample."""
    n = min(one.get("rows", 0) for one in trials)
    same = [i for i, one in enumerate(trials) if one.get("rows", 0) == n]
    return same[best_constant([trials[i] for i in same])]


def sampled(trials: Sequence[Trial]) -> bool:
    """Whether a sample chose the evidence of more rows than these."""
    return len({one.get("rows") for one in trials}) > 1
