"""evidence="auto": how many observations a row speaks for, found out while training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.boosting import BackgroundStart, Replay, Start
from wgboost.data import Features
from wgboost.directions import Kernel
from wgboost.estimators.constraints import tree_constraints
from wgboost.estimators.fitting import Fit
from wgboost.estimators.posterior_rows import PosteriorRows, without_rows
from wgboost.estimators.resuming import Paused, Saver
from wgboost.estimators.training import Training
from wgboost.learners import HistTree
from wgboost.responses import Response
from wgboost.typing import Array, Directions
from wgboost.validation import check_choice, check_number

__all__ = [
    "LADDER",
    "ChosenEvidence",
    "Trial",
    "best_constant",
    "best_trial",
    "expected",
    "next_trial",
]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = 10.0
_NOISY = 10.0  # from here on leaves average over rows, and how well they do says something
_MOST = 1000.0
_LEAST = 1e-3  # of the mean information: where y says nothing, noise has no bounds
_SCALED = 3.0  # from here on the kernel is in the units of the posterior
_KEPT = 0.95  # of what the best constant learnt of the watched rows

# "evidence", "by_error", "rounds", the metric's "value", and "start", its value before a round
Trial = dict[str, Any]


def next_trial(trials: Sequence[Trial], has_errors: bool = True) -> Trial | None:
    """Return what to try after these: the evidence, and whether rows differ in it by their errors.

    First one rung of the ladder and then the neighbours of the best until there are no more of
    them, the upper one first, since much evidence takes few rounds; then, where much is best, one
    that follows how far the best of them errs at each row.
    """
    if not trials:
        return {"evidence": _FIRST, "by_error": False}
    constant = {one["evidence"]: one["value"] for one in trials if not one["by_error"]}
    best = min(constant, key=lambda rung: constant[rung])
    at = LADDER.index(best)
    for rung in LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]:
        if rung not in constant:
            return {"evidence": rung, "by_error": False}
    if best < _NOISY or not has_errors or len(constant) < len(trials):
        return None
    return {"evidence": best, "by_error": True}


def best_constant(trials: Sequence[Trial]) -> int:
    """Return which of the trials has the smallest value among those with the same evidence."""
    constant = [i for i, one in enumerate(trials) if not one["by_error"]]
    return min(constant, key=lambda i: trials[i]["value"])


def best_trial(trials: Sequence[Trial]) -> int:
    """Return which of the trials to take.

    The constant of the smallest value, or evidence by error if that is hardly worse: it is there
    for the spread of the particles, of which the metric sees little. Not where it comes to less
    than leaves that average over noise ask for: there a model errs by more than y does.
    """
    if all(one["by_error"] for one in trials):
        return 0
    best = best_constant(trials)
    learnt = trials[best]["start"] - trials[best]["value"]
    for i, one in enumerate(trials):
        kept = one["start"] - one["value"] >= _KEPT * learnt
        if one["by_error"] and one["evidence"] >= _NOISY and kept:
            return i
    return best


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
            rows = self._speaking(rows, trial, saver, near)
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
        """Train for one evidence after the other and return the best model."""
        if not sets:
            raise ValueError(
                'evidence="auto" is chosen by rows that are not trained on: set '
                "early_stopping=True, or give X_val and y_val, or a number"
            )
        metric = next(iter(sets.values())).metrics(self.eval_metric)[0].name
        if paused is None:
            self.evidence_trials_: list[Trial] = []
        fits: dict[int, Fit] = {}

        def train(trial: Trial, *before: Any) -> Fit:
            near = next((one.start for one in fits.values()), like)
            pilot = fits.get(best_constant(self.evidence_trials_)) if trial["by_error"] else None
            some = self._speaking(rows, trial, saver, near, pilot)
            name = f"evidence {self.evidence_:.3g}" + " by error" * trial["by_error"]
            self._course.trial = {"evidence": self.evidence_, "by_error": trial["by_error"]}
            return super(ChosenEvidence, self)._train(
                some, sets, callbacks, *before, watch=watch, stage=name, like=near
            )

        before: tuple[Any, ...] = (previous, saver, paused)
        stopped = False
        has_errors = self._has_errors(rows)
        while (trial := next_trial(self.evidence_trials_, has_errors)) is not None:
            try:
                fit = train(trial, *before)
            except KeyboardInterrupt:  # before its first round
                if not fits:
                    raise
                stopped = True
                break
            before = (None, saver, None)
            fits[len(self.evidence_trials_)] = fit
            values = fit.history["validation"][metric]
            measured = {"rounds": fit.n_rounds, "value": values[fit.n_rounds], "start": values[0]}
            trial = {**trial, "evidence": self.evidence_, **measured}
            self.evidence_trials_ = [*self.evidence_trials_, trial]
            if fit.interrupted or self._course.stopped:
                break
        interrupted = stopped or any(fit.interrupted for fit in fits.values())
        ended = interrupted or self._course.stopped
        known = sorted(fits) if ended else range(len(self.evidence_trials_))
        best = known[best_trial([self.evidence_trials_[i] for i in known])]
        self.evidence_trials_[best]["chosen"] = True
        self._course.trial = None
        trial = self.evidence_trials_[best]
        if best not in fits:  # an earlier process trained it
            return train(trial, None, saver, None)
        self.evidence_ = trial["evidence"]
        return replace(fits[best], interrupted=interrupted)

    def _speaking(
        self, rows: PosteriorRows, trial: Trial, saver: Saver, like: Start | None,
        pilot: Fit | None = None,
    ) -> PosteriorRows:  # fmt: skip
        """Return the rows with the evidence of a trial.

        By error, it is that of the best constant, times the variance of what particles expect over
        the squared error of it. `pilot` is the model of this constant, if there is one already.
        """
        if not trial["by_error"]:
            self.evidence_ = float(trial["evidence"])
            return replace(rows, evidence=self.evidence_, sought=True)
        best = self.evidence_trials_[best_constant(self.evidence_trials_)]
        self.evidence_ = float(best["evidence"])
        if pilot is None:
            same = replace(rows, evidence=self.evidence_, sought=True)
            pilot = super()._train(
                same, {}, (), None, saver, None, n_rounds=best["rounds"], stage="errors", like=like
            )
            if pilot.interrupted:
                raise KeyboardInterrupt
        evidence = 1.0 / self._due(rows, pilot, self.evidence_)
        self.evidence_ = float(1.0 / np.average(1.0 / evidence, weights=rows.weight))
        return replace(rows, evidence=evidence, sought=True)

    def _has_errors(self, rows: PosteriorRows) -> bool:
        """Whether a model can be boosted again: its trees, on rows that are in memory."""
        return isinstance(self._learner(), HistTree) and isinstance(rows.X, np.ndarray)

    def _due(self, rows: PosteriorRows, pilot: Fit, level: float) -> Array:
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
        return replay.smoothed(due).clip(least, 1.0)

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
        features = Features.from_raw(
            rows.X, bins=self.max_bins, n_levels=self.schema_.n_levels, weight=rows.weight,
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
