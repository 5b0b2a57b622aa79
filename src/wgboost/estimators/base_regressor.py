"""What a fitted model of a numeric y answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.base import BaseModel
from wgboost.metrics.metadata import score_metadata
from wgboost.predictive import Mixture
from wgboost.responses.censoring import is_censored
from wgboost.typing import Array
from wgboost.validation import check_number

__all__ = ["BaseRegressor"]


def _centre(dist: Mixture) -> Array:
    """Return the mean of each row, or the median of a response that has no mean."""
    return dist.mean() if dist.response.has_mean else dist.median()


class BaseRegressor(RegressorMixin, BaseModel):  # type: ignore[misc]
    """Predictions of a numeric y, from one model or several."""

    # What metadata routing hands over unless told otherwise; see `WGBRegressor`.
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None
    ) -> Array:
        """Return the mean of the predictive distribution, (n,), or (n, q) by column.

        Of a response without a mean, as "cauchy" is, the median. The keywords of this and other
        predictions are those of `predict_dist`.
        """
        return _centre(self.predict_dist(X, offset=offset, exposure=exposure, prior=prior))

    def staged_predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[Array]:
        """Yield `predict` after 1, 2, ... rounds."""
        for dist in self.staged_predict_dist(X, offset=offset, exposure=exposure):
            yield _centre(dist)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> float:  # fmt: skip
        """Return the share of the variance of y that `predict` explains, R^2.

        Parameters
        ----------
        X, y
            Rows; y may be the name of a column, if X is a frame.
        sample_weight : array (n,) or name of a column, optional
        offset, exposure : number, array (n,) or name of a column, optional
            As in `predict`. By default the columns that `fit` took by name; a model that was
            fitted with other values is an error without them.

        Returns
        -------
        float
            1 is best. Of `censored` y there is none: `wgboost.metrics.get_scorer("nll")` scores it.
        """
        check_is_fitted(self)
        given = {"sample_weight": sample_weight, "offset": offset, "exposure": exposure}
        X, y, fit_params = score_metadata(self, X, y, **given)
        if is_censored(y):
            raise ValueError(
                "R^2 needs known values of y; for bounds give GridSearchCV and the like "
                'scoring=wgboost.metrics.get_scorer("nll"), or "concordance"'
            )
        weight = fit_params.pop("sample_weight")
        return float(r2_score(y, self.predict(X, **fit_params), sample_weight=weight))

    def predict_quantiles(
        self, X: Any, alpha: Any = (0.05, 0.5, 0.95), *, offset: Any = None,
        exposure: Any = None, prior: Any = None,
    ) -> Array:  # fmt: skip
        """Return the quantiles (n, len(alpha)) of the predictive distribution."""
        levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"alpha={alpha!r} must be probabilities between 0 and 1")
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        return dist.ppf(levels[None])

    def predict_interval(
        self, X: Any, confidence: float = 0.9, *, offset: Any = None, exposure: Any = None,
        prior: Any = None,
    ) -> Array:  # fmt: skip
        """Return the central interval (n, 2) that has this probability."""
        check_number("confidence", confidence, above=0, high=1)
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        low, high = dist.interval(confidence)
        return np.stack([low, high], axis=1)

    def predict_uncertainty(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None
    ) -> dict[str, Array]:
        """Return the variance of y at x and its two parts, each (n,), or (n, q) by column.

        "aleatoric": the mean of the particles' variances, what the data cannot say. "epistemic":
        the variance of the particles' means, what the model does not know. "total": their sum.
        Raises ValueError for a response without a mean, such as "cauchy".
        """
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        if not dist.response.has_mean:
            raise ValueError(
                f"the response {dist.response.name!r} has no mean and no variance to split; "
                "predict_quantiles says how far y spreads, ood_score what the model does not know"
            )
        aleatoric, epistemic = dist.aleatoric(), dist.epistemic()
        return {"aleatoric": aleatoric, "epistemic": epistemic, "total": aleatoric + epistemic}
