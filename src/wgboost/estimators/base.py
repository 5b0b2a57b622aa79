"""What all models of y share: predictions, calibration, OOD scores, files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wgboost.calibration import Calibration, OODReference
from wgboost.data.frames import as_frame
from wgboost.data.naming import named_columns
from wgboost.estimators import calibrating
from wgboost.estimators.attributes import restored_model, saved_model, set_model
from wgboost.estimators.conventions import (
    check_parameter_names,
    save_estimator,
    store_parameters,
    table_tags,
)
from wgboost.estimators.tables import predicted_columns
from wgboost.metrics.metadata import metadata_columns
from wgboost.model import FittedBag, FittedModel
from wgboost.persistence.models import SavedModel
from wgboost.predictive import Mixture
from wgboost.predictive.decisions import bayes_action
from wgboost.predictive.table import QUANTILES, as_table
from wgboost.training.tables import apply_schema
from wgboost.typing import Array
from wgboost.validation import check_integer, resolve_threads

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
        """Set parameters; a misspelled name is answered with the nearest valid one."""
        check_parameter_names(type(self), params, ValueError)
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        return table_tags(super().__sklearn_tags__())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> FittedModel | None:
        """Return the model of an earlier fit, if there is one."""
        model = vars(self).get("model_")
        return model if isinstance(model, FittedModel) else None

    def to_saved(self) -> SavedModel:
        """Return the estimator as a file holds it."""
        model = self.model_
        if not isinstance(model, FittedModel):
            raise TypeError(f"{type(self).__name__} does not consist of one model")
        return saved_model(self, model, self._learned())

    @classmethod
    def from_saved(cls, saved: SavedModel) -> Self:
        """Return the estimator that a file holds; see `wgboost.load`."""
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
        particles, shift = model.predict_particles(matrix, self._n_threads(), n_rounds)
        return model.mixture(particles, shift, **known)

    def _calibrated(self, dist: Mixture) -> Mixture:
        dist = self.model_.select_predictive(dist)
        calibration: Calibration | None = vars(self).get("calibration_")
        return dist if calibration is None else calibration(dist)

    def predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None, prior: Any = None,
        n_rounds: int | None = None, calibrated: bool = True,
    ) -> Mixture:  # fmt: skip
        """Return the predictive distribution of each row, a mixture over its particles.

        Parameters
        ----------
        X : array (n, p)
        offset : number, array (n,) or name of a column of X, optional
            The known part of the location, as in `fit`; without it, none is added. So for all
            predictions.
        exposure : number, array (n,) or name of a column of X, optional
            As in `fit`, instead of an offset; without it, 1. Columns that `fit` took by name are
            ignored in X unless they are named here.
        prior : dict, optional
            Another prior than the model was fitted with, each parameter a number or one value per
            row of X. Particles are weighted by the ratio of the two priors, nothing is trained;
            `effective_sample_size` of the result says how many particles are left to speak. Rows
            with fewer than 2 bring a warning.
        n_rounds : int, optional
            Use only the first so many rounds.
        calibrated : bool
            False leaves out the factors of `calibration_`, if there are any, and is what OOD scores
            go by: a bag of classes has its members for OOD scores then, too.
        """
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        check_is_fitted(self)
        dist = self._mixture(X, n_rounds, prior=prior, **known)
        return self._calibrated(dist) if calibrated else dist

    def staged_predict_dist(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[Mixture]:
        """Yield `predict_dist` after 1, 2, ... rounds, each at the cost of one."""
        X, known, _ = named_columns(X, {"offset": offset, "exposure": exposure})
        matrix = self._matrix(X)
        for particles, shift in self.model_.staged_particles(matrix, self._n_threads()):
            yield self._calibrated(self.model_.mixture(particles, shift, **known))

    def predict_particles(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> dict[str, Array]:
        """Return the particles of each row, by parameter (n, m), in the user's units."""
        return self.predict_dist(X, offset=offset, exposure=exposure).params()

    def staged_predict_particles(
        self, X: Any, *, offset: Any = None, exposure: Any = None
    ) -> Iterator[dict[str, Array]]:
        """Yield `predict_particles` after 1, 2, ... rounds."""
        for dist in self.staged_predict_dist(X, offset=offset, exposure=exposure):
            yield dist.params()

    def sample(
        self, X: Any, n_samples: int = 1, random_state: Any = None, *, offset: Any = None,
        exposure: Any = None,
    ) -> Array:  # fmt: skip
        """Return draws (n, n_samples) from the predictive distributions.

        (n, n_samples, q) if y has several columns.
        """
        check_integer("n_samples", n_samples, low=1)
        dist = self.predict_dist(X, offset=offset, exposure=exposure)
        drawn = dist.rvs(size=n_samples, random_state=random_state)
        if dist.classes is None:
            return drawn
        labels: Array = dist.classes[drawn.astype(int)]
        return labels

    def decide(
        self, X: Any, loss: Any = None, actions: Any = None, *, utility: Any = None,
        over: str = "theta", return_risks: bool = False, offset: Any = None, exposure: Any = None,
    ) -> Any:  # fmt: skip
        """Return the Bayes action of each row: that of least expected loss.

        Parameters
        ----------
        X : array (n, p)
        loss : callable or array (k, a)
            A function of (action, theta), or with over="y" of (action, y), or for classes a matrix
            of costs: the row is the class, the column the action.
        actions : array (a,), optional
            The actions to choose from. Without, the real line for numbers, the classes for a
            matrix of costs and for a loss of classes y.
        utility : callable or array, optional
            Instead of a loss: its mean is maximised.
        over : "theta" or "y"
            What the loss is a function of beside the action: the particles' parameters by name,
            arrays (n, m), or values of y, an array (n, g).
        return_risks : bool
            Return the risks (n, a) of all actions, or (n,) of those chosen without a list, too.
        offset, exposure
            As in `predict_dist`.

        Returns
        -------
        actions : array (n,)
        risks : array (n, a) or (n,)
            With `return_risks`.

        Examples
        --------
        >>> import numpy as np
        >>> from wgboost import WGBRegressor
        >>> X = np.arange(40.0)[:, None]
        >>> model = WGBRegressor(n_estimators=20, evidence=10, random_state=0).fit(X, X[:, 0])
        >>> def profit(order, demand):
        ...     return 5 * np.minimum(order, demand) - 2 * order
        >>> model.decide(X, utility=profit, over="y").shape
        (40,)
        """
        return bayes_action(
            self.predict_dist(X, offset=offset, exposure=exposure),
            loss,
            actions,
            utility=utility,
            over=over,
            return_risks=return_risks,
        )

    def predict_table(
        self, X: Any, quantiles: Any = QUANTILES, *, names: Any = None, offset: Any = None,
        exposure: Any = None,
    ) -> Any:  # fmt: skip
        """Return predictions as a table, one line a row: what `wgboost predict` writes.

        Parameters
        ----------
        X : array or frame (n, p)
        quantiles : float, list of floats or None
            Levels of the quantiles of a numeric y.
        names : list of str, optional
            Names of the columns of y, where it has several; their numbers by default.
        offset, exposure
            As in `predict_dist`.

        Returns
        -------
        DataFrame
            Of the library of X, with its index; of pandas if X is no frame. The columns are those
            of `Mixture.to_frame`, then "ood_score", and "ood_pvalue" if the model knows which
            scores are usual (`calibrate_ood`).

        Examples
        --------
        >>> import pandas as pd
        >>> from wgboost import WGBRegressor
        >>> X = pd.DataFrame({"x": range(40)}, index=[f"row {i}" for i in range(40)])
        >>> model = WGBRegressor(n_estimators=20, evidence=10, random_state=0).fit(X, X["x"])
        >>> table = model.predict_table(X, [0.1, 0.9])
        >>> list(table.columns)
        ['mean', 'std', 'std_aleatoric', 'std_epistemic', 'q0.1', 'q0.9', 'ood_score']
        >>> table.index[3]
        'row 3'
        """
        known = {"offset": offset, "exposure": exposure}
        return as_table(
            predicted_columns(self, X, quantiles, names=names, **known),
            None if as_frame(X) is None else X,
        )

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
        path : path
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
        """
        check_is_fitted(self)
        save_estimator(self, self.to_saved(), path, metadata)
