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

    # Metadata that is routed by default; see `WGBRegressor`.
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"offset": True, "exposure": True}

    def predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None
    ) -> Array:
        """Predict y by the mean of the predictive distribution.

        A response without a mean, such as "cauchy", is predicted by its median.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n,) or (n, q)
            Predictions, by column if y has several.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.predict(X).shape
        (60,)
        """
        return _centre(self.predict_dist(X, offset=offset, exposure=exposure, prior=prior))

    def staged_predict(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[Array]:
        """Predict y after each round.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.

        Yields
        ------
        array (n,) or (n, q)
            `predict` after 1, 2, ... rounds.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> len(list(model.staged_predict(X)))
        5
        """
        for dist in self.staged_predict_dist(X, offset=offset, exposure=exposure):
            yield _centre(dist)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> float:  # fmt: skip
        """Return the coefficient of determination R^2 of `predict`.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        y : array (n,) or (n, q), or str
            Values of y; a str names a column of X.
        sample_weight : array (n,) or str, optional
            Sample weights; a str names a column of X.
        offset : number, array (n,) or str, optional
            As in `predict`. The default is the column that `fit` got by name; a model that was
            fitted with other values raises an error without them.
        exposure : number, array (n,) or str, optional
            As in `predict`, with the same default.

        Returns
        -------
        float
            R^2; 1 is best.

        Raises
        ------
        ValueError
            If y is censored; score it by ``wgboost.metrics.get_scorer("nll")``.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.score(X, X[:, 0]) > 0
        True
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
        """Predict quantiles of y.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        alpha : float or list of floats, default=(0.05, 0.5, 0.95)
            Levels between 0 and 1.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n, len(alpha))
            Quantiles of the predictive distribution.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.predict_quantiles(X, [0.1, 0.9]).shape
        (60, 2)
        """
        levels = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        if levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"alpha={alpha!r} must be probabilities between 0 and 1")
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        return dist.ppf(levels[None])

    def predict_interval(
        self, X: Any, confidence: float = 0.9, *, offset: Any = None, exposure: Any = None,
        prior: Any = None,
    ) -> Array:  # fmt: skip
        """Predict central intervals of y.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        confidence : float, default=0.9
            Probability that y is inside.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n, 2)
            Lower and upper ends.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.predict_interval(X, 0.8).shape
        (60, 2)
        """
        check_number("confidence", confidence, above=0, high=1)
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        low, high = dist.interval(confidence)
        return np.stack([low, high], axis=1)

    def predict_uncertainty(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None
    ) -> dict[str, Array]:
        """Split the variance of y into noise and ignorance.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        dict of array (n,) or (n, q)
            "epistemic" is the expected squared error of the predicted mean, or without such an
            estimate the variance of the particles' means. "aleatoric" is the noise in y. "total" is
            their sum; see `Mixture.epistemic`.

        Raises
        ------
        ValueError
            If the response has no mean, such as "cauchy".

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> sorted(model.predict_uncertainty(X))
        ['aleatoric', 'epistemic', 'total']
        """
        dist = self.predict_dist(X, offset=offset, exposure=exposure, prior=prior)
        if not dist.response.has_mean:
            raise ValueError(
                f"the response {dist.response.name!r} has no mean and no variance to split; "
                "predict_quantiles says how far y spreads, ood_score what the model does not know"
            )
        aleatoric, epistemic = dist.aleatoric(), dist.epistemic()
        return {"aleatoric": aleatoric, "epistemic": epistemic, "total": aleatoric + epistemic}
