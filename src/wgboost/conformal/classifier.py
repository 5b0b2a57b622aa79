"""Classification with conformal sets of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets

from wgboost.conformal.base import Conformal
from wgboost.conformal.level import check_confidence, warn_if_infinite
from wgboost.conformal.sets import SET_SCORES, scores_of_classes, sets_by_folds
from wgboost.folds import Fold
from wgboost.metrics.metadata import score_metadata
from wgboost.responses.y_checks import check_y
from wgboost.typing import Array

__all__ = ["ConformalClassifier"]

_UNMET = (
    "are of a class that their model has not met (fit it to more rows, by a smaller "
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
        estimator; `fit` then needs rows that it was not trained on. `ConformalRegressor` says what
        each guarantees.
    conformity : {"adaptive", "threshold"}, default="adaptive"
        "adaptive" adds classes in the order of their probability until the mass of those before
        exceeds a level. "threshold" takes all classes above a probability. See
        `wgboost.conformal.conformal_sets`.
    cv : int, splitter or iterable, default=5
        Folds of "cross": a number, of rows in random order or of whole groups, or a splitter of
        scikit-learn. Folds are not stratified: with equal shares of classes nothing is guaranteed.
    calibration_fraction : float, default=0.25
        Share of the rows that "split" holds out.
    random_state : int, RandomState or None, default=None
        Seed of the order of rows. The estimator has its own.

    Attributes
    ----------
    classes_ : array (k,)
        The labels, sorted, in the order of the columns of `predict_proba` and `predict_set`.
    estimators_ : list
        The models: one for each fold, or a single one.
    scores_ : list of arrays
        For each model the sorted scores of the rows that it was not trained on.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array (p,)
        Names of the features, if X had some.

    Notes
    -----
    A class of which a model was trained on no row gets an infinite score from it.

    See Also
    --------
    ConformalRegressor : Intervals.

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
        estimator: Any,
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
            unseen = np.setdiff1d(self.classes_, known)
            if unseen.size:
                raise ValueError(
                    f"y has the label {unseen.tolist()[0]!r}, which the estimator's "
                    f"{known.tolist()} do not"
                )
            self.classes_ = known

    def _scores(self, fold: Fold) -> Array:
        codes = np.searchsorted(self.classes_, np.asarray(fold.y))
        each = self._nonconformity(fold.estimator, self._shares(fold.estimator, fold.X))
        own: Array = each[np.arange(len(codes)), codes]
        return own

    def _nonconformity(self, model: Any, shares: Array) -> Array:
        """Return how odd each class is by a model's probabilities, (n, k)."""
        odd = scores_of_classes(shares, self.conformity)
        # What the model has not met is infinitely odd, in new rows as in calibration rows. By its
        # zero probability it would be too, but for rounding of the sum of all others.
        odd[:, ~np.isin(self.classes_, model.classes_)] = np.inf
        return odd

    def _shares(self, model: Any, X: Any, **predict_params: Any) -> Array:
        """Return probabilities of all classes, zero of those that a fold's model has not met."""
        shares = np.asarray(model.predict_proba(X, **predict_params), dtype=np.float64)
        every = np.zeros((len(shares), len(self.classes_)))
        every[:, np.searchsorted(self.classes_, model.classes_)] = shares
        return every

    def _tables(self, X: Any, predict_params: dict[str, Any]) -> list[Array]:
        X, given = self._given(X, predict_params)
        return [self._shares(model, X, **given) for model in self._models()]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose label is predicted.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        y : array (n,) or str
            Labels.
        sample_weight : array (n,), str or None, default=None
            Weights of the rows.

        Returns
        -------
        float
            Accuracy.
        """
        self._models()
        X, y, fit_params = score_metadata(self, X, y, sample_weight=sample_weight)
        weight = fit_params["sample_weight"]
        return float(accuracy_score(y, self.predict(X), sample_weight=weight))

    def predict_proba(self, X: Any, **predict_params: Any) -> Array:
        """Return the mean of the models' class probabilities.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        **predict_params : array (n,) or number
            What else `predict_proba` of the estimator takes.

        Returns
        -------
        array (n, k)
            Probabilities, in the order of `classes_`.
        """
        mean: Array = np.mean(self._tables(X, predict_params), axis=0)
        return mean

    def predict(self, X: Any, **predict_params: Any) -> Array:
        """Return the label that is most probable by the mean of the models.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        **predict_params : array (n,) or number
            What else `predict_proba` of the estimator takes.

        Returns
        -------
        array (n,)
            Labels.
        """
        best = self.predict_proba(X, **predict_params).argmax(axis=1)
        labels: Array = self.classes_[best]
        return labels

    def predict_set(self, X: Any, confidence: float = 0.9, **predict_params: Any) -> Array:
        """Return sets that contain the true class with at least the given probability.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        confidence : float, default=0.9
            Probability of containing the true class. With too few calibration rows all classes are
            in, and a warning says how many rows are needed; so too if too many calibration rows are
            of classes that their model was not trained on.
        **predict_params : array (n,) or number
            What else `predict_proba` of the estimator takes.

        Returns
        -------
        array (n, k) of bool
            True for the classes in the set, in the order of `classes_`. No set is empty.
        """
        check_confidence(confidence)
        tables = self._tables(X, predict_params)
        odd = [
            self._nonconformity(model, table)
            for model, table in zip(self._models(), tables, strict=True)
        ]
        warn_if_infinite(np.concatenate(self.scores_), confidence, _UNMET)
        return sets_by_folds(odd, self.scores_, confidence, np.mean(tables, axis=0))
