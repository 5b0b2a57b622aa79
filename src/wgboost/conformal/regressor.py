"""Regression with conformal intervals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.metrics import r2_score

from wgboost.conformal.base import Conformal
from wgboost.conformal.interval_scores import INTERVAL_SCORES
from wgboost.conformal.intervals import cross_conformal_interval, interval_scores
from wgboost.conformal.level import check_conformal_confidence
from wgboost.folds import Fold
from wgboost.metrics.metadata import score_metadata
from wgboost.metrics.unwrapping import final_estimator, predict_dist
from wgboost.responses.censoring import is_censored
from wgboost.typing import Array

__all__ = ["ConformalRegressor"]


class ConformalRegressor(RegressorMixin, Conformal):  # type: ignore[misc]
    """Predict intervals that cover y with a given probability.

    Coverage holds for any model; a bad one gets wide intervals. The widths differ between rows as
    the predictive distributions do.

    Parameters
    ----------
    estimator : estimator or pipeline
        An estimator with `predict_dist`, such as `WGBRegressor`, or a pipeline that ends with one.
    method : {"cross", "split", "prefit"}, default="cross"
        "cross" is CV+ with the models of `cv` folds, so that every row both trains and calibrates.
        It covers y with a probability of at least 1 - 2 alpha, less a little (see
        `wgboost.conformal.cross_conformal_interval`), and about 1 - alpha in practice. "split" fits
        one model without `calibration_fraction` of the rows and covers with at least 1 - alpha.
        "prefit" takes a fitted estimator; `fit` then needs rows that it was not trained on, and the
        guarantee is that of "split".
    conformity : {"cdf", "scaled"}, default="cdf"
        Intervals between quantiles of the predictive distribution, or the mean plus and minus a
        number of its standard deviations; see `wgboost.conformal.conformal_interval`.
    cv : int, splitter or iterable, default=5
        Number of folds for "cross", of shuffled rows or whole groups, or a scikit-learn splitter.
    calibration_fraction : float, default=0.25
        Share of the rows held out by "split".
    random_state : int, RandomState or None, default=None
        Seed of the shuffle. The estimator has its own.

    Attributes
    ----------
    estimators_ : list
        The models: one for each fold, or a single one.
    scores_ : list of ndarray
        Sorted scores, for each model, of the rows that it was not trained on.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (p,)
        Names of the features, if X had some.

    See Also
    --------
    ConformalClassifier : Sets of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import ConformalRegressor, WGBRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (100, 2))
    >>> y = X[:, 0] + 0.1 * rng.standard_normal(100)
    >>> plain = WGBRegressor(n_estimators=10, n_particles=3, early_stopping=True, random_state=0)
    >>> model = ConformalRegressor(plain, method="split", random_state=0).fit(X, y)
    >>> model.predict_interval(X[:3], confidence=0.8).shape
    (3, 2)
    """

    __metadata_request__predict: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}
    _needs = "predict_dist"
    _known_scores = INTERVAL_SCORES

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        method: str = "cross",
        conformity: str = "cdf",
        cv: Any = 5,
        calibration_fraction: float = 0.25,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.conformity = conformity
        self.cv = cv
        self.calibration_fraction = calibration_fraction
        self.random_state = random_state

    def _prepare(self, y: Any) -> None:
        if is_classifier(final_estimator(self.estimator)):
            raise ValueError("classes have no intervals; use ConformalClassifier")
        if is_censored(y):
            raise ValueError(
                "censored y cannot be scored; give rows whose y is known, or fit the estimator to "
                'all rows and calibrate with known ones and method="prefit"'
            )
        shape = np.asarray(y).shape
        if len(shape) > 1:
            raise ValueError(
                f"y has shape {shape}; intervals are for one column: fit a model for each column"
            )

    def _scores(self, fold: Fold) -> Array:
        return interval_scores(fold.dist(), fold.y, self.conformity)

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None, **predict_params: Any
    ) -> Array:
        """Predict y, as a mean over the models.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        offset : array-like of shape (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array-like of shape (n,), str or None, default=None
            Exposure, as in `fit`.
        **predict_params : array-like of shape (n,) or float
            Further parameters of `predict` of the estimator.

        Returns
        -------
        ndarray of shape (n,)
            Predictions.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import ConformalRegressor, WGBRegressor
        >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
        >>> plain = WGBRegressor(n_estimators=2, early_stopping=False)
        >>> model = ConformalRegressor(plain, cv=2, random_state=0).fit(X, y)
        >>> model.predict(X[:3]).shape
        (3,)
        """
        known = {"offset": offset, "exposure": exposure, **predict_params}
        X, given = self._predict_params(X, known)
        mean: Array = np.mean([model.predict(X, **given) for model in self._models()], axis=0)
        return mean

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> float:  # fmt: skip
        """Compute the coefficient of determination R^2 of `predict`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        y : array-like of shape (n,) or str
            Outcomes.
        sample_weight : array-like of shape (n,), str or None, default=None
            Weights of the rows.
        offset : array-like of shape (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array-like of shape (n,), str or None, default=None
            Exposure, as in `fit`.

        Returns
        -------
        float
            R^2, at most 1.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import ConformalRegressor, WGBRegressor
        >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
        >>> plain = WGBRegressor(n_estimators=20, early_stopping=False)
        >>> ConformalRegressor(plain, cv=2, random_state=0).fit(X, y).score(X, y) > 0
        True
        """
        self._models()
        given = {"sample_weight": sample_weight, "offset": offset, "exposure": exposure}
        X, y, fit_params = score_metadata(self, X, y, **given)
        weight = fit_params.pop("sample_weight")
        return float(r2_score(y, self.predict(X, **fit_params), sample_weight=weight))

    def predict_interval(
        self, X: Any, confidence: float = 0.9, *, offset: Any = None, exposure: Any = None,
        **predict_params: Any,
    ) -> Array:  # fmt: skip
        """Predict intervals that cover y with at least the given probability.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        confidence : float, default=0.9
            Probability of covering y. With too few calibration rows the interval is the whole
            support of y, and a warning says how many rows are needed.
        offset : array-like of shape (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array-like of shape (n,), str or None, default=None
            Exposure, as in `fit`.
        **predict_params : array-like of shape (n,) or float
            Further parameters of `predict_dist` of the estimator.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import ConformalRegressor, WGBRegressor
        >>> X, y = np.arange(40.0)[:, None], np.arange(40.0)
        >>> plain = WGBRegressor(n_estimators=2, early_stopping=False)
        >>> model = ConformalRegressor(plain, cv=2, random_state=0).fit(X, y)
        >>> low, high = model.predict_interval(X, confidence=0.9).T
        >>> bool(np.mean((low <= y) & (y <= high)) >= 0.9)
        True
        """
        check_conformal_confidence(confidence)
        known = {"offset": offset, "exposure": exposure, **predict_params}
        X, given = self._predict_params(X, known)
        dists = [predict_dist(model, X, **given) for model in self._models()]
        ends = cross_conformal_interval(dists, self.scores_, confidence, conformity=self.conformity)
        return np.stack(ends, axis=1)
