"""What regressor and classifier share: fit to y."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.boosting import EstimatorStart
from wgboost.data import without_column
from wgboost.estimators.continuing import check_continuation, description, without_rows
from wgboost.estimators.fitting import Fit, HeldOut, train, warn_interrupted
from wgboost.estimators.parameters import prior_settings
from wgboost.estimators.predictions import Predictions
from wgboost.estimators.rows import Rows, WatchedRows, beside_y, given_sets, split_rows
from wgboost.estimators.starting import make_start
from wgboost.metrics import Metric, as_metric
from wgboost.responses import Response, as_response, standardised
from wgboost.targets import PosteriorTarget
from wgboost.typing import Array
from wgboost.validation import check_weight

__all__ = ["Evidential"]


class Evidential(Predictions, ABC):
    """Evidential learning: the target of a row is the posterior of its response parameters."""

    # --- what a subclass says -----------------------------------------------------------------

    @abstractmethod
    def _encode(self, y: Any, *, fitting: bool) -> Array:
        """Return y as the response takes it: numbers, or the codes of classes."""

    @abstractmethod
    def _response(self) -> Response:
        """Return the response that the parameters name."""

    def _class_weights(self, y: Array, weight: Array | None) -> Array | None:  # noqa: ARG002
        """Weights (n,) that classes bring along, beside those of the rows."""
        return None

    # --- fitting ------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        y_std: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        offset_val: Any = None,
        y_std_val: Any = None,
        validation_rows: Any = None,
        callbacks: Sequence[Any] = (),
    ) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame (n, p)
            NaN and null mean missing; infinities are values. Frames of pandas, polars and Arrow
            bring names, and categories as text or of a categorical type.
        y : array (n,), or (n, q) for a response of several columns
            Or the name of a column of X, if that is a frame. Or what
            `wgboost.censored` returns, where only bounds are known.
        sample_weight : array (n,), optional
            Rows of weight zero count for nothing.
        offset : number or array like y, optional
            A known part of the location, which the model does not have to learn; predictions take
            one too. Where the location is a log mean, the log of an exposure.
        y_std : number or array (n,), optional
            Standard deviation of a known error that y was measured with. Predictions are then of y
            without that error.
        X_val, y_val, offset_val, y_std_val : optional
            Rows to watch instead of a share of the training rows, or lists or tuples of several
            such sets: early stopping goes by the first.
        validation_rows : optional
            A mask or indices of the rows of X to hold out, when groups or time decide.
        callbacks : sequence of callables
            Each gets {"round", "metrics", "particles"} after every round; returning True stops.

        Notes
        -----
        Ctrl-C ends the fit with the rounds so far and the warning `Interrupted`; while a model is
        refitted on all rows it leaves the one that early stopping found. Before the first round
        it raises KeyboardInterrupt. A fit that raises leaves the estimator as it was.

        With warm_start a further fit adds rounds to the model there is, up to n_estimators, as if
        there had been no pause: validation sets are measured on, their history goes on, and early
        stopping looks at the rounds after the last best one. n_particles, response, prior and
        init cannot change. Rows held out by early_stopping or validation_rows have to be the ones
        of before, which is so with the same data and refit=False; a refitted model has seen them.
        """
        with self._all_or_nothing():
            self._check_parameters(callbacks)
            if isinstance(y, str):
                X, y = without_column(X, y)
            previous = self._previous()
            rows = self._rows(X, y, sample_weight, offset, y_std, fitting=previous is None)
            metric = as_metric(self.eval_metric, rows.response)
            beside = {"offset_val": offset_val, "y_std_val": y_std_val}
            sets = given_sets(self, rows.response, X_val, y_val, beside)
            if sets and validation_rows is not None:
                raise ValueError("give X_val and y_val, or validation_rows: one of the two")
            if previous is None:
                self.seed_ = self._seed()
            else:
                check_continuation(self, rows.response)
            if sets or not (self.early_stopping or validation_rows is not None):
                fit = self._train(rows, sets, metric, callbacks, previous)
            else:
                fit = self._train_held_out(rows, validation_rows, metric, callbacks, previous)
            self._keep(fit, rows.response)
        unfinished = self.refit and fit.held_out is not None
        warn_interrupted(fit, ", not refitted on all rows" if unfinished else "")
        return self

    def _rows(
        self, X: Any, y: Any, sample_weight: Any, offset: Any, y_std: Any, *, fitting: bool
    ) -> Rows:
        """Return the training data, checked."""
        X = self._matrix(X, reset=fitting, weight=sample_weight)
        codes = self._encode(y, fitting=fitting)
        n = X.shape[0]
        if len(codes) != n:
            raise ValueError(f"X has {n} rows, y has {len(codes)}")
        weight = check_weight(sample_weight, n)
        class_weight = self._class_weights(codes, weight)
        if class_weight is not None:
            weight = check_weight(class_weight if weight is None else weight * class_weight, n)
        response = self._response()
        if self.prior is not None:
            response = as_response(response, **prior_settings(self.prior))
        response = response.told_by(codes)
        response.check_rows(n)
        beside = beside_y(response, codes, offset, y_std)
        evidence = _evidence(self.evidence, n)
        return Rows(X, response.check(codes), weight, response, evidence, *beside)

    def _train_held_out(
        self, rows: Rows, validation_rows: Any, metric: Metric, callbacks: Sequence[Any],
        previous: Fit | None,
    ) -> Fit:  # fmt: skip
        """Find the number of rounds on held-out rows, then refit on all of them if asked."""
        inside, outside = split_rows(rows, validation_rows, self.validation_fraction, self.seed_)
        before = outside if previous is None else previous.held_out
        if before is None or not np.array_equal(before, outside):
            raise ValueError(
                "warm_start cannot hold out rows that the model may have seen, in a refit or "
                "because other rows were held out before: give X_val and y_val, or fit with "
                "refit=False from the start and keep the data, or set early_stopping=False"
            )
        held = rows.take(outside)
        sets = [WatchedRows("validation", held.X, held.y, held.weight, held.offset, held.noise)]
        found = self._train(rows.take(inside), sets, metric, callbacks, previous, watch=True)
        found = replace(found, held_out=outside)
        if found.interrupted or not self.refit:
            return found
        try:
            again = self._train(rows, [], metric, (), n_rounds=found.n_rounds)
        except KeyboardInterrupt:
            return replace(found, interrupted=True)
        if again.interrupted:  # fewer rounds than were found best
            return replace(found, interrupted=True)
        return replace(again, history=found.history)

    def _train(
        self, rows: Rows, sets: Sequence[WatchedRows], metric: Metric, callbacks: Sequence[Any],
        previous: Fit | None = None, *, n_rounds: int | None = None, watch: bool = False,
    ) -> Fit:  # fmt: skip
        response, plain = rows.response, without_rows(rows.response)
        units = rows.units() if previous is None else previous.units
        if previous is None:
            start, particles = make_start(self, rows, units, self.seed_)
        else:
            start, particles = previous.start, previous.start.at(rows.X)
            if isinstance(start, EstimatorStart):  # its training rows start out of fold
                particles = make_start(self, rows, units, self.seed_)[1]
        return train(
            self, rows.X, PosteriorTarget(response, standardised(rows.seen, units), rows.evidence),
            start, particles, weight=rows.weight, seed=self.seed_, units=units,
            n_rounds=self.n_estimators if n_rounds is None else n_rounds,
            held_out=[
                HeldOut(one.name, one.X, {metric.name: one.scorer(metric, plain, units)})
                for one in sets
            ],
            watch=metric.name if self.early_stopping or watch else None,
            callbacks=callbacks, previous=previous,
        )  # fmt: skip

    def _previous(self) -> Fit | None:
        """The model to go on from, if there is one and warm_start says so."""
        if not (self.warm_start and hasattr(self, "ensemble_")):
            return None
        return Fit(
            self.ensemble_, self.start_, self.units_, self.history_, held_out=self.validation_rows_
        )

    def _keep(self, fit: Fit, response: Response) -> None:
        # The prior has done its work; per-row parameters would only take memory.
        self.response_, self._init = without_rows(response), description(self.init)
        self.ensemble_, self.start_, self.units_ = fit.ensemble, fit.start, fit.units
        self.n_estimators_, self.history_ = fit.n_rounds, fit.history
        self.validation_rows_, self.interrupted_ = fit.held_out, fit.interrupted


def _evidence(evidence: Any, n: int) -> Any:
    if np.ndim(evidence) == 0:
        return float(evidence)
    values = np.asarray(evidence, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(
            f"evidence has shape {values.shape}; a number, or one for each of {n} rows, is needed"
        )
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        row = int(np.argmin(good))
        raise ValueError(f"evidence is {values[row]} at row {row}; it must be finite and > 0")
    return values
