"""evidence="auto": how many observations a row speaks for, found out while training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wgboost.boosting import Start, support
from wgboost.data import Features
from wgboost.directions import Kernel
from wgboost.estimators.fitting import Fit
from wgboost.estimators.posterior_rows import PosteriorRows
from wgboost.estimators.resuming import Paused, Saver
from wgboost.estimators.training import Training
from wgboost.learners import HistTree
from wgboost.typing import Array
from wgboost.validation import check_choice, check_number

__all__ = ["LADDER", "ChosenEvidence", "Trial", "best_trial", "next_trial"]

LADDER = (1.0, 3.0, 10.0, 30.0, 100.0)
_FIRST = 10.0
_NOISY = 10.0  # from here on leaves average over rows, and how many they are says something
_SHARE = 0.4  # of the support: about as much of a mean's error is bias as is variance
_MOST = 1000.0
_SCALED = 3.0  # from here on the kernel is in the units of the posterior
_KEPT = 0.98  # of what the best constant learnt of the watched rows

# "evidence", "by_support", "rounds", the metric's "value", and "start", its value before a round
Trial = dict[str, Any]


def next_trial(trials: Sequence[Trial], has_support: bool = True) -> Trial | None:
    """Return what to try after these: the evidence, and whether rows differ in it by support.

    First one rung of the ladder and then the neighbours of the best until there are no more of
    them, the upper one first, since much evidence takes few rounds; then, where much is best, one
    that follows the support of each row.
    """
    if not trials:
        return {"evidence": _FIRST, "by_support": False}
    constant = {one["evidence"]: one["value"] for one in trials if not one["by_support"]}
    best = min(constant, key=lambda rung: constant[rung])
    at = LADDER.index(best)
    for rung in LADDER[at + 1 : at + 2] + LADDER[max(at - 1, 0) : at]:
        if rung not in constant:
            return {"evidence": rung, "by_support": False}
    if best < _NOISY or not has_support or len(constant) < len(trials):
        return None
    return {"evidence": best, "by_support": True}


def best_trial(trials: Sequence[Trial]) -> int:
    """Return which of the trials to take.

    The constant of the smallest value, or evidence by support if that is hardly worse: it is there
    for the spread of the particles, of which the metric sees little.
    """
    constant = [i for i, one in enumerate(trials) if not one["by_support"]]
    best = min(constant, key=lambda i: trials[i]["value"])
    learnt = trials[best]["start"] - trials[best]["value"]
    for i, one in enumerate(trials):
        if one["by_support"] and one["start"] - one["value"] >= _KEPT * learnt:
            return i
    return best


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
            rounds = n_rounds if n_rounds is not None or previous is None else previous.n_rounds
            [trial] = [one for one in self.evidence_trials_ if one.get("chosen")]
            rows = self._speaking(rows, trial, rounds or 0)
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

        def train(trial: Trial, rounds: int, *before: Any) -> Fit:
            some = self._speaking(rows, trial, rounds)
            name = f"evidence {self.evidence_:.3g}" + " by support" * trial["by_support"]
            return super(ChosenEvidence, self)._train(
                some,
                sets,
                callbacks,
                *before,
                watch=watch,
                stage=name,
                like=next((one.start for one in fits.values()), like),
            )

        def found(trial: Trial) -> int:  # its rounds, or those of the constant it stands upon
            same = [one for one in self.evidence_trials_ if one["evidence"] == trial["evidence"]]
            return int(same[0]["rounds"]) if same else 0

        before: tuple[Any, ...] = (previous, saver, paused)
        while (trial := next_trial(self.evidence_trials_, self._has_support())) is not None:
            fit = train(trial, found(trial), *before)
            before = (None, saver, None)
            fits[len(self.evidence_trials_)] = fit
            values = fit.history["validation"][metric]
            measured = {"rounds": fit.n_rounds, "value": values[fit.n_rounds], "start": values[0]}
            trial = {**trial, "evidence": self.evidence_, **measured}
            self.evidence_trials_ = [*self.evidence_trials_, trial]
            if fit.interrupted:
                break
        interrupted = any(fit.interrupted for fit in fits.values())
        known = sorted(fits) if interrupted else range(len(self.evidence_trials_))
        best = known[best_trial([self.evidence_trials_[i] for i in known])]
        self.evidence_trials_[best]["chosen"] = True
        trial = self.evidence_trials_[best]
        if best not in fits:  # an earlier process trained it
            return train(trial, found(trial), None, saver, None)
        self.evidence_ = trial["evidence"]
        return replace(fits[best], interrupted=interrupted)

    def _speaking(self, rows: PosteriorRows, trial: Trial, rounds: int) -> PosteriorRows:
        """Return the rows with the evidence of a trial; by support, that of so many rounds."""
        self.evidence_ = float(trial["evidence"])
        if not trial["by_support"]:
            return replace(rows, evidence=self.evidence_, sought=True)
        evidence = np.clip(_SHARE * self._support(rows, rounds), LADDER[0], _MOST)
        self.evidence_ = float(np.exp(np.average(np.log(evidence), weights=rows.weight)))
        return replace(rows, evidence=evidence, sought=True)

    def _has_support(self) -> bool:
        return isinstance(self._learner(), HistTree)

    def _support(self, rows: PosteriorRows, rounds: int) -> Array:
        """How many rows predictions of so many rounds rest on, at each of these rows."""
        learner = self._learner()
        if not isinstance(learner, HistTree):
            raise TypeError(f"{learner!r} has no trees to count rows in")
        features = Features.from_raw(
            rows.X, bins=self.max_bins, n_levels=self.schema_.n_levels, weight=rows.weight,
            rng=np.random.default_rng([self.seed_, 2**31]), n_threads=self._n_threads(),
        )  # fmt: skip
        plain = replace(learner, settings=replace(learner.settings, l2=self.l2))
        return support(
            features, plain, n_rounds=rounds, rate=float(self.learning_rate),
            newton=self.leaf == "newton", weight=rows.weight, seed=self.seed_,
        )  # fmt: skip
