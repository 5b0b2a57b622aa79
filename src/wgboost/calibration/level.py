"""The exact quantile of conformal prediction."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from wgboost.metrics.checks import check_scores
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["check_coverage", "conformal_level", "conformal_rank", "rows_needed", "warn_if_infinite"]

_ROUNDING = 1e-9  # 20 * 0.95 is 19, whatever the computer says


def check_coverage(coverage: Any) -> float:
    """Return the coverage, a number between 0 and 1."""
    number = check_number("coverage", coverage, above=0, high=1)
    if number == 1:
        raise ValueError("coverage=1 needs infinitely many rows; give less, such as 0.99")
    return number


def rows_needed(coverage: float) -> int:
    """Return the least number of calibration rows with which an interval is finite."""
    return math.ceil(coverage / (1 - coverage) - _ROUNDING)


def _rank(n: int, coverage: float) -> int:
    return max(1, math.ceil((n + 1) * coverage - _ROUNDING))


def conformal_rank(n: int, coverage: float) -> int:
    """Return k = ceil((n + 1) coverage): the k-th smallest of n scores is the level.

    A score exchangeable with them is at most that with probability k / (n + 1) or more. k = n + 1
    is one that no score is above but infinity: a warning says how many rows would do.
    """
    rank = _rank(n, coverage)
    if rank > n:
        warnings.warn(
            f"{n} calibration rows cannot tell a coverage of {coverage:g}, everything is inside; "
            f"{rows_needed(coverage)} rows are needed",
            stacklevel=4,
        )
    return rank


def warn_if_infinite(scores: Array, coverage: float, why: str) -> None:
    """Warn if the level is infinite although there are rows enough to tell the coverage."""
    infinite = int((scores == np.inf).sum())
    if scores.size - infinite < _rank(scores.size, coverage) <= scores.size:
        warnings.warn(
            f"{infinite} of {scores.size} calibration rows {why}; with a coverage of {coverage:g} "
            "those are too many to leave anything out, everything is inside",
            stacklevel=3,
        )


def conformal_level(scores: Any, coverage: float = 0.9) -> float:
    """Return the level that a further score does not exceed with this probability, or more.

    The k-th smallest of the n scores, k = ceil((n + 1) coverage); infinity, with a warning, if k
    is n + 1. Exact for any distribution of the scores if the rows are exchangeable: the chance is
    at least the coverage, and at most 1 / (n + 1) above it where no two scores are equal.

    Parameters
    ----------
    scores : array (n,)
        How odd each calibration row is.
    coverage : float
        A probability between 0 and 1.
    """
    values = np.sort(check_scores("scores", scores))
    rank = conformal_rank(values.size, check_coverage(coverage))
    return float(values[rank - 1]) if rank <= values.size else math.inf
