"""The exact quantile of conformal prediction."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from wgboost.metrics.checks import check_scores
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = [
    "check_conformal_confidence",
    "conformal_level",
    "conformal_rank",
    "rows_needed",
    "warn_if_infinite",
]

_ROUNDING = 1e-9  # so that 20 * 0.95 is 19


def check_conformal_confidence(confidence: Any) -> float:
    """Return the confidence, a number between 0 and 1."""
    number = check_number("confidence", confidence, above=0, high=1)
    if number == 1:
        raise ValueError("confidence=1 needs infinitely many rows; give less, such as 0.99")
    return number


def rows_needed(confidence: float) -> int:
    """Compute the smallest number of calibration rows with which an interval is finite.

    Parameters
    ----------
    confidence : float
        A probability between 0 and 1.

    Returns
    -------
    int
        Number of rows.

    Examples
    --------
    >>> from wgboost.conformal import rows_needed
    >>> rows_needed(0.95)
    19
    """
    return math.ceil(confidence / (1 - confidence) - _ROUNDING)


def _rank(n: int, confidence: float) -> int:
    return max(1, math.ceil((n + 1) * confidence - _ROUNDING))


def conformal_rank(n: int, confidence: float) -> int:
    """Return k = ceil((n + 1) confidence): the k-th smallest of n scores is the level.

    An exchangeable score is at most the level with a probability of at least k / (n + 1). If k is
    n + 1, the level is infinite, and a warning says how many rows are needed.
    """
    rank = _rank(n, confidence)
    if rank > n:
        warnings.warn(
            f"{n} calibration rows are too few for a confidence of {confidence:g}, everything is "
            f"inside; {rows_needed(confidence)} rows are needed",
            stacklevel=4,
        )
    return rank


def warn_if_infinite(scores: Array, confidence: float, why: str) -> None:
    """Warn if the level is infinite although there are enough rows for the confidence."""
    infinite = int((scores == np.inf).sum())
    if scores.size - infinite < _rank(scores.size, confidence) <= scores.size:
        warnings.warn(
            f"{infinite} of {scores.size} calibration rows {why}; these are too many for a "
            f"confidence of {confidence:g}, everything is inside",
            stacklevel=3,
        )


def conformal_level(scores: Any, confidence: float = 0.9) -> float:
    """Compute the level that a new score does not exceed with at least the given probability.

    It is the k-th smallest of the n scores, k = ceil((n + 1) confidence), or infinity with a
    warning if k is n + 1. It is exact for any distribution of the scores if the rows are
    exchangeable: the probability is at least the confidence, and at most 1 / (n + 1) above it
    without ties.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Nonconformity scores of the calibration rows; a larger score is less conforming.
    confidence : float, default=0.9
        A probability between 0 and 1.

    Returns
    -------
    float
        The level.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.conformal import conformal_level
    >>> conformal_level(np.arange(1.0, 20.0), confidence=0.9)
    18.0
    """
    values = np.sort(check_scores("scores", scores))
    rank = conformal_rank(values.size, check_conformal_confidence(confidence))
    return float(values[rank - 1]) if rank <= values.size else math.inf
