"""How a model is trained, whatever its rows are: held-out rows, refit, warm start."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from wgboost.boosting import Start
from wgboost.data import Batches, named_columns
from wgboost.engines import require
from wgboost.ensemble import FlatTrees, RoundList
from wgboost.estimators.constraints import tree_constraints
from wgboost.estimators.continuing import check_continuation, description
from wgboost.estimators.cost import check_cost
from wgboost.estimators.course import Course
from wgboost.estimators.distinct import Distinct, grouped
from wgboost.estimators.engine import check_columns
from wgboost.estimators.fitting import (
    Fit,
    HeldOut,
    History,
    train,
    warn_fixed_rounds,
    warn_interrupted,
    warn_limit,
    warn_weights,
)
from wgboost.estimators.resuming import Paused, Saver, resume
from wgboost.estimators.rows import Rows, given_sets, split_rows
from wgboost.estimators.streaming import read_batches, refuse_batches
from wgboost.estimators.tree_view import TreeView
from wgboost.metrics import Metric
from wgboost.metrics.row_parameters import row_parameters
from wgboost.responses import Units
from wgboost.typing import Array, Directions
from wgboost.validation import check_weight, refuse_masked

__all__ = ["Training", "trained"]

_SHOWN = 2000  # training rows that are measured for what is printed


class Training(TreeView, ABC):
    """The one way from rows to a fitted estimator.

    A subclass says what its rows are; `Rows` has their start, targets and metric.
    """

    ensemble_: FlatTrees | RoundList
    start_: Start
    n_estimators_: int
    history_: History
    validation_rows_: Array | None
    refitted_: bool
    interrupted_: bool
    seed_: int
    # Of several models of the same rows: units of y that all have to have, and a start of another.
    _seeking: bool = False  # what is left open is sought, as rounds are, or was before
    _units: Units | None = None
    _limit: int | None = None  # rounds that early stopping ended at, the metric still improving
    _like: Start | None = None

    @abstractmethod
    def _rows(self, X: Any, *, fitting: bool, **beside: Any) -> Rows:
        """Return the training rows, checked: X, and y, sample_weight, ... as `fit` takes them."""

    def _row_weight(self, beside: dict[str, Any], n: int, *, fitting: bool) -> Array | None:  # noqa: ARG002
        """Return how much rows count (n,), where features are cut before there are `Rows`."""
        return check_weight(beside["sample_weight"], n)

    def _check_same_rows(self, rows: Any) -> None:
        """Warn if rounds are added to a model of other rows than these, where that is known."""

    def _rests_on(self, rows: Any) -> dict[str, tuple[Any, Any]]:  # noqa: ARG002
        """What rounds cannot go on without, by name: as it was fitted, and as it is now."""
        return {}

    def _fit(
        self, X: Any, beside: dict[str, Any], X_val: Any, beside_val: dict[str, Any],
        validation_rows: Any, callbacks: Sequence[Any], resume_from: Any = None,
    ) -> Self:  # fmt: skip
        """Do what `fit` says. `beside` and `beside_val`: what belongs to the rows, by name."""
        with self._all_or_nothing():
            self._course = vars(self).get("_course") or Course()  # a bag has one for all members
            self._check_parameters(callbacks)
            for name, value in {**beside, **beside_val}.items():
                refuse_masked(name, value)
            require(self.engine)
            paused = None if resume_from is None else resume(self, resume_from)
            previous = self._previous(resuming=paused is not None)
            X, beside, names = named_columns(X, beside)
            groups = beside.pop("groups", None)
            self.row_parameters_ = row_parameters(beside, names)
            if "groups" in names:  # no feature, here and in predictions
                self.row_parameters_["groups"] = names["groups"]
            refuse_batches(X_val)
            X, beside = self._taken_in(X, beside, fitting=previous is None)
            rows = self._rows(X, fitting=previous is None, **beside)
            check_columns(self)
            warn_weights(self, rows.weight)
            self._n_rows = rows.total(rows.counted)
            if previous is None:
                check_cost(self, rows)
                warn_fixed_rounds(self)
            sets = given_sets(self, rows, X_val, beside_val)
            if sets and validation_rows is not None:
                raise ValueError("give X_val and y_val, or validation_rows: one of the two")
            if groups is not None and validation_rows is not None:
                raise ValueError("give validation_rows, or groups to hold out: one of the two")
            units = None if groups is None else grouped(groups, rows.weight, len(rows))
            stopping = self._stops_early(len(rows.to_split))
            hold_out = not sets and (stopping or validation_rows is not None)
            goes_on = previous is not None and paused is None
            sought = hasattr(self, "evidence_trials_")
            self._seeking = sought if goes_on else stopping
            if sets or hold_out or self.eval_metric is not None:
                for one in sets.values() or [rows]:
                    one.metrics(self.eval_metric)
            if previous is None:
                self.seed_ = self._seed()
            else:
                check_continuation(self, {**self._rests_on(rows), **self._constrained(rows)})
                if goes_on:
                    self._check_same_rows(rows)
            saver = Saver(self, rows, sets)
            if paused is not None:
                paused.check_data(saver)
                self._seed()  # a RandomState moves on as in the fit that was paused
            if hold_out:
                fit = self._train_held_out(
                    rows, validation_rows, callbacks, previous, saver, paused, units
                )
            else:
                merged = rows.merged()
                fit = self._train(merged, sets, callbacks, previous, saver, paused, watch=stopping)
            self._keep(fit, rows)
            del self._course
        unfinished = self.refit and fit.held_out is not None
        self._limit = fit.limit
        warn_limit(self, fit)
        warn_interrupted(fit, ", not refitted on all rows" if unfinished else "")
        return self

    def _train_held_out(
        self, rows: Rows, validation_rows: Any, callbacks: Sequence[Any], previous: Fit | None,
        saver: Saver, paused: Paused | None, units: Distinct | None = None,
    ) -> Fit:  # fmt: skip
        """Find the number of rounds on held-out rows, then refit on all of them if asked.

        `units` are what is held out as a whole: groups, or by default rows with their copies.
        """
        inside, outside = split_rows(
            rows, validation_rows, self.validation_fraction, self.seed_, units
        )
        self._n_rows = rows.total(inside)
        self._course.inside = partial(rows.part, inside)
        if previous is not None and paused is not None and paused.stage == "refit":
            return self._refit(rows, callbacks, None, saver, paused, previous)
        before = outside if previous is None else previous.held_out
        if before is None or not np.array_equal(before, outside):
            raise ValueError(
                "warm_start cannot hold out rows that the model may have seen, in a refit or "
                "because other rows were held out before: give X_val and y_val, or fit with "
                "refit=False from the start and keep the data, or set early_stopping=False"
            )
        sets = {"validation": rows.part(outside)}
        held = replace(saver, held_out=outside)
        watch = self.early_stopping is None or bool(self.early_stopping)
        self._course.refit_share = len(rows) / inside.size if self.refit else 0.0
        some = rows.part(inside)
        found = self._train(some, sets, callbacks, previous, held, paused, watch=watch)
        found = replace(found, held_out=outside)
        if found.interrupted or not self.refit:
            return found
        return self._refit(rows, callbacks, found, saver)

    def _refit(
        self, rows: Rows, callbacks: Sequence[Any], found: Fit | None, saver: Saver,
        paused: Paused | None = None, previous: Fit | None = None,
    ) -> Fit:  # fmt: skip
        """Train on all rows, as many rounds as were found best, or as a checkpoint says."""
        chosen = previous if found is None else found
        goal = paused.n_rounds if paused is not None else found.n_rounds if found else 0
        callbacks = [one for one in callbacks if getattr(one, "in_refit", False)]
        history = chosen.history if chosen is not None else {}
        course = self._course
        search_ended, course.stopped = course.stopped, False  # a refit follows all the same
        try:
            again = self._train(
                rows.merged(), {}, callbacks, previous, replace(saver, history=history), paused,
                n_rounds=goal, stage="refit", like=None if found is None else found.start,
            )  # fmt: skip
            if again.interrupted:  # fewer rounds than were found best
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            if found is None:  # the checkpoint has no other model to fall back to
                raise
            return replace(found, interrupted=True)
        cut, course.stopped = course.stopped, course.stopped or search_ended
        if found is not None and cut and again.n_rounds < goal:
            return found
        limit = None if chosen is None else chosen.limit
        return replace(again, history=history, refitted=True, limit=limit)

    def _train(
        self, rows: Rows, sets: Mapping[str, Rows], callbacks: Sequence[Any], previous: Fit | None,
        saver: Saver, paused: Paused | None, *, n_rounds: int | None = None, watch: bool = False,
        stage: str = "", like: Start | None = None,
    ) -> Fit:  # fmt: skip
        if previous is None:
            units = rows.units() if self._units is None else self._units
            start, rows = rows.start(self, units, like or self._like)
        else:
            units, start = previous.units, previous.start
            rows = rows.resumed(self, units, start)
        return self._run(
            rows, sets, start, units, callbacks=callbacks,
            constraints=tree_constraints(self, rows.param_names, start.shape[1]),
            n_rounds=self._most_rounds(watched=watch) if n_rounds is None else n_rounds,
            watch=watch, previous=previous, stage=stage,
            save=replace(saver, stage=stage), seen=None if paused is None else paused.watch,
        )  # fmt: skip

    def _run(
        self, rows: Rows, sets: Mapping[str, Rows], start: Start, units: Units, **how: Any
    ) -> Fit:
        """Add the rounds: here."""
        measure = self._measure(rows, units) if self.verbose else None
        return trained(self, rows, sets, start, units, measure=measure, **how)

    def _taken_in(
        self, X: Any, beside: dict[str, Any], *, fitting: bool
    ) -> tuple[Any, dict[str, Any]]:
        """Return X, and what belongs to its rows, in a form that rows are made of."""
        if isinstance(X, Batches):
            return read_batches(self, X, beside, fitting=fitting)
        return X, beside

    def _measure(self, rows: Rows, units: Units) -> Any:
        """What `verbose` shows of the training rows: the metric of some, if there is one."""
        try:
            metric = rows.metric(self.eval_metric)
        except ValueError:  # targets that nothing is measured against
            return None
        some = rows.counted[:: -(-len(rows) // _SHOWN)]
        score = rows.take(some).scorer(metric, units)
        return lambda particles: {"train": {metric.name: score(particles[some])}}

    def _previous(self, *, resuming: bool) -> Fit | None:
        """The model to go on from, if there is one and warm_start or a checkpoint says so."""
        if not ((self.warm_start or resuming) and hasattr(self, "ensemble_")):
            return None
        return Fit(
            self.ensemble_, self.start_, history=self.history_, held_out=self.validation_rows_
        )

    def _constrained(self, rows: Rows) -> dict[str, tuple[Any, Any]]:
        now = repr(tree_constraints(self, rows.param_names, self.start_.shape[1]))
        return {"constraints": (self._constraints, now)}

    def _keep(self, fit: Fit, rows: Any) -> None:
        """Set the fitted attributes; what a file said of an earlier model is gone."""
        self.__dict__.pop("metadata_", None)
        self._init = description(self.init)
        self.ensemble_, self.start_ = fit.ensemble, fit.start
        self.n_estimators_, self.history_ = fit.n_rounds, fit.history
        self.validation_rows_, self.refitted_ = fit.held_out, fit.refitted
        self.interrupted_ = fit.interrupted
        self._constraints = repr(tree_constraints(self, rows.param_names, fit.start.shape[1]))


def trained(
    estimator: Any, rows: Rows, sets: Mapping[str, Rows], start: Start, units: Units, *,
    scorer: Callable[[Rows, Metric, Units], Callable[[Directions], float]] | None = None,
    seed: int | None = None, **how: Any,
) -> Fit:  # fmt: skip
    """Add rounds to the model of rows as seen from their start; `how` is for `train`.

    `scorer` makes a metric a function of the particles of rows to watch, in place of `Rows.scorer`.
    """
    held_out = []
    for name, one in sets.items():
        new = one.seen_from(start)
        scores = {
            m.name: new.scorer(m, units) if scorer is None else scorer(new, m, units)
            for m in new.metrics(estimator.eval_metric)
        }
        held_out.append(HeldOut(name, one.X, scores))
    return train(
        estimator, rows.X, rows.target(units), start, rows.particles(start),
        weight=rows.tree_weight(estimator.leaf), seed=estimator.seed_ if seed is None else seed,
        units=units, held_out=held_out, **how,
    )  # fmt: skip
