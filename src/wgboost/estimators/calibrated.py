"""What a model learns after its fit from rows it has not seen: how right it is, and what is odd."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wgboost.calibration import Calibration, Fold, OODReference, out_of_fold
from wgboost.data.frames import as_frame
from wgboost.estimators.parameters import checked_matrix
from wgboost.estimators.predictions import Predictions
from wgboost.estimators.seen import warn_trained_rows
from wgboost.estimators.tables import predicted_columns
from wgboost.metrics import OOD_METHODS, ood_scores
from wgboost.metrics.row_parameters import scored_rows
from wgboost.predictive import Mixture
from wgboost.predictive.table import QUANTILES, as_table
from wgboost.typing import Array
from wgboost.validation import check_choice, check_number

__all__ = ["Calibrated", "fitted_factors"]


class Calibrated(Predictions):
    """A model that can be calibrated.

    What it then knows it forgets with the next fit, and keeps in its file.
    """

    def _warn_trained(self, X: Any, y: Any, call: str, stacklevel: int) -> None:
        """Warn if the model was trained on most of these rows."""
        models = getattr(self, "members_", [self])
        if any(getattr(one, "_row_marks", None) is not None for one in models):
            remedy = f"give rows it has not seen, or use {call}, which fits clones without them"
            matrix = checked_matrix(self, X, reset=False)
            warn_trained_rows(models, matrix, y, remedy, stacklevel + 1)

    def _forget(self) -> None:
        """Remove what was learnt about an earlier model."""
        for name in ("calibration_", "ood_reference_", "ood_references_"):
            self.__dict__.pop(name, None)

    def calibrate(
        self, X: Any, y: Any, sample_weight: Any = None, *, cv: Any = None, groups: Any = None,
        offset: Any = None, exposure: Any = None, y_std: Any = None, scale: bool = True,
        spread: bool = True, shrinkage: float = 0.25, widen: bool = True,
    ) -> Self:  # fmt: skip
        """Fit two factors to rows: on the response's width, and on the particles' spread.

        They are kept as `calibration_`, a `wgboost.Calibration`, and all predictions follow them
        until the next fit; ``del model.calibration_`` takes them back.

        Parameters
        ----------
        X, y, sample_weight, offset, exposure, y_std
            Rows as in `fit`. Without `cv`, rows that the model has not seen; a warning says if
            most of them are rows that it was trained on.
        cv : int, splitter or None
            With it, the rows of the fit: clones are fitted without a fold of them each, and the
            factors to the predictions of all folds. See `wgboost.calibration.out_of_fold`.
        groups : array (n,), optional
            With `cv`: rows of one group are in one fold.
        scale, spread, shrinkage, widen
            As in `Calibration.fit`.

        Notes
        -----
        Ctrl-C while clones are fitted raises KeyboardInterrupt and leaves the model as it was.
        """
        check_is_fitted(self)
        check_number("shrinkage", shrinkage, above=0)
        _check_needs_cv(cv, groups)
        settings: dict[str, Any] = {
            "scale": scale, "spread": spread, "shrinkage": shrinkage, "widen": widen,
        }  # fmt: skip
        given = {
            "sample_weight": sample_weight, "offset": offset, "exposure": exposure, "y_std": y_std,
        }  # fmt: skip
        X, y, beside = scored_rows(self, X, y, groups=groups, **given)
        groups = beside.pop("groups")
        if cv is None:
            known = self._mixture(*self._relative(X), beside["offset"], exposure=beside["exposure"])
            self.calibration_ = Calibration.fit(
                self._spoken(known), y, y_std=beside["y_std"],
                sample_weight=beside["sample_weight"], **settings,
            )  # fmt: skip
            self._warn_trained(X, y, "calibrate(X, y, cv=5)", 2)
            return self
        settled = {"cv": cv, "groups": groups, "random_state": self.seed_}
        folds = [_met(fold) for fold in out_of_fold(self, X, y, **settled, **beside)]
        self.calibration_ = fitted_factors([fold.dist() for fold in folds], folds, **settings)
        return self

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
        return as_table(predicted_columns(self, X, quantiles, names=names, **known), _frame(X))

    # --- rows unlike the training data --------------------------------------------------------

    def ood_score(self, X: Any, method: str | None = None) -> Array:
        """Return how much the particles of each row disagree, (n,).

        Larger means further from the training data. Factors of `calibrate` play no part: they are
        about rows like those.

        Parameters
        ----------
        X : array (n, p)
        method : "max_variance", "mutual_information", "epistemic" or None
            "max_variance": the largest variance of a class probability (the paper's score is its
            inverse), the default for classes; of numbers it is below chance on rows of other
            tables, see the notes. "epistemic": the variance of the particles' means,
            the default for all else. "mutual_information": of y and particle, in nats; for a
            numeric y an integral for every row. See `wgboost.metrics.ood_scores`.

        Notes
        -----
        For a numeric y use "epistemic". "max_variance" looks at the coordinates of theta, scales
        included, and tells rows of other tables worse than chance: a mean area under the ROC curve
        of 0.45, against 0.56 of "epistemic" (`benchmarks/foreign_tables.py`). Neither is a
        detector of foreign rows: check the ranges of features as well.
        """
        return ood_scores(self.predict_dist(X, calibrated=False), method)

    def calibrate_ood(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, cv: Any = None,
        groups: Any = None, offset: Any = None, exposure: Any = None, y_std: Any = None,
        method: str | None = None,
    ) -> Self:  # fmt: skip
        """Learn which OOD scores are usual, for `ood_pvalue`; kept as `ood_reference_`.

        Parameters
        ----------
        X : array (n, p)
            Rows of the training distribution that the model has not seen; p-values are then exact.
            A warning says if most of them are rows that it was trained on.
        y, sample_weight, cv, groups, offset, exposure, y_std
            With `cv`, a number of folds or a splitter, X and y are the rows of the fit, with what
            belongs to them, and scores come from clones fitted without a fold each. See
            `OODReference.out_of_fold`.
        method : str or None
            The score, as in `ood_score`.
        """
        check_is_fitted(self)
        _check_needs_cv(cv, groups)
        if cv is None:
            self.ood_reference_ = OODReference(self.ood_score(X, method), method)
            self._warn_trained(X, None, "calibrate_ood(X, y, cv=5)", 2)
            return self
        given = {
            "groups": groups, "sample_weight": sample_weight, "offset": offset,
            "exposure": exposure, "y_std": y_std,
        }  # fmt: skip
        X, y, beside = scored_rows(self, X, y, **given)
        settings = {"cv": cv, "random_state": self.seed_, **beside}
        self.ood_reference_ = OODReference.out_of_fold(self, X, y, method=method, **settings)
        return self

    def ood_pvalue(self, X: Any, reference: Any = None) -> Array:
        """Return how rare an OOD score as large as each row's is in the training distribution.

        (n,), between 1 / (1 + number of reference rows) and 1, and uniform over rows of the
        training distribution: to call rows with p <= 0.01 odd is to be wrong about one of a
        hundred of those.

        Parameters
        ----------
        X : array (n, p)
        reference : OODReference or str, optional
            What is usual; by default what `calibrate_ood` has learnt. Of a bag the name of a score
            is enough: see its `ood_references_`.
        """
        check_is_fitted(self)
        usual = getattr(self, "ood_reference_", None) if reference is None else reference
        if isinstance(usual, str):
            usual = self._reference_by(usual)
        if usual is None:
            raise ValueError(
                "the model does not know which OOD scores are usual: calibrate_ood(X, y, cv=5) "
                "with the training rows, or calibrate_ood(X) with rows it has not seen"
            )
        if not isinstance(usual, OODReference):
            raise TypeError(
                f"reference={type(usual).__name__} must be an OODReference(scores), or see "
                "wgboost.metrics.ood_pvalue"
            )
        return usual.pvalue(self.ood_score(X, usual.method))

    def _reference_by(self, method: str) -> OODReference:
        check_choice("reference", method, OOD_METHODS)
        known: dict[str, OODReference] = dict(getattr(self, "ood_references_", {}))
        if (latest := getattr(self, "ood_reference_", None)) is not None and latest.method:
            known[latest.method] = latest
        if method not in known:
            there = f"; there are {', '.join(map(repr, known))}" if known else ""
            raise ValueError(
                f"which scores by {method!r} are usual is not known{there}: calibrate_ood(X, "
                f"method={method!r}) with rows that the model has not seen"
            )
        return known[method]


def _frame(X: Any) -> Any:
    """Return X if it is a frame, else None."""
    return None if as_frame(X) is None else X


def _check_needs_cv(cv: Any, groups: Any) -> None:
    """Raise ValueError for groups that there are no folds to keep together in."""
    if cv is None and groups is not None:
        raise ValueError("groups are kept together in folds: give cv, or leave groups out")


def fitted_factors(dists: list[Mixture], folds: list[Fold], **settings: Any) -> Calibration:
    """Return the factors that suit distributions of the rows of folds."""
    noise, weight = (
        [fold.beside.get(name) for fold in folds] for name in ("y_std", "sample_weight")
    )
    seen = [fold.y for fold in folds]
    return Calibration.fit(dists, seen, y_std=noise, sample_weight=weight, **settings)


def _met(fold: Fold) -> Fold:
    """Return the rows of a fold whose class its model has met; the others say nothing about it."""
    classes = getattr(fold.estimator, "classes_", None)
    if classes is None:
        return fold
    return fold.take(np.flatnonzero(np.isin(np.asarray(fold.y), classes)))
