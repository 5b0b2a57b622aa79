"""How well a score tells rows of the training distribution from others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from wgboost.typing import Array

__all__ = ["ood_average_precision", "ood_roc_auc"]


def ood_average_precision(score_in: Any, score_out: Any) -> float:
    """Return how well a score tells rows of the training distribution from others.

    The average precision (area under the precision-recall curve, as a sum of precision times the
    step in recall) of finding the in-distribution rows, the positives, by a small score; tied
    rows enter together. 1 is perfect, the share of in-distribution rows is chance.

    Parameters
    ----------
    score_in, score_out
        Scores of rows from the training distribution and of other rows, larger meaning further
        from the training data; infinite ones are allowed.
    """
    positive, rank = _ranked(score_in, score_out)
    return float(average_precision_score(positive, -rank))


def ood_roc_auc(score_in: Any, score_out: Any) -> float:
    """Return the probability that a row from elsewhere has a larger score than one from inside.

    The area under the ROC curve; ties count one half. 1 is perfect, 0.5 is chance. Arguments as
    in `ood_average_precision`.
    """
    positive, rank = _ranked(score_in, score_out)
    return float(roc_auc_score(positive, -rank))


def _ranked(score_in: Any, score_out: Any) -> tuple[Array, Array]:
    """Return which rows are inside, as 1 and 0, and ranks of scores: infinities have an order."""
    parts = [np.asarray(part, dtype=np.float64) for part in (score_in, score_out)]
    for name, part in zip(("score_in", "score_out"), parts, strict=True):
        if part.ndim != 1 or part.size == 0:
            raise ValueError(f"{name} has shape {part.shape}; one score for each row is needed")
        if np.isnan(part).any():
            raise ValueError(f"{name} is nan at row {int(np.argmax(np.isnan(part)))}")
    rank = np.unique(np.concatenate(parts), return_inverse=True)[1]
    return np.repeat([1, 0], [len(part) for part in parts]), rank
