"""What all models of y share: predictions, calibration, OOD scores, files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wgboost.calibration import Calibration, OODReference
from wgboost.data.naming import named_columns
from wgboost.estimators import (
    calibrating,
    credible_bands,
    distribution_methods,
    support_methods,
)
from wgboost.estimators.attributes import restored_model, saved_model, set_model
from wgboost.estimators.conventions import (
    check_parameter_names,
    save_estimator,
    store_parameters,
    table_tags,
)
from wgboost.metrics.metadata import metadata_columns
from wgboost.model import FittedBag, FittedModel
from wgboost.persistence.models import SavedModel
from wgboost.predictive import Mixture
from wgboost.training.tables import apply_schema
from wgboost.typing import Array
from wgboost.validation import resolve_threads

__all__ = ["LEARNED", "BaseModel"]

LEARNED = ("calibration_", "ood_reference_", "ood_references_")
"""Attributes that a model learns after its fit."""


class BaseModel(BaseEstimator):  # type: ignore[misc]
    """An estimator whose predictions are distributions of y.

    A subclass has `fit`, which sets `model_` and the other fitted attributes, and says how it is
    saved. What a model learns after its fit, from rows that it has not seen, is in
    `wgboost.estimators.calibrating`.
    """

    model_: FittedModel | FittedBag
    calibration_: Calibration
    ood_reference_: OODReference
    n_jobs: int | None

    def __new__(cls, *_: Any, **params: Any) -> Self:
        """Answer a misspelled parameter with the nearest valid one."""
        check_parameter_names(cls, params, TypeError)
        made: Self = super().__new__(cls)
        return made

    def _store(self, given: dict[str, Any]) -> None:
        store_parameters(self, given)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        Parameters
        ----------
        **params : object
            New values by name, as in scikit-learn. The error for an unknown name suggests the
            nearest valid one.

        Returns
        -------
        self : estimator
            The estimator.

        Examples
        --------
        >>> from wgboost import WGBRegressor
        >>> WGBRegressor().set_params(max_leaves=8)
        WGBRegressor(max_leaves=8)
        """
        check_parameter_names(type(self), params, ValueError)
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        return table_tags(super().__sklearn_tags__())

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    def _fitted(self) -> FittedModel | None:
        """Return the model of an earlier fit, if there is one."""
        model = vars(self).get("model_")
        return model if isinstance(model, FittedModel) else None

    def to_saved(self) -> SavedModel:
        """Return the estimator as a file holds it.

        Returns
        -------
        SavedModel
            Parameters, fitted values and columns.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.to_saved().kind
        'WGBRegressor'
        """
        model = self.model_
        if not isinstance(model, FittedModel):
            raise TypeError(f"{type(self).__name__} does not consist of one model")
        return saved_model(self, model, self._learned())

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the estimator that a file holds; see `wgboost.load`.

        Parameters
        ----------
        saved : SavedModel
            What `to_saved` returns.

        Returns
        -------
        estimator
            A fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> WGBRegressor.from_saved(model.to_saved()).n_estimators_
        5
        """
        estimator = cls(**saved.params)
        set_model(estimator, restored_model(estimator, saved))
        for name in LEARNED:
            if name in saved.fitted:
                setattr(estimator, name, saved.fitted[name])
        return estimator

    def _learned(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in LEARNED if name in vars(self)}

    def _n_threads(self) -> int:
        return min(resolve_threads(self.n_jobs), 1024)

    def _matrix(self, X: Any) -> Array:
        """Return X as a matrix with the columns of the fit."""
        check_is_fitted(self)
        schema, ignored = self.model_.schema, metadata_columns(self)
        if schema is None:
            raise TypeError("the model does not know its columns")
        return apply_schema(schema, X, ignored=ignored, name=type(self).__name__)

    def _mixture(self, X: Any, n_rounds: int | None = None, **known: Any) -> Mixture:
        """Return the distributions of rows by all particles, not calibrated."""
        model, matrix = self.model_, self._matrix(X)
        return model.mixture(*model.predict_particles(matrix, self._n_threads(), n_rounds), **known)

    def _calibrated(self, dist: Mixture) -> Mixture:
        dist = self.model_.select_predictive(dist)
        calibration: Calibration | None = vars(self).get("calibration_")
        return dist if calibration is None else calibration(dist)

    def predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None,
        n_rounds: int | None = None, calibrated: bool = True,
    ) -> Mixture:  # fmt: skip
        """Predict the distribution of y, a mixture over the particles of each row.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            Rows, with the columns of the fit.
        offset : number, array (n,) or str, optional
            The known part of the location, as in `fit`; a str names a column of X.
        exposure : number, array (n,) or str, optional
            The exposure of each row, as in `fit`; 1 by default.
        prior : dict, optional
            Another prior than that of the fit, by parameter; each is a number or one value per row.
            Particles are weighted by the ratio of the two priors, and nothing is trained.
            `effective_sample_size` of the result says how many particles are left; rows with fewer
            than 2 raise a warning.
        n_rounds : int, optional
            Use only the first rounds.
        calibrated : bool, default=True
            Whether to apply the factors of `calibration_`, if there are any. False gives the
            distributions that OOD scores use.

        Returns
        -------
        Mixture
            Predictive distributions of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.predict_dist(X).interval(0.9)[0].shape
        (60,)
        """
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        check_is_fitted(self)
        dist = self._mixture(X, n_rounds, prior=prior, **known)
        return self._calibrated(dist) if calibrated else dist

    def staged_predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[Mixture]:
        """Predict the distribution of y after each round.

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
        Mixture
            `predict_dist` after 1, 2, ... rounds, each at the cost of one round.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(60.0)[:, None]
        >>> model = WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> len(list(model.staged_predict_dist(X)))
        5
        """
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        matrix = self._matrix(X)
        for stage in self.model_.staged_particles(matrix, self._n_threads()):
            yield self._calibrated(self.model_.mixture(*stage, **known))

    predict_particles = distribution_methods.predict_particles
    staged_predict_particles = distribution_methods.staged_predict_particles
    sample = distribution_methods.sample
    decide = distribution_methods.decide
    predict_table = distribution_methods.predict_table
    predict_support = support_methods.predict_support
    explain_support = support_methods.explain_support
    predict_band = credible_bands.predict_band
    calibrate = calibrating.calibrate
    ood_score = calibrating.ood_score
    calibrate_ood = calibrating.calibrate_ood
    ood_pvalue = calibrating.ood_pvalue
    warn_trained = calibrating.warn_trained

    @property
    def feature_importances_(self) -> Array:
        """The share (p,) of each feature in the total gain of all splits."""
        check_is_fitted(self)
        shares = self.model_.feature_importances()
        if shares is None:
            raise AttributeError("feature importances need native trees")
        return shares

    def save(self, path: Any, *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file of plain arrays and JSON, which `wgboost.load` reads.

        The file is replaced as a whole or not at all. Predictions of a loaded model are the same
        to the bit.

        Parameters
        ----------
        path : str or path
            The file.
        metadata : dict, optional
            Texts, numbers, lists and dicts to keep with the model; a loaded model has them as
            `metadata_`. None keeps those of a loaded model.

        Raises
        ------
        TypeError
            If the model has parts that are not data: another learner than trees, or an estimator as
            start. A function or a response of your own is kept by name and given to `load`.
        OSError
            If the file cannot be written; an old file stays as it was.

        Examples
        --------
        >>> import numpy as np
        >>> import wgboost
        >>> X = np.arange(60.0)[:, None]
        >>> model = wgboost.WGBRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
        >>> model.save("model.wgb")
        >>> bool((wgboost.load("model.wgb").predict(X) == model.predict(X)).all())
        True
        """
        check_is_fitted(self)
        save_estimator(self, self.to_saved(), path, metadata)
