"""How a model is trained, whatever its rows are: held-out rows, refit, warm start."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.boosting import EstimatorStart
from wgboost.estimators.continuing import check_continuation, description
from wgboost.estimators.fitting import Fit, HeldOut, train, warn_interrupted
from wgboost.estimators.rows import Rows, given_sets, split_rows
from wgboost.estimators.tree_view import TreeView

__all__ = ["Training"]


class Training(TreeView, ABC):
    """The one way from rows to a fitted estimator.

    A subclass says what its rows are; `Rows` has their start, targets and metric.
    """

    @abstractmethod
    def _rows(self, X: Any, *, fitting: bool, **beside: Any) -> Rows:
        """Return the training rows, checked: X, and y, sample_weight, ... as `fit` takes them."""

    def _rests_on(self, rows: Any) -> dict[str, tuple[Any, Any]]:  # noqa: ARG002
        """What rounds cannot go on without, by name: as it was fitted, and as it is now."""
        return {}

    def _fit(
        self, X: Any, beside: dict[str, Any], X_val: Any, beside_val: dict[str, Any],
        validation_rows: Any, callbacks: Sequence[Any],
    ) -> Any:  # fmt: skip
        """Do what `fit` says. `beside` and `beside_val`: what belongs to the rows, by name."""
        with self._all_or_nothing():
            self._check_parameters(callbacks)
            previous = self._previous()
            rows = self._rows(X, fitting=previous is None, **beside)
            sets = given_sets(self, rows, X_val, beside_val)
            if sets and validation_rows is not None:
                raise ValueError("give X_val and y_val, or validation_rows: one of the two")
            hold_out = not sets and (self.early_stopping or validation_rows is not None)
            if sets or hold_out or self.eval_metric is not None:
                for one in sets.values() or [rows]:
                    one.metrics(self.eval_metric)
            if previous is None:
                self.seed_ = self._seed()
            else:
                check_continuation(self, self._rests_on(rows))
            if hold_out:
                fit = self._train_held_out(rows, validation_rows, callbacks, previous)
            else:
                fit = self._train(rows, sets, callbacks, previous)
            self._keep(fit, rows)
        unfinished = self.refit and fit.held_out is not None
        warn_interrupted(fit, ", not refitted on all rows" if unfinished else "")
        return self

    def _train_held_out(
        self, rows: Rows, validation_rows: Any, callbacks: Sequence[Any], previous: Fit | None
    ) -> Fit:
        """Find the number of rounds on held-out rows, then refit on all of them if asked."""
        inside, outside = split_rows(rows, validation_rows, self.validation_fraction, self.seed_)
        before = outside if previous is None else previous.held_out
        if before is None or not np.array_equal(before, outside):
            raise ValueError(
                "warm_start cannot hold out rows that the model may have seen, in a refit or "
                "because other rows were held out before: give X_val and y_val, or fit with "
                "refit=False from the start and keep the data, or set early_stopping=False"
            )
        sets = {"validation": rows.take(outside)}
        found = self._train(rows.take(inside), sets, callbacks, previous, watch=True)
        found = replace(found, held_out=outside)
        if found.interrupted or not self.refit:
            return found
        try:
            again = self._train(rows, {}, (), n_rounds=found.n_rounds, stage="refit")
        except KeyboardInterrupt:
            return replace(found, interrupted=True)
        if again.interrupted:  # fewer rounds than were found best
            return replace(found, interrupted=True)
        return replace(again, history=found.history, refitted=True)

    def _train(
        self, rows: Rows, sets: Mapping[str, Rows], callbacks: Sequence[Any],
        previous: Fit | None = None, *, n_rounds: int | None = None, watch: bool = False,
        stage: str = "",
    ) -> Fit:  # fmt: skip
        if previous is None:
            units = rows.units()
            start, particles = rows.start(self, units)
        else:
            units, start = previous.units, previous.start
            # With an estimator as start training rows begin out of fold.
            fixed = not isinstance(start, EstimatorStart)
            particles = start.at(rows.X) if fixed else rows.start(self, units)[1]
        held_out = []
        for name, one in sets.items():
            scorers = {m.name: one.scorer(m, units) for m in one.metrics(self.eval_metric)}
            held_out.append(HeldOut(name, one.X, scorers))
        return train(
            self, rows.X, rows.target(units), start, particles, weight=rows.weight,
            seed=self.seed_, units=units, held_out=held_out, callbacks=callbacks,
            n_rounds=self.n_estimators if n_rounds is None else n_rounds,
            watch=self.early_stopping or watch, previous=previous, stage=stage,
        )  # fmt: skip

    def _previous(self) -> Fit | None:
        """The model to go on from, if there is one and warm_start says so."""
        if not (self.warm_start and hasattr(self, "ensemble_")):
            return None
        return Fit(
            self.ensemble_, self.start_, history=self.history_, held_out=self.validation_rows_
        )

    def _keep(self, fit: Fit, rows: Any) -> None:  # noqa: ARG002
        """Set the fitted attributes."""
        self._init = description(self.init)
        self.ensemble_, self.start_ = fit.ensemble, fit.start
        self.n_estimators_, self.history_ = fit.n_rounds, fit.history
        self.validation_rows_, self.refitted_ = fit.held_out, fit.refitted
        self.interrupted_ = fit.interrupted
