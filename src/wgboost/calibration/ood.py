"""What OOD scores are usual: a reference from rows that the model has not seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wgboost.data.rows import take_rows
from wgboost.folds import Fold, out_of_fold
from wgboost.folds.splitting import checked_rows
from wgboost.metrics.checks import check_scores
from wgboost.metrics.ood import OOD_METHODS, ood_pvalue, ood_scores
from wgboost.metrics.unwrapping import predict_dist
from wgboost.predictive import Mixture
from wgboost.typing import Array
from wgboost.validation import check_choice, check_weight

__all__ = ["OODReference", "aligned_scores"]


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
        return cls(ood_scores(predict_dist(estimator, X, calibrated=False), method), method)

    @classmethod
    def out_of_fold(
        cls, estimator: Any, X: Any, y: Any, *, method: str | None = None, cv: Any = 5,
        groups: Any = None, random_state: Any = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Return the scores of rows, each by a model of a fold that has not seen it.

        `estimator` is fitted to these very rows; other arguments as in
        `wgboost.folds.out_of_fold`. Scores of folds are brought to the scale of the
        estimator's by `aligned_scores`. Its p-values are then nearly uniform. Rows of weight zero
        are not among them.
        """
        if method is not None:
            check_choice("method", method, OOD_METHODS)

        settings = {"cv": cv, "groups": groups, "random_state": random_state, **fit_params}
        n, weight = checked_rows(X, y), fit_params.get("sample_weight")
        weight = np.ones(n) if weight is None else np.asarray(check_weight(weight, n))
        counted = np.flatnonzero(weight)
        folds = (
            fold.take(np.flatnonzero(np.isin(fold.rows, counted)))
            for fold in out_of_fold(estimator, X, y, **settings)
        )
        dist = predict_dist(estimator, take_rows(X, counted), calibrated=False)
        return cls.of_folds(folds, X, dist, method, counted)

    @classmethod
    def of_folds(
        cls, folds: Iterable[Fold], X: Any, dist: Mixture, method: str | None = None,
        rows: Any = None,
    ) -> Self:  # fmt: skip
        """Return the scores of the rows of folds, on the scale of another model's.

        `dist` are the other model's distributions of the rows of X, which the folds are of: all of
        them, or those with the indices `rows`, which are enough to know its scale by.
        """

        def scores_by(model: Any, rows: Any) -> Array:
            return ood_scores(predict_dist(model, rows, calibrated=False), method)

        own, scores = ood_scores(dist, method), []
        known = np.arange(own.size) if rows is None else np.asarray(rows)
        for fold in folds:
            if not fold.rows.size:
                continue
            both = np.isin(known, fold.seen)
            seen = scores_by(fold.estimator, take_rows(X, known[both]))
            scores.append(aligned_scores(scores_by(fold.estimator, fold.X), seen, own[both]))
        return cls(np.concatenate(scores), method)


def aligned_scores(scores: Any, seen_by_fold: Any, seen_by_model: Any) -> Array:
    """Return scores (n,) of one model as another would have given them, as far as ranks tell.

    Models of different folds have spreads of different size. Of rows that are the same to both, the
    k-th smallest of their scores by the one corresponds to the k-th smallest by the other; in
    between along lines, and beyond the largest in proportion.

    Parameters
    ----------
    scores
        By a fold's model, of rows that it has not seen.
    seen_by_fold, seen_by_model
        By that model and by the other one, of rows that both have seen, or neither.
    """
    values = check_scores("scores", scores)
    known, wanted = (
        np.sort(check_scores(name, given))
        for name, given in (("seen_by_fold", seen_by_fold), ("seen_by_model", seen_by_model))
    )
    if known.size != wanted.size:
        raise ValueError(f"{known.size} rows seen by one model, {wanted.size} by the other")
    inside: Array = np.interp(values, known, wanted)
    last = known[-1]
    return np.where((values > last) & (last > 0), values / max(last, 1e-300) * wanted[-1], inside)
