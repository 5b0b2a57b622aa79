"""Base class of the conformal estimators."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from wgboost.data import named_columns
from wgboost.data.rows import count_rows
from wgboost.folds import Fold, held_out, out_of_fold
from wgboost.folds.splitting import checked_rows
from wgboost.metrics.metadata import describe_metadata, drop_metadata_columns, predict_metadata
from wgboost.metrics.unwrapping import final_estimator
from wgboost.typing import Array
from wgboost.validation import AttributeHints, check_choice, check_weight

__all__ = ["METHODS", "Conformal"]

METHODS = ("cross", "split", "prefit")
"""Where calibration rows come from: all rows by folds, a share of the rows, all that are given."""


_OF_MODELS = (
    "predict_dist", "predict_particles", "predict_uncertainty", "predict_quantiles",
    "sample", "decide", "calibrate", "calibrate_ood", "ood_score", "ood_pvalue", "staged_predict",
    "staged_predict_dist", "staged_predict_particles", "staged_predict_proba", "n_estimators_",
    "feature_importances_",
)  # fmt: skip


class Conformal(AttributeHints, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the conformal estimators."""

    _hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(_OF_MODELS, "the models that it has fitted do: take one of estimators_"),
        "save": "pickle or joblib keeps it, and each of the models in estimators_ can be saved",
    }

    _needs: ClassVar[str]
    """The method of the estimator that predictions are made with."""
    _known_scores: ClassVar[Iterable[str]]

    # What a subclass is given by its `__init__`.
    estimator: Any
    method: str
    conformity: str
    cv: Any
    calibration_fraction: float
    random_state: Any

    def _prepare(self, y: Any) -> None:
        """Learn what all folds have in common, such as classes; raise for what has no scores."""

    @abstractmethod
    def _scores(self, fold: Fold) -> Array:
        """Return how odd y of each of the fold's rows is, (n,)."""

    # What metadata routing hands over unless told otherwise, as to the estimators themselves.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
    }

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None,
        offset: Any = None, exposure: Any = None, y_std: Any = None, **fit_params: Any,
    ) -> Self:  # fmt: skip
        """Fit the models and score the rows that they were not trained on.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features. With method="prefit" none of the rows may have been used to fit the estimator.
        y : array (n,) or str
            Outcomes. As all parameters that follow, it may be the name of a column of X.
        sample_weight : array (n,), str or None, default=None
            Weights for the estimator. In calibration all rows of positive weight count alike:
            coverage is guaranteed for rows exchangeable with them.
        groups : array (n,), str or None, default=None
            Labels of groups, whose rows stay together in a fold. Rows of a group are not
            exchangeable, so coverage is then not guaranteed.
        offset : array (n,), str or None, default=None
            Offset for the estimator; predictions then need it too.
        exposure : array (n,), str or None, default=None
            Exposure for the estimator; predictions then need it too.
        y_std : array (n,), float, str or None, default=None
            Known standard deviation of the error of y.
        **fit_params : array (n,) or number
            What else `fit` of the estimator takes by row.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_choice("method", self.method, METHODS)
        check_choice("conformity", self.conformity, self._known_scores)
        final_estimator(self.estimator, self._needs)
        given = {
            "y": y, "groups": groups, "sample_weight": sample_weight, "offset": offset,
            "exposure": exposure, "y_std": y_std, **fit_params,
        }  # fmt: skip
        if self.method == "prefit" and y is not None:
            given |= predict_metadata(final_estimator(self.estimator, self._needs), X, given)
        X, fit_params, names = named_columns(X, given)
        y, groups = fit_params.pop("y"), fit_params.pop("groups")
        if np.asarray(y).shape[1:] == (1,):
            y = column_or_1d(y, warn=True)
        checked_rows(X, y)
        before = dict(self.__dict__)
        try:
            self._fit(X, y, groups, fit_params)
            self.row_parameters_ = describe_metadata(given, names)
        except BaseException:  # what raises leaves the estimator as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, y: Any, groups: Any, fit_params: dict[str, Any]) -> None:
        self._prepare(y)
        folds = self._folds(X, y, groups, fit_params)
        self.estimators_: list[Any] = []
        self.scores_: list[Array] = []
        for fold in folds:
            scores, weight = self._scores(fold), fold.fit_params.get("sample_weight")
            if weight is not None:
                scores = scores[np.asarray(check_weight(weight, len(scores))) > 0]
            self.estimators_.append(fold.estimator)
            self.scores_.append(np.sort(scores))
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))

    def _folds(self, X: Any, y: Any, groups: Any, fit_params: dict[str, Any]) -> Iterable[Fold]:
        if self.method == "prefit":
            known = {name: value for name, value in fit_params.items() if value is not None}
            if hasattr(self.estimator, "warn_trained"):
                check_is_fitted(self.estimator)
                # Of classes the features alone: labels may be new to the estimator.
                known_y = None if hasattr(self.estimator, "classes_") else np.asarray(y)
                self.estimator.warn_trained(X, known_y, 'method="cross"', 4)
            rows, none = np.arange(count_rows(X)), np.arange(0)
            return [Fold(self.estimator, rows, none, X, y, known)]
        settings = {"groups": groups, "random_state": self.random_state, **fit_params}
        if self.method == "split":
            return [held_out(self.estimator, X, y, fraction=self.calibration_fraction, **settings)]
        # One after the other: what cannot be scored is found out with the first. By chance alone:
        # folds of equal shares of classes are not exchangeable with new rows.
        return out_of_fold(self.estimator, X, y, cv=self.cv, stratified=False, **settings)

    def _given(self, X: Any, fit_params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return X and what else predictions take, by name of a column perhaps."""
        self._models()
        X, known, _ = named_columns(X, fit_params)
        given = {name: value for name, value in known.items() if value is not None}
        return drop_metadata_columns(self, X), given

    def _models(self) -> list[Any]:
        """Return the fitted models."""
        check_is_fitted(self, "estimators_")
        return self.estimators_

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags
