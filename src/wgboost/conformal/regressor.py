"""Regression with intervals that hold what they promise."""

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
from wgboost.responses import is_censored
from wgboost.typing import Array

__all__ = ["ConformalRegressor"]


class ConformalRegressor(RegressorMixin, Conformal):  # type: ignore[misc]
    """Intervals around the predictions of a model that hold y as often as asked for.

    Whatever the model is worth: a bad one gets wide intervals. Their widths follow the predictive
    distributions from row to row.

    Parameters
    ----------
    estimator
        An estimator with `predict_dist`, such as `WGBRegressor`, or a pipeline that ends with one.
    method : "cross", "split" or "prefit"
        "cross": CV+ with the models of `cv` folds, so that every row both trains and calibrates;
        a chance of at least 1 - 2 alpha, less a little (see `cross_conformal_interval`), and about
        1 - alpha in practice. "split": one model, fitted without `calibration_fraction` of the
        rows; a chance of at least 1 - alpha. "prefit": the estimator is fitted, and `fit` takes
        rows that it has not seen; guaranteed as "split".
    conformity : "cdf" or "scaled"
        Intervals between quantiles of the predictive distribution, or the mean plus and minus a
        number of its standard deviations; see `conformal_interval`.
    cv : int or splitter
        Folds of "cross": a number, of rows in random order (of whole groups, if they are given),
        or a splitter of scikit-learn.
    calibration_fraction : float
        Share of rows that "split" holds out.
    random_state : int or None
        Of the order of rows. The estimator has its own.

    Attributes
    ----------
    estimators_ : list
        The models: one for each fold, or a single one.
    scores_ : list of arrays
        For each model the scores of rows that it has not seen, sorted.
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
        """Return the mean of the models' predictions, (n,); offset and exposure as in `fit`."""
        X, given = self._given(X, {"offset": offset, "exposure": exposure, **fit_params})
        mean: Array = np.mean([model.predict(X, **given) for model in self._models()], axis=0)
        return mean

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> float:  # fmt: skip
        """Return the share of the variance of y that `predict` explains, R^2.

        Parameters are those of `WGBRegressor.score`.
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
        """Return intervals (n, 2) that hold y with this probability, or more.

        With too few calibration rows for the confidence they are the whole support of y, and a
        warning says how many are needed. `predict_params` is what else `predict_dist` takes.
        """
        check_confidence(confidence)
        X, given = self._given(X, {"offset": offset, "exposure": exposure, **predict_params})
        dists = [predict_dist(model, X, **given) for model in self._models()]
        ends = cross_conformal_interval(dists, self.scores_, confidence, conformity=self.conformity)
        return np.stack(ends, axis=1)
