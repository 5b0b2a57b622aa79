"""Reference OOD scores from rows that the model was not trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from wgboost.data.rows import take_rows
from wgboost.folds import out_of_fold
from wgboost.folds.splitting import check_row_counts
from wgboost.metrics.checks import check_scores
from wgboost.metrics.ood import OOD_METHODS, ood_pvalue
from wgboost.metrics.unwrapping import model_with, unwrap
from wgboost.typing import Array
from wgboost.validation import check_choice, check_weight

__all__ = ["OODReference", "aligned_scores"]


@dataclass(frozen=True, eq=False)
class OODReference:
    """Hold OOD scores of rows from the training distribution, by models not trained on them.

    Parameters
    ----------
    scores : array-like of shape (n,)
        The scores; they are kept sorted.
    method : str or None, default=None
        Method of `ood_score`; None is its default.

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
        scores.flags.writeable = False  # the object is frozen, and so are its scores
        object.__setattr__(self, "scores", scores)

    def __len__(self) -> int:
        return len(self.scores)

    def pvalue(self, scores: Any) -> Array:
        """Compute the p-values of scores.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores by the same method.

        Returns
        -------
        ndarray of shape (n,)
            Share of reference rows with at least such a score; see `wgboost.metrics.ood_pvalue`.

        Examples
        --------
        >>> from wgboost import OODReference
        >>> OODReference([0.3, 0.1, 0.2]).pvalue([0.15, 0.5])
        array([0.75, 0.25])
        """
        return ood_pvalue(scores, self.scores)

    @classmethod
    def held_out(cls, estimator: BaseEstimator, X: Any, method: str | None = None) -> Self:
        """Compute the scores of rows that a fitted estimator was not trained on.

        p-values are then exact: uniform over rows exchangeable with these.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator with `ood_score`.
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features of rows that it was not trained on.
        method : str or None, default=None
            Method of `ood_score`; None is its default.

        Returns
        -------
        OODReference
            The scores.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import OODReference, WGBRegressor
        >>> X, y = np.arange(20.0)[:, None], np.arange(20.0)
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X[:10], y[:10])
        >>> len(OODReference.held_out(model, X[10:]))
        10
        """
        return cls(_scores(estimator, X, method), method)

    @classmethod
    def out_of_fold(
        cls, estimator: BaseEstimator, X: Any, y: Any, *, method: str | None = None, cv: Any = 5,
        groups: Any = None, random_state: Any = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Compute the scores of the training rows, each by a model fitted without its fold.

        Models of different folds disagree on different scales, so scores of disagreement alone are
        mapped to the scale of the estimator. p-values are then nearly uniform. Rows of weight zero
        are left out.

        Parameters
        ----------
        estimator : estimator
            An estimator with `ood_score`, fitted to the rows of X.
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        y : array-like of shape (n,)
            Outcomes.
        method : str or None, default=None
            Method of `ood_score`; None is its default.
        cv : int, splitter or iterable, default=5
            Folds, as in `wgboost.folds.out_of_fold`.
        groups : array-like of shape (n,) or None, default=None
            Group labels. The rows of a group stay together.
        random_state : int, RandomState or None, default=None
            Seed of the shuffle.
        **fit_params : array-like of shape (n,) or float
            Further parameters of `fit`.

        Returns
        -------
        OODReference
            The scores.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import OODReference, WGBRegressor
        >>> X, y = np.arange(20.0)[:, None], np.arange(20.0)
        >>> model = WGBRegressor(n_estimators=2, early_stopping=False).fit(X, y)
        >>> len(OODReference.out_of_fold(model, X, y, cv=2))
        20
        """
        if method is not None:
            check_choice("method", method, OOD_METHODS)

        settings = {"cv": cv, "groups": groups, "random_state": random_state, **fit_params}
        n, weight = check_row_counts(X, y), fit_params.get("sample_weight")
        weight = np.ones(n) if weight is None else np.asarray(check_weight(weight, n))
        rows = np.flatnonzero(weight)

        aligned = _of_disagreement(estimator, method)
        own = _scores(estimator, take_rows(X, rows), method) if aligned else np.empty(0)
        scores = []
        for fold in out_of_fold(estimator, X, y, **settings):
            test = fold.take(np.flatnonzero(np.isin(fold.rows, rows)))
            if test.rows.size:
                test_scores = _scores(fold.estimator, test.X, method)
                if aligned:
                    common = np.isin(rows, fold.train_rows)
                    train_scores = _scores(fold.estimator, take_rows(X, rows[common]), method)
                    test_scores = aligned_scores(test_scores, train_scores, own[common])
                scores.append(test_scores)
        return cls(np.concatenate(scores), method)


def _of_disagreement(estimator: BaseEstimator, method: str | None) -> bool:
    """Whether a score knows nothing of the distance of rows from the training rows."""
    model: Any = unwrap(estimator)[0]
    return method in OOD_METHODS[4:] or (method is None and not model.model_.knows_support)


def _scores(estimator: BaseEstimator, X: Any, method: str | None) -> Array:
    """Return the OOD scores of rows by the model inside of scikit-learn's wrappers."""
    model, X, _ = unwrap(estimator, X)
    scores: Array = model_with(model, "ood_score").ood_score(X, method)
    return scores


def aligned_scores(scores: Any, fold_scores: Any, model_scores: Any) -> Array:
    """Return scores by the model of a fold (n,) on the scale of another model, by rank.

    `fold_scores` and `model_scores` (k,) are scores by the two models of rows that are training
    rows of both, or of neither. The k-th smallest score of the one corresponds to the k-th smallest
    of the other. The map is linear between these and proportional beyond the largest.
    """
    values = check_scores("scores", scores)
    known, wanted = (
        np.sort(check_scores(name, given))
        for name, given in (("fold_scores", fold_scores), ("model_scores", model_scores))
    )
    if known.size != wanted.size:
        raise ValueError(f"fold_scores has {known.size} rows, model_scores {wanted.size}")
    inside: Array = np.interp(values, known, wanted)
    last = known[-1]
    return np.where((values > last) & (last > 0), values / max(last, 1e-300) * wanted[-1], inside)
