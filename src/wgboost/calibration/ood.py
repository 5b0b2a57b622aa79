"""Reference OOD scores from rows that the model was not trained on."""

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
    """Hold OOD scores of ordinary rows, none of them seen by their model.

    Parameters
    ----------
    scores : array (n,)
        The scores; they are kept sorted.
    method : str or None, default=None
        Method of `wgboost.metrics.ood_scores`; None is its default.

    Examples
    --------
    >>> from wgboost import OODReference
    >>> reference = OODReference([0.3, 0.1, 0.2])
    >>> reference.scores
    array([0.1, 0.2, 0.3])
    >>> reference.pvalue([0.15, 0.5])
    array([0.75, 0.25])
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
        """Return the p-values of scores.

        Parameters
        ----------
        scores : array (n,)
            Scores by the same method.

        Returns
        -------
        array (n,)
            Share of ordinary rows with at least such a score; see `wgboost.metrics.ood_pvalue`.
        """
        return ood_pvalue(scores, self.scores)

    @classmethod
    def held_out(cls, estimator: Any, X: Any, method: str | None = None) -> Self:
        """Return the scores of rows that a fitted estimator was not trained on.

        p-values are then exact: uniform over rows exchangeable with these.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator with `predict_dist`.
        X : array, data frame or sparse matrix (n, p)
            Features of rows that it was not trained on.
        method : str or None, default=None
            Method of `wgboost.metrics.ood_scores`; None is its default.

        Returns
        -------
        OODReference
            The scores.
        """
        return cls(ood_scores(predict_dist(estimator, X, calibrated=False), method), method)

    @classmethod
    def out_of_fold(
        cls, estimator: Any, X: Any, y: Any, *, method: str | None = None, cv: Any = 5,
        groups: Any = None, random_state: Any = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Return the scores of the training rows, each by a model of a fold that has not seen it.

        The scores of folds are brought to the scale of the estimator's by `aligned_scores`.
        p-values are then nearly uniform. Rows of weight zero are left out.

        Parameters
        ----------
        estimator : estimator
            An estimator with `predict_dist`, fitted to these very rows.
        X : array, data frame or sparse matrix (n, p)
            Features.
        y : array (n,)
            Outcomes.
        method : str or None, default=None
            Method of `wgboost.metrics.ood_scores`; None is its default.
        cv : int, splitter or iterable, default=5
            Folds, as in `wgboost.folds.out_of_fold`.
        groups : array (n,) or None, default=None
            Labels of groups, whose rows stay together.
        random_state : int, RandomState or None, default=None
            Seed of the order of rows.
        **fit_params : array (n,) or number
            What `fit` takes besides X and y.

        Returns
        -------
        OODReference
            The scores.
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

        Parameters
        ----------
        folds : iterable of Fold
            Models with the rows that they were not trained on.
        X : array, data frame or sparse matrix (n, p)
            Features of all rows.
        dist : Mixture
            Distributions of the other model for the rows of X.
        method : str or None, default=None
            Method of `wgboost.metrics.ood_scores`; None is its default.
        rows : array or None, default=None
            Indices of the rows that `dist` is about; None is all of them.

        Returns
        -------
        OODReference
            The scores.
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
    """Return the scores of one model as another model would have given them, by rank.

    Models of different folds have spreads of different size. For rows that both models know equally
    well, the k-th smallest score of the one corresponds to the k-th smallest score of the other.
    Between these the map is linear, and beyond the largest it is proportional.

    Parameters
    ----------
    scores : array (n,)
        Scores by a fold's model, of rows that it was not trained on.
    seen_by_fold : array (k,)
        Scores by the same model, of rows that both models were trained on, or neither.
    seen_by_model : array (k,)
        Scores by the other model, of the same rows.

    Returns
    -------
    array (n,)
        The aligned scores.

    Examples
    --------
    >>> from wgboost.calibration import aligned_scores
    >>> aligned_scores([1.5, 4.0], [1.0, 2.0], [10.0, 20.0])
    array([15., 40.])
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
