"""What regressor and classifier share: fit to y."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.engines import require
from wgboost.estimators.calibrated import Calibrated
from wgboost.estimators.constraints import tree_constraints
from wgboost.estimators.engine import check_columns
from wgboost.estimators.evidence import ChosenEvidence
from wgboost.estimators.fitting import Fit
from wgboost.estimators.parameters import prior_settings
from wgboost.estimators.posterior_rows import (
    PosteriorRows,
    beside_y,
    check_evidence,
    without_rows,
)
from wgboost.estimators.seen import row_marks, warn_other_rows
from wgboost.estimators.starting import check_start
from wgboost.responses import Response, Units, as_response
from wgboost.typing import Array
from wgboost.validation import check_weight

__all__ = ["Evidential"]


class Evidential(ChosenEvidence, Calibrated):
    """Evidential learning: the target of a row is the posterior of its response parameters."""

    response_: Response
    units_: Units
    _row_marks: Array | None  # hashes of rows that it was trained on

    # What metadata routing hands over unless told otherwise: predictions and scores of a model
    # depend on these. Weights are a choice, as in scikit-learn.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "offset": True,
        "exposure": True,
        "y_std": True,
        "groups": True,
    }

    # --- what a subclass says -----------------------------------------------------------------

    @abstractmethod
    def _encode(self, y: Any, *, fitting: bool) -> Array:
        """Return y as the response takes it: numbers, or the codes of classes."""

    @abstractmethod
    def _response(self) -> Response:
        """Return the response that the parameters name."""

    def _propose(self, X: Any, beside: dict[str, Any]) -> None:
        """Choose what parameters leave to the data, before y is checked."""

    def _class_weights(self, y: Array, weight: Array | None) -> Array | None:  # noqa: ARG002
        """Weights (n,) that classes bring along, beside those of the rows."""
        return None

    # --- fitting ------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
        y_std: Any = None,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        offset_val: Any = None,
        exposure_val: Any = None,
        y_std_val: Any = None,
        validation_rows: Any = None,
        callbacks: Sequence[Any] = (),
        resume_from: Any = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            NaN and null mean missing; infinities are values. Frames of pandas, polars and Arrow
            bring names, and categories as text or of a categorical type. Or `wgboost.Batches`,
            which have y and the weights too: data larger than memory.
        y : array (n,), or (n, q) for a response of several columns
            Or what `wgboost.censored` returns, where only bounds are known. If X is a frame, y and
            all other parameters that belong to rows can be names of its columns, which are then no
            features, here and in predictions.
        sample_weight : array (n,), optional
            How often each row counts: a weight of 2 is the row twice, and rows of weight zero count
            for nothing. Weights that sum to one are to be multiplied by the number of rows: `l2`
            is in their unit.
        offset : number or array like y, optional
            A known part of the location, which the model does not have to learn; predictions take
            one too.
        exposure : number or array (n,), optional
            What the mean of a count or of a positive y is proportional to, such as time or people
            at risk; instead of an offset, which is its log. Predictions take one too.
        y_std : number or array (n,), optional
            Standard deviation of a known error that y was measured with. Predictions are then of y
            without that error.
        groups : array (n,), optional
            Labels of rows that belong together, such as those of a patient or a day: where rows are
            held out, all rows of a group are, or none. `validation_fraction` is then a share of the
            groups.
        X_val, y_val, sample_weight_val, offset_val, exposure_val, y_std_val : optional
            Rows to watch instead of a share of the training rows, or lists or tuples of several
            such sets: early stopping goes by the first. The weights are those of the metric. These
            rows are never trained on: `refit` has nothing to do then.
        validation_rows : optional
            A mask or indices of the rows of X to hold out, when time decides.
        callbacks : sequence of callables
            Each gets a dict with "round", "metrics", "particles" and more after every round;
            returning True stops. `wgboost.callbacks` has some, and says what is in the dict.
        resume_from : path, optional
            A file of `callbacks.Checkpoint`. The fit goes on from there and gives the model that
            it would have given without a pause. Data and parameters have to be the same, n_jobs
            and verbose aside.

        Notes
        -----
        Ctrl-C ends the fit with the rounds so far and the warning `Interrupted`; while a model is
        refitted on all rows it leaves the one that early stopping found. Before the first round
        it raises KeyboardInterrupt. A fit that raises leaves the estimator as it was.

        With scikit-learn's metadata routing, `fit` asks for offset, exposure, y_std and groups from
        the start, and for sample_weight after ``set_fit_request(sample_weight=True)``.

        With warm_start a further fit adds rounds to the model there is, up to n_estimators, as if
        there had been no pause: validation sets are measured on, their history goes on, and early
        stopping looks at the rounds after the last best one. n_particles, response, prior and
        init cannot change. Rows held out by early_stopping or validation_rows have to be the ones
        of before, which is so with the same data and refit=False; a refitted model has seen them.
        """
        beside = {
            "y": y, "sample_weight": sample_weight, "offset": offset, "exposure": exposure,
            "y_std": y_std, "groups": groups,
        }  # fmt: skip
        beside_val = {
            "y_val": y_val, "sample_weight_val": sample_weight_val, "offset_val": offset_val,
            "exposure_val": exposure_val, "y_std_val": y_std_val,
        }  # fmt: skip
        return self._fit(X, beside, X_val, beside_val, validation_rows, callbacks, resume_from)

    def _check_parameters(self, callbacks: Any = ()) -> None:
        self._check_evidence()
        super()._check_parameters(callbacks)

    def _checked_rows(self, X: Any, **beside: Any) -> PosteriorRows:
        """Return training rows; raise for what a fit to them would raise for once it has begun."""
        self._check_parameters()
        require(self.engine)
        rows = self._rows(X, fitting=True, **beside)
        check_columns(self)
        rows.metrics(self.eval_metric)
        tree_constraints(self, rows.param_names, rows.response.n_params)
        check_start(self, rows)
        return rows

    def _rows(self, X: Any, *, fitting: bool, **beside: Any) -> PosteriorRows:
        X = self._matrix(X, reset=fitting, weight=beside["sample_weight"])
        if fitting:
            self._propose(X, beside)
        codes = self._encode(beside["y"], fitting=fitting)
        n = X.shape[0]
        if len(codes) != n:
            raise ValueError(f"X has {n} rows, y has {len(codes)}")
        weight = self._classed_weight(codes, beside["sample_weight"], n)
        response = self._response()
        if self.prior is not None:
            response = as_response(response, **prior_settings(self.prior))
        response = response.told_by(codes)
        response.check_rows(n)
        names = ("offset", "exposure", "y_std")
        known = beside_y(response, codes, *(beside[name] for name in names))
        unsaid = self.evidence is None or isinstance(self.evidence, str)
        evidence = 1.0 if unsaid else check_evidence(self.evidence, n)
        return PosteriorRows(X, weight, response.check(codes), response, evidence, *known)

    def _classed_weight(self, codes: Array, given: Any, n: int) -> Array | None:
        """Return how much rows count (n,): by themselves, and as one of their class."""
        weight = check_weight(given, n)
        class_weight = self._class_weights(codes, weight)
        if class_weight is None:
            return weight
        return check_weight(class_weight if weight is None else weight * class_weight, n)

    def _check_same_rows(self, rows: PosteriorRows) -> None:
        some = rows.counted
        X = rows.X[some] if isinstance(rows.X, np.ndarray) else rows.X
        warn_other_rows(getattr(self, "_row_marks", None), X, rows.y[some], 4)  # of `fit`

    def _rests_on(self, rows: PosteriorRows) -> dict[str, tuple[Any, Any]]:
        return {"response": (self.response_, without_rows(rows.response))}

    def _previous(self, *, resuming: bool) -> Fit | None:
        previous = super()._previous(resuming=resuming)
        return None if previous is None else replace(previous, units=self.units_)

    def _keep(self, fit: Fit, rows: PosteriorRows) -> None:
        super()._keep(fit, rows)
        self._forget()
        inside = rows.counted if fit.held_out is None else np.setdiff1d(rows.counted, fit.held_out)
        self._row_marks = row_marks(rows.X, rows.y, inside)
        # The prior has done its work; per-row parameters would only take memory.
        self.response_, self.units_ = without_rows(rows.response), fit.units
