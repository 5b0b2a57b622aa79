"""What a fitted model of classes answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from wgboost.estimators.base import BaseModel
from wgboost.metrics.metadata import score_metadata
from wgboost.predictive import Mixture
from wgboost.typing import Array

__all__ = ["BaseClassifier"]


class BaseClassifier(ClassifierMixin, BaseModel):  # type: ignore[misc]
    """Predictions of classes, from one model or several."""

    # Fitted attributes.
    classes_: Array
    ranks_: Array

    def predict_proba(self, X: Any, *, prior: Any = None) -> Array:
        """Predict class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n, k)
            Means over particles, in the order of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> model.predict_proba(X).shape
        (60, 2)
        """
        return self._shares(self.predict_dist(X, prior=prior))

    def predict_log_proba(self, X: Any, *, prior: Any = None) -> Array:
        """Predict the logs of class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n, k)
            In the order of `classes_`. They come from the logs of the particles' probabilities, so
            that they are finite where a probability is too small for a number.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(40.0)[:, None]
        >>> model = WGBClassifier(n_estimators=10, random_state=0).fit(X, X[:, 0] > 20)
        >>> bool(np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X)))
        True
        """
        dist = self.predict_dist(X, prior=prior)
        return dist.logpmf(np.arange(len(self.classes_))[None])

    def _shares(self, dist: Mixture) -> Array:
        return dist.probabilities()[:, : len(self.classes_)]

    def predict(self, X: Any, *, prior: Any = None) -> Array:
        """Predict the most probable class.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        array (n,)
            Labels out of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> model.predict(X).shape
        (60,)
        """
        best = self.predict_proba(X, prior=prior).argmax(axis=1)
        labels: Array = self.classes_[best]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of `predict`.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        y : array (n,) or str
            Labels; a str names a column of X.
        sample_weight : array (n,) or str, optional
            Sample weights; a str names a column of X.

        Returns
        -------
        float
            Share of the rows whose label is predicted.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> model.score(X, X[:, 0] > 30) > 0.5
        True
        """
        check_is_fitted(self)
        X, y, fit_params = score_metadata(self, X, y, sample_weight=sample_weight)
        weight = fit_params["sample_weight"]
        return float(accuracy_score(y, self.predict(X), sample_weight=weight))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Predict class probabilities after each round.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.

        Yields
        ------
        array (n, k)
            `predict_proba` after 1, 2, ... rounds.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> len(list(model.staged_predict_proba(X)))
        5
        """
        for dist in self.staged_predict_dist(X):
            yield self._shares(dist)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predict classes after each round.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.

        Yields
        ------
        array (n,)
            `predict` after 1, 2, ... rounds.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> len(list(model.staged_predict(X)))
        5
        """
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]

    def predict_uncertainty(self, X: Any, *, prior: Any = None) -> dict[str, Array]:
        """Split the entropy of the predicted class into noise and ignorance.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        prior : dict, optional
            Another prior than that of the fit; see `predict_dist`.

        Returns
        -------
        dict of array (n,)
            In nats: "aleatoric" is the mean entropy of the posterior, "epistemic" the mutual
            information between class and particle, "total" their sum.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBClassifier
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBClassifier(n_estimators=5, random_state=0).fit(X, X[:, 0] > 30)
        >>> sorted(model.predict_uncertainty(X))
        ['aleatoric', 'epistemic', 'total']
        """
        dist = self.predict_dist(X, prior=prior)
        aleatoric, epistemic = dist.aleatoric(), dist.epistemic()
        return {"aleatoric": aleatoric, "epistemic": epistemic, "total": aleatoric + epistemic}
