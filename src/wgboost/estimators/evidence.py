"""evidence="auto": how many observations a row speaks for, found out while training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wgboost.boosting import BackgroundStart, Replay, Start
from wgboost.data import Features
from wgboost.directions import Kernel
from wgboost.ensemble import FlatTrees
from wgboost.estimators.constraints import tree_constraints
from wgboost.estimators.evidence_trials import (
    Trial,
    best_trial,
    next_on,
    pilot_of,
    sampled,
)
from wgboost.estimators.fitting import Fit
from wgboost.estimators.posterior_rows import PosteriorRows, without_rows
from wgboost.estimators.resuming import Paused, Saver
from wgboost.estimators.training import Training
from wgboost.learners import HistTree
from wgboost.responses import Response
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_number

__all__ = ["ChosenEvidence", "expected"]

_SAMPLE, _TIMES = 10_000, 4  # rows that evidence is chosen on, where there are so many times more
_WATCHED = 10_000  # rows of each set that such a search is measured on
_GROWTH = 0.25  # power of the number of rows that evidence by error grows with
_MOST = 1000.0
_LEAST = 1e-3  # of the mean information: where y says nothing, noise has no bounds
_SCALED = 3.0  # from here on the kernel is in the units of the posterior


@dataclass(frozen=True, eq=False)
class _Due:
    """One over the evidence of some rows, before it is smoothed over x."""

    replay: Replay
    values: Array  # (n,)
    least: float

    def evidence(self, X: Array | None = None) -> Array:
        """Return the evidence of these rows, or of those with features X (k, p)."""
        return 1.0 / self.replay.smoothed(self.values, X).clip(self.least, 1.0)


def expected(response: Response, theta: Array) -> Array:
    """Return what is expected of y at theta, (..., q): means, or medians, or shares of classes."""
    if response.nominal:
        return response.probabilities(theta)
    value = response.mean(theta) if response.has_mean else response.ppf(np.asarray(0.5), theta)
    return value if response.y_shape else np.asarray(value)[..., None]


class ChosenEvidence(Training):
    """Training that can choose the evidence by the rows it watches."""

    @property
    def _automatic(self) -> bool:
        undecided = self.evidence is None and self._seeking
        return undecided or isinstance(self.evidence, str)

    def _check_evidence(self) -> None:
        """Raise for an evidence that makes no sense."""
        if isinstance(self.evidence, str):
            check_choice("evidence", self.evidence, ["auto"])
        elif self.evidence is not None and np.ndim(self.evidence) == 0:
            check_number("evidence", self.evidence, above=0)

    def _level(self) -> float:
        if self._automatic:
            return float(getattr(self, "evidence_", 1.0))
        if np.ndim(self.evidence):  # that of the rows in training
            return float(getattr(self, "evidence_", 1.0))
        return 1.0 if self.evidence is None else float(self.evidence)

    def _kernel(self) -> Kernel:
        if self.kernel is None and self._automatic and self._level() >= _SCALED:
            return Kernel("scaled", self.bandwidth)
        return super()._kernel()

    def _train(
        self, rows: Any, sets: Mapping[str, Any], callbacks: Sequence[Any], previous: Fit | None,
        saver: Saver, paused: Paused | None, *, n_rounds: int | None = None, watch: bool = False,
        stage: str = "", like: Start | None = None,
    ) -> Fit:  # fmt: skip
        goes_on = previous is not None and paused is None
        if not self._automatic:
            each = np.ndim(rows.evidence) > 0
            self.evidence_ = float(rows.evidence[rows.counted].mean()) if each else self._level()
            self.__dict__.pop("evidence_trials_", None)
        elif stage or goes_on:
            [trial] = [one for one in self.evidence_trials_ if one.get("chosen")]
            near = like if previous is None else previous.start
            rows = self._speaking(rows, trial, saver, near, self._course.dues)
        else:
            return self._searched(rows, sets, callbacks, previous, saver, paused, watch, like)
        return super()._train(
            rows, sets, callbacks, previous, saver, paused, n_rounds=n_rounds, watch=watch,
            stage=stage, like=like,
        )  # fmt: skip

    def _searched(
        self, rows: PosteriorRows, sets: Mapping[str, Any], callbacks: Sequence[Any],
        previous: Fit | None, saver: Saver, paused: Paused | None, watch: bool,
        like: Start | None,
    ) -> Fit:  # fmt: skip
        """Train for one evidence after the other and return the best model.

        Of many rows a sample chooses the evidence, which is then trained on all of them.
        """
        if not sets:
            raise ValueError(
                'evidence="auto" is chosen by rows that are not trained on: set '
                "early_stopping=True, or give X_val and y_val, or a number"
            )
        metric = next(iter(sets.values())).metrics(self.eval_metric)[0].name
        if paused is None:
            self.evidence_trials_: list[Trial] = []
        fits: dict[int, Fit] = {}
        few, few_sets = self._sampled(rows, sets)
        has_errors, course = self._has_errors(rows), self._course
        dues: list[_Due] = course.dues
        n_rows, refit_share = self._n_rows, course.refit_share

        def train(trial: Trial, *before: Any) -> Fit:
            near = next((one.start for one in fits.values()), like)
            pilot = fits.get(pilot_of(self.evidence_trials_)) if trial["by_error"] else None
            whole = trial.get("rows", len(rows)) == len(rows)
            self._n_rows = n_rows if whole else few.total(few.counted)
            # A fit to all rows follows the sample, before the refit.
            share = refit_share if whole else (1.0 + refit_share) * len(rows) / len(few)
            course.expect(share)
            some = self._speaking(rows if whole else few, trial, saver, near, dues, pilot)
            name = f"evidence {self.evidence_:.3g}" + " by error" * trial["by_error"]
            if whole and few is not rows:
                name = f"fit {name}"
            course.trial = {"evidence": self.evidence_, "by_error": trial["by_error"]}
            return super(ChosenEvidence, self)._train(
                some, sets if whole else few_sets, callbacks, *before, watch=watch, stage=name,
                like=near,
            )  # fmt: skip

        before: tuple[Any, ...] = (previous, saver, paused)
        cut = interrupted = False  # by a callback while the sample was searched; by Ctrl-C
        decided = paused is not None and paused.stage.startswith("fit")
        while True:
            trial = next_on(self.evidence_trials_, len(few), len(rows), has_errors, decided)
            if trial is None:
                break
            try:
                fit = train(trial, *before)
            except KeyboardInterrupt:  # before its first round
                if not fits:
                    raise
                interrupted = True
                break
            before = (None, saver, None)
            fits[len(self.evidence_trials_)] = fit
            values = fit.history["validation"][metric]
            measured = {"rounds": fit.n_rounds, "value": values[fit.n_rounds], "start": values[0]}
            self.evidence_trials_ = [
                *self.evidence_trials_, {**trial, "evidence": self.evidence_, **measured}
            ]  # fmt: skip
            interrupted = fit.interrupted
            if interrupted or (course.stopped and trial["rows"] == len(rows)):
                break
            if course.stopped:  # what is known by now is trained on all rows
                cut, decided, course.stopped = True, True, False
        self._n_rows = n_rows
        course.expect(refit_share)
        known: Sequence[int] = sorted(fits)
        if not interrupted and not course.stopped:
            trials = enumerate(self.evidence_trials_)
            known = [i for i, one in trials if one.get("rows", len(rows)) == len(rows)]
        course.stopped = course.stopped or cut
        best = known[best_trial([self.evidence_trials_[i] for i in known])]
        self.evidence_trials_[best]["chosen"] = True
        course.trial = None
        trial = self.evidence_trials_[best]
        if best not in fits:  # an earlier process trained it
            return train(trial, None, saver, None)
        self.evidence_ = trial["evidence"]
        return replace(fits[best], interrupted=interrupted)

    def _sampled(
        self, rows: PosteriorRows, sets: Mapping[str, Any]
    ) -> tuple[PosteriorRows, Mapping[str, Any]]:
        """Return the rows to choose the evidence on and those to measure it by."""
        if len(rows) < _TIMES * _SAMPLE:
            return rows, sets
        watched = {name: one.sample(_WATCHED, self.seed_) for name, one in sets.items()}
        return rows.sample(_SAMPLE, self.seed_), watched

    def _speaking(
        self, rows: PosteriorRows, trial: Trial, saver: Saver, like: Start | None,
        dues: list[_Due], pilot: Fit | None = None,
    ) -> PosteriorRows:  # fmt: skip
        """Return the rows with the evidence of a trial.

        By error, it is that of the best constant, times the variance of what particles expect over
        the squared error of it. `pilot` is the model of this constant, if there is one already.
        Where a sample chose the evidence, that of all rows is the function of x that was found on
        the sample. `dues` keeps this for the refit.
        """
        if not trial["by_error"]:
            self.evidence_ = float(trial["evidence"])
            return replace(rows, evidence=self.evidence_, sought=True)
        some, n_rows = rows, self._n_rows
        if sampled([*self.evidence_trials_, trial]):
            inside = self._course.inside
            some = (rows if inside is None else inside()).sample(_SAMPLE, self.seed_)
            self._n_rows = some.total(some.counted)
        else:
            dues.clear()
        try:
            if not dues:
                dues.append(self._due_of_errors(some, saver, like, pilot))
        finally:
            self._n_rows = n_rows
        evidence = dues[0].evidence(None if some is rows else rows.X)
        if some is not rows:  # the more rows, the smaller the errors
            share = rows.total(rows.counted) / some.total(some.counted)
            evidence = (evidence * share**_GROWTH).clip(1.0, _MOST)
        self.evidence_ = float(1.0 / np.average(1.0 / evidence, weights=rows.weight))
        return replace(rows, evidence=evidence, sought=True)

    def _due_of_errors(
        self, rows: PosteriorRows, saver: Saver, like: Start | None, pilot: Fit | None
    ) -> _Due:
        """Return one over the evidence of rows, by the errors of the best constant's model."""
        best = self.evidence_trials_[pilot_of(self.evidence_trials_)]
        self.evidence_ = float(best["evidence"])
        if pilot is None:
            same = replace(rows, evidence=self.evidence_, sought=True)
            pilot = super()._train(
                same, {}, (), None, saver, None, n_rounds=best["rounds"], stage="errors", like=like
            )
            if pilot.interrupted:
                raise KeyboardInterrupt
        return self._due(rows, pilot, self.evidence_)

    def _has_errors(self, rows: PosteriorRows) -> bool:
        """Whether a model can be boosted again: its trees, on rows that are in memory."""
        return isinstance(self._learner(), HistTree) and isinstance(rows.X, np.ndarray)

    def _due(self, rows: PosteriorRows, pilot: Fit, level: float) -> _Due:
        """Return one over the evidence of each row, from how far its model of one level errs."""
        start = pilot.start.at(rows.X)
        replay = self._replay(rows, pilot)
        particles = pilot.ensemble.predict(rows.X, start=start, n_threads=self._n_threads())
        response = without_rows(rows.response)
        truth = particles.mean(axis=1, dtype=np.float64)
        # What y that were measured with errors say is less, and what is learnt of them too.
        seen = rows.seen_from(pilot.start).target(pilot.units).y if rows.noise is not None else None
        information = response.fisher(truth, 1.0, seen)
        information = np.maximum(information, _LEAST * information.mean(axis=0))
        errors = replay.errors(truth, information, start.mean(axis=1, dtype=np.float64))
        self._add_errors_of(pilot.start, rows, errors)
        there = expected(response, truth)[:, None]
        error = np.square(expected(response, truth[:, None] + errors) - there).mean(axis=1)
        spread = expected(response, particles.astype(np.float64)).var(axis=1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            due = error.sum(axis=1) / spread.sum(axis=1) / level
        # A constant start is not replayed, and errs too: no row speaks for more than there are.
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight.astype(np.float64)
        least = max(1.0 / _MOST, float(np.square(weight / weight.sum()).sum()))
        due = np.where(np.isfinite(due), due, 1.0 / level).clip(least, 1.0)
        return _Due(replay, due, least)

    def _add_errors_of(self, start: Start, rows: PosteriorRows, errors: Directions) -> None:
        """Add to errors (n, probes, d) those of a process that particles are relative to."""
        if not isinstance(start, BackgroundStart):
            return
        deviation = np.sqrt(start.background.unsure(start.background.at(rows.X)))
        draws = np.random.default_rng([self.seed_, 2**31 + 4]).standard_normal(errors.shape[:2])
        errors[..., rows.response.location] += (deviation[:, None] * draws).astype(errors.dtype)

    def _replay(self, rows: PosteriorRows, pilot: Fit) -> Replay:
        learner = self._learner()
        if not isinstance(learner, HistTree):
            raise TypeError(f"{learner!r} has no trees to boost again")
        X, n_levels = rows.X, self.schema_.n_levels
        if isinstance(pilot.ensemble, FlatTrees) and pilot.ensemble.level_groups is not None:
            groups = pilot.ensemble.level_groups
            X, n_levels = groups.apply(X), groups.n_levels(n_levels)
        features = Features.from_raw(
            X, bins=self.max_bins, n_levels=n_levels, weight=rows.weight,
            rng=np.random.default_rng([self.seed_, 2**31]), n_threads=self._n_threads(),
        )  # fmt: skip
        plain = replace(
            learner, settings=replace(learner.settings, l2=self.l2), grower=None,
            longest_step=rows.response.longest_step,
            constraints=tree_constraints(self, rows.param_names, pilot.start.shape[1]),
        )  # fmt: skip
        return Replay(
            features, plain, n_rounds=pilot.n_rounds, rate=float(self.learning_rate),
            newton=self.leaf == "newton", weight=rows.weight, seed=self.seed_,
        )  # fmt: skip
