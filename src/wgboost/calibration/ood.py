"""What OOD scores are usual: a reference from rows that the model has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.calibration.folds import out_of_fold
from wgboost.metrics.checks import check_scores
from wgboost.metrics.estimates import distribution_of
from wgboost.metrics.ood import OOD_METHODS, ood_pvalue, ood_scores
from wgboost.typing import Array
from wgboost.validation import check_choice

__all__ = ["OODReference"]


@dataclass(frozen=True, eq=False)
class OODReference:
    """OOD scores of rows from the training distribution, none of them seen by their model.

    Parameters
    ----------
    scores : array (n,)
        The scores; they are kept sorted.
    method : str or None
        Of `metrics.ood_scores`; None is its default.
    """

    scores: Array
    method: str | None = None

    def __post_init__(self) -> None:
        if self.method is not None:
            check_choice("method", self.method, OOD_METHODS)
        scores = np.sort(check_scores("scores", self.scores))
        scores.flags.writeable = False  # the object is frozen, so is what it holds
        object.__setattr__(self, "scores", scores)

    def __len__(self) -> int:
        return len(self.scores)

    def pvalue(self, scores: Any) -> Array:
        """Return `metrics.ood_pvalue` of scores (n,) by the same method."""
        return ood_pvalue(scores, self.scores)

    @classmethod
    def held_out(cls, estimator: Any, X: Any, method: str | None = None) -> Self:
        """Return the scores of rows that a fitted estimator has not seen.

        p-values are then exact: uniform over rows exchangeable with these.
        """
        return cls(ood_scores(distribution_of(estimator, X), method), method)

    @classmethod
    def out_of_fold(
        cls, estimator: Any, X: Any, y: Any, *, method: str | None = None, cv: Any = 5,
        groups: Any = None, random_state: Any = None, **beside: Any,
    ) -> Self:  # fmt: skip
        """Return the scores of all rows, each by a model of a fold that has not seen it.

        Arguments as in `wgboost.calibration.out_of_fold`. p-values of a model fitted to all rows
        are nearly uniform then: that model has seen a little more than those of the folds, and is
        a little surer of new rows.
        """
        if method is not None:
            check_choice("method", method, OOD_METHODS)
        settings = {"cv": cv, "groups": groups, "random_state": random_state, **beside}
        folds = out_of_fold(estimator, X, y, **settings)
        return cls(np.concatenate([ood_scores(fold.dist(), method) for fold in folds]), method)
