"""Regression with conformal intervals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from wgboost.conformal.base import Conformal
from wgboost.conformal.interval_scores import INTERVAL_SCORES
from wgboost.conformal.intervals import cross_conformal_interval, interval_scores
from wgboost.conformal.level import check_confidence
from wgboost.folds import Fold
from wgboost.metrics.metadata import score_metadata
from wgboost.metrics.unwrapping import final_estimator, predict_dist
from wgboost.responses.censoring import is_censored
from wgboost.typing import Array

__all__ = ["ConformalRegressor"]


class ConformalRegressor(RegressorMixin, Conformal):  # type: ignore[misc]
    """Predict intervals that cover y with a given probability.

    Coverage holds for any model: a bad one gets wide intervals. Their widths follow the predictive
    distributions from row to row.

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
        Folds of "cross": a number, of rows in random order or of whole groups, or a splitter of
        scikit-learn.
    calibration_fraction : float, default=0.25
        Share of the rows that "split" holds out.
    random_state : int, RandomState or None, default=None
        Seed of the order of rows. The estimator has its own.

    Attributes
    ----------
    estimators_ : list
        The models: one for each fold, or a single one.
    scores_ : list of arrays
        For each model the sorted scores of the rows that it was not trained on.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array (p,)
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
        estimator: Any,
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
        if getattr(final_estimator(self.estimator), "response", None) == "categorical":
            raise ValueError(
                "classes have no order and no intervals; ConformalClassifier has sets of them"
            )
        if is_censored(y):
            raise ValueError(
                "bounds of y (censored) cannot be scored; give rows whose y is known, or fit the "
                'estimator to all of them and calibrate with method="prefit"'
            )
        shape = np.asarray(y).shape
        if len(shape) > 1:
            raise ValueError(
                f"y has shape {shape}; intervals are of one column: fit one model a column"
            )

    def _scores(self, fold: Fold) -> Array:
        return interval_scores(fold.dist(), fold.y, self.conformity)

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None, **fit_params: Any
    ) -> Array:
        """Return the mean of the models' predictions.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        offset : array (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array (n,), str or None, default=None
            Exposure, as in `fit`.
        **fit_params : array (n,) or number
            What else `predict` of the estimator takes.

        Returns
        -------
        array (n,)
            Predictions.
        """
        X, given = self._given(X, {"offset": offset, "exposure": exposure, **fit_params})
        mean: Array = np.mean([model.predict(X, **given) for model in self._models()], axis=0)
        return mean

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> float:  # fmt: skip
        """Return the share of the variance of y that `predict` explains, R^2.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        y : array (n,) or str
            Outcomes.
        sample_weight : array (n,), str or None, default=None
            Weights of the rows.
        offset : array (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array (n,), str or None, default=None
            Exposure, as in `fit`.

        Returns
        -------
        float
            R^2, at most 1.
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
        """Return intervals that cover y with at least the given probability.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, p)
            Features.
        confidence : float, default=0.9
            Probability of covering y. With too few calibration rows the interval is the whole
            support of y, and a warning says how many rows are needed.
        offset : array (n,), str or None, default=None
            Offset, as in `fit`.
        exposure : array (n,), str or None, default=None
            Exposure, as in `fit`.
        **predict_params : array (n,) or number
            What else `predict_dist` of the estimator takes.

        Returns
        -------
        array (n, 2)
            Lower and upper ends.
        """
        check_confidence(confidence)
        X, given = self._given(X, {"offset": offset, "exposure": exposure, **predict_params})
        dists = [predict_dist(model, X, **given) for model in self._models()]
        ends = cross_conformal_interval(dists, self.scores_, confidence, conformity=self.conformity)
        return np.stack(ends, axis=1)
