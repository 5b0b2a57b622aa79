"""Base class of the conformal estimators, and what they need of the model that they wrap.

Every model has `fit` and what scikit-learn's `clone` reads. For intervals it has `predict` and
`predict_dist`, for sets `predict_proba` and `classes_`. Pipelines and searches around such a model
are models, too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from wgboost.data.naming import named_columns
from wgboost.data.rows import count_rows
from wgboost.folds import Fold, held_out, out_of_fold
from wgboost.folds.splitting import check_row_counts
from wgboost.metrics.metadata import describe_metadata, drop_metadata_columns, predict_metadata
from wgboost.metrics.unwrapping import final_estimator
from wgboost.typing import Array
from wgboost.validation import AttributeHints, check_choice, check_weight

__all__ = ["METHODS", "Conformal", "KnowsTrainingRows"]

METHODS = ("cross", "split", "prefit")
"""Calibration rows are all rows by folds, a share of the rows, or all given rows."""

_MODEL_METHODS = (
    "predict_dist", "predict_particles", "predict_uncertainty", "predict_quantiles", "predict_band",
    "predict_support", "explain_support", "predict_table", "apply", "sample", "decide", "calibrate",
    "calibrate_ood", "ood_score", "ood_pvalue", "staged_predict", "staged_predict_dist",
    "staged_predict_particles", "staged_predict_proba", "n_estimators_", "feature_importances_",
)  # fmt: skip


@runtime_checkable
class KnowsTrainingRows(Protocol):
    """A model that recognises its training rows. All estimators of this package are such models.

    With method="prefit" these models warn of rows that cannot be used for calibration.
    """

    def warn_trained(self, X: Any, y: Any, remedy: str, stacklevel: int) -> None:
        """Warn if many of the rows are training rows; y is None to compare features only."""


class Conformal(AttributeHints, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the conformal estimators."""

    _hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(_MODEL_METHODS, "use one of the fitted models in estimators_"),
        "save": "use pickle or joblib, or save each of the models in estimators_",
    }

    _needs: ClassVar[str]
    """Method of the estimator that makes predictions."""
    _known_scores: ClassVar[Iterable[str]]

    # Set by the `__init__` of subclasses.
    estimator: BaseEstimator
    method: str
    conformity: str
    cv: Any
    calibration_fraction: float
    random_state: Any

    def _prepare(self, y: Any) -> None:
        """Learn what all folds share, such as the classes; raise if y cannot be scored."""

    @abstractmethod
    def _scores(self, fold: Fold) -> Array:
        """Return the nonconformity scores (n,) of the rows of a fold."""

    # Metadata that is routed by default, as for the estimators themselves.
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
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features. With method="prefit" the estimator must not have been trained on any of the
            rows.
        y : array-like of shape (n,) or str
            Outcomes. Like all following parameters it may be the name of a column of X.
        sample_weight : array-like of shape (n,), str or None, default=None
            Weights for the estimator. All rows of positive weight count alike in calibration:
            coverage is guaranteed for rows exchangeable with them.
        groups : array-like of shape (n,), str or None, default=None
            Group labels. The rows of a group stay together in a fold. They are not exchangeable,
            so coverage is then not guaranteed.
        offset : array-like of shape (n,), str or None, default=None
            Offset for the estimator. Predictions then need one too.
        exposure : array-like of shape (n,), str or None, default=None
            Exposure for the estimator. Predictions then need one too.
        y_std : array-like of shape (n,), float, str or None, default=None
            Known standard deviation of the measurement error of y.
        **fit_params : array-like of shape (n,) or float
            Further parameters of `fit` of the estimator.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import ConformalRegressor, WGBRegressor
        >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
        >>> plain = WGBRegressor(n_estimators=2, early_stopping=False)
        >>> model = ConformalRegressor(plain, cv=2, random_state=0).fit(X, y)
        >>> [scores.size for scores in model.scores_]
        [20, 20]
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
        check_row_counts(X, y)
        before = dict(self.__dict__)
        try:
            self._fit(X, y, groups, fit_params)
            self.row_parameters_ = describe_metadata(given, names)
        except BaseException:  # an error leaves the estimator unchanged
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
            if hasattr(self.estimators_[0], name):  # models of other libraries may lack them
                setattr(self, name, getattr(self.estimators_[0], name))

    def _folds(self, X: Any, y: Any, groups: Any, fit_params: dict[str, Any]) -> Iterable[Fold]:
        if self.method == "prefit":
            known = {name: value for name, value in fit_params.items() if value is not None}
            if isinstance(self.estimator, KnowsTrainingRows):
                check_is_fitted(self.estimator)
                # Of classes only features are compared: labels may be new to the estimator.
                known_y = None if is_classifier(self.estimator) else np.asarray(y)
                self.estimator.warn_trained(X, known_y, 'method="cross"', 4)
            rows, none = np.arange(count_rows(X)), np.arange(0)
            return [Fold(self.estimator, rows, none, X, y, known)]
        settings = {"groups": groups, "random_state": self.random_state, **fit_params}
        if self.method == "split":
            return [held_out(self.estimator, X, y, fraction=self.calibration_fraction, **settings)]
        # A generator: rows that cannot be scored raise after the first fit. Stratified folds would
        # not be exchangeable with new rows.
        return out_of_fold(self.estimator, X, y, cv=self.cv, stratified=False, **settings)

    def _predict_params(self, X: Any, fit_params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the features and the values of parameters that may be names of columns of X."""
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
