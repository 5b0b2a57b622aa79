"""Classification with conformal sets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets

from wgboost.conformal.base import Conformal
from wgboost.conformal.level import check_conformal_confidence, warn_if_infinite
from wgboost.conformal.sets import SET_SCORES, scores_of_classes, sets_by_folds
from wgboost.folds import Fold
from wgboost.metrics.metadata import score_metadata
from wgboost.responses.y_checks import check_y
from wgboost.typing import Array

__all__ = ["ConformalClassifier"]

_UNKNOWN_CLASS = (
    "are of a class that their model was not trained on (fit it to more rows, by a smaller "
    "calibration_fraction or more folds)"
)


class ConformalClassifier(ClassifierMixin, Conformal):  # type: ignore[misc]
    """Predict sets of classes that contain the true class with a given probability.

    Parameters
    ----------
    estimator : estimator or pipeline
        A classifier with `predict_proba`, such as `WGBClassifier`.
    method : {"cross", "split", "prefit"}, default="cross"
        "cross" is CV+ with the models of `cv` folds, so that every row both trains and calibrates.
        "split" fits one model without `calibration_fraction` of the rows. "prefit" takes a fitted
        estimator; `fit` then needs rows that it was not trained on. See `ConformalRegressor` for
        the guarantees.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        "adaptive" adds classes in the order of their probability until their sum exceeds a level.
        "threshold" takes all classes above a probability. See
        `wgboost.conformal.conformal_sets`.
    cv : int, splitter or iterable, default=5
        Number of folds for "cross", of shuffled rows or whole groups, or a scikit-learn splitter.
        Folds are not stratified, because stratified folds have no guarantee.
    calibration_fraction : float, default=0.25
        Share of the rows held out by "split".
    random_state : int, RandomState or None, default=None
        Seed of the shuffle. The estimator has its own.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted, in the order of the columns of `predict_proba` and `predict_set`.
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
    ConformalRegressor : Intervals.

    Notes
    -----
    A class that is missing from the training rows of a model gets an infinite score from it.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import ConformalClassifier, WGBClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (100, 2))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> plain = WGBClassifier(n_estimators=10, n_particles=3, early_stopping=True, random_state=0)
    >>> model = ConformalClassifier(plain, method="split", random_state=0).fit(X, y)
    >>> model.predict_set(X[:3], confidence=0.8).shape
    (3, 2)
    """

    _needs = "predict_proba"
    _known_scores = SET_SCORES

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        method: str = "cross",
        conformity: str = "adaptive",
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
        labels = np.asarray(y)
        if labels.dtype.kind == "f":
            check_y(labels)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if self.method == "prefit":
            known = np.asarray(self.estimator.classes_)
            unknown = np.setdiff1d(self.classes_, known)
            if unknown.size:
                raise ValueError(
                    f"y has the label {unknown.tolist()[0]!r}, which is not among the classes of "
                    f"the estimator, {known.tolist()}"
                )
            self.classes_ = known

    def _scores(self, fold: Fold) -> Array:
        codes = np.searchsorted(self.classes_, np.asarray(fold.y))
        each = self._nonconformity(fold.estimator, self._probabilities(fold.estimator, fold.X))
        own: Array = each[np.arange(len(codes)), codes]
        return own

    def _nonconformity(self, model: BaseEstimator, probabilities: Array) -> Array:
        """Return the score of every class by the probabilities of a model, (n, k)."""
        scores = scores_of_classes(probabilities, self.conformity)
        # Classes without training rows. Their probability is zero, but the score is not exactly
        # the largest because the probabilities of all others are rounded.
        scores[:, ~np.isin(self.classes_, model.classes_)] = np.inf
        return scores

    def _probabilities(self, model: BaseEstimator, X: Any, **predict_params: Any) -> Array:
        """Return the probabilities of all classes, zero for those without training rows."""
        known = np.asarray(model.predict_proba(X, **predict_params), dtype=np.float64)
        probabilities = np.zeros((len(known), len(self.classes_)))
        probabilities[:, np.searchsorted(self.classes_, model.classes_)] = known
        return probabilities

    def _model_probabilities(self, X: Any, predict_params: dict[str, Any]) -> list[Array]:
        """Return the probabilities (n, k) by each model."""
        X, given = self._predict_params(X, predict_params)
        return [self._probabilities(model, X, **given) for model in self._models()]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the accuracy of `predict`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        y : array-like of shape (n,) or str
            Labels.
        sample_weight : array-like of shape (n,), str or None, default=None
            Weights of the rows.

        Returns
        -------
        float
            Share of rows whose label is predicted.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from wgboost import ConformalClassifier
        >>> X = np.arange(20.0)[:, None]
        >>> model = ConformalClassifier(GaussianNB(), cv=2, random_state=0).fit(X, X[:, 0] > 9)
        >>> model.score([[0.0], [19.0]], [False, True])
        1.0
        """
        self._models()
        X, y, fit_params = score_metadata(self, X, y, sample_weight=sample_weight)
        weight = fit_params["sample_weight"]
        return float(accuracy_score(y, self.predict(X), sample_weight=weight))

    def predict_proba(self, X: Any, **predict_params: Any) -> Array:
        """Predict class probabilities, as a mean over the models.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        **predict_params : array-like of shape (n,) or float
            Further parameters of `predict_proba` of the estimator.

        Returns
        -------
        ndarray of shape (n, k)
            Probabilities, in the order of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from wgboost import ConformalClassifier
        >>> X = np.arange(20.0)[:, None]
        >>> model = ConformalClassifier(GaussianNB(), cv=2, random_state=0).fit(X, X[:, 0] > 9)
        >>> model.predict_proba([[0.0], [19.0]]).round(2)
        array([[1., 0.],
               [0., 1.]])
        """
        mean: Array = np.mean(self._model_probabilities(X, predict_params), axis=0)
        return mean

    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Predict the label with the largest mean probability over the models.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        **predict_params : array-like of shape (n,) or float
            Further parameters of `predict_proba` of the estimator.

        Returns
        -------
        ndarray of shape (n,)
            Labels.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from wgboost import ConformalClassifier
        >>> X = np.arange(20.0)[:, None]
        >>> model = ConformalClassifier(GaussianNB(), cv=2, random_state=0).fit(X, X[:, 0] > 9)
        >>> model.predict([[0.0], [19.0]])
        array([False,  True])
        """
        best = self.predict_proba(X, **predict_params).argmax(axis=1)
        labels: Array = self.classes_[best]
        return labels

    def predict_set(self, X: Any, confidence: float = 0.9, **predict_params: Any) -> Array:
        """Predict sets that contain the true class with at least the given probability.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, p)
            Features.
        confidence : float, default=0.9
            Probability of containing the true class. With too few calibration rows the sets have
            all classes, and a warning says how many rows are needed. The same happens if too many
            calibration rows are of classes that their model was not trained on.
        **predict_params : array-like of shape (n,) or float
            Further parameters of `predict_proba` of the estimator.

        Returns
        -------
        ndarray of bool, shape (n, k)
            True for the classes in the set, in the order of `classes_`. No set is empty.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from wgboost import ConformalClassifier
        >>> X = np.arange(20.0)[:, None]
        >>> model = ConformalClassifier(GaussianNB(), cv=2, random_state=0).fit(X, X[:, 0] > 9)
        >>> model.predict_set([[0.0], [19.0]], confidence=0.8)
        array([[ True, False],
               [False,  True]])
        """
        check_conformal_confidence(confidence)
        probabilities = self._model_probabilities(X, predict_params)
        scores = [
            self._nonconformity(model, of_model)
            for model, of_model in zip(self._models(), probabilities, strict=True)
        ]
        warn_if_infinite(np.concatenate(self.scores_), confidence, _UNKNOWN_CLASS)
        return sets_by_folds(scores, self.scores_, confidence, np.mean(probabilities, axis=0))
