"""The progress of a fit: what callbacks get beyond the rounds of one model."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Any

__all__ = ["FitProgress"]

_SLACK = 1.3  # a refit, and what follows it, over what the search took for the same rounds


@dataclass(eq=False)
class FitProgress:
    """One `fit` from beginning to end: all trials, the refit, all models of a bag.

    Attributes
    ----------
    member : dict or None
        "recipe" and "fold" of the model of a bag that is being fitted, and "trial", whether it is
        for the comparison of recipes only.
    trial : dict or None
        "evidence" of the trial of an evidence search.
    refit_share : float
        Rows that are to be trained on after this stage, in a refit and, after a search on a
        sample, in the fit to all rows, over those of the stage; 0 if none are.
    start_seconds : float
        How long it took to find the start of the present stage. A refit finds its own.
    stopped : bool
        Whether a callback has ended the fit by returning True.
    """

    began: float = field(default_factory=lambda: monotonic())
    member: dict[str, Any] | None = None
    trial: dict[str, Any] | None = None
    refit_share: float = 0.0
    start_seconds: float = 0.0
    stopped: bool = False
    _refit_seconds: float = 0.0

    def begin(self, recipe: str, fold: int, *, trial: bool = False) -> None:
        """Go on to another model of a bag."""
        self.member, self.trial = {"recipe": recipe, "fold": fold, "trial": trial}, None
        self.refit_share = self._refit_seconds = 0.0

    def expect(self, refit_share: float) -> None:
        """Set the rows that are still to be trained on, over those of the present stage."""
        if refit_share != self.refit_share:
            self.refit_share, self._refit_seconds = refit_share, 0.0

    def describe(self, stage: str, info: dict[str, Any], best_round: int | None) -> dict[str, Any]:
        """Return what callbacks get of the fit as a whole.

        `info` has "round", "rounds" and "seconds" of the present model, `best_round` is the one
        that early stopping would keep, or None if all rounds are kept.
        """
        kind = stage.split()[0] if stage else "fit"
        if kind == "refit" or not self.refit_share:
            refit_seconds = 0.0
        else:
            rounds = info["round"] if best_round is None else best_round
            by_round = info["seconds"] / max(1, len(info["rounds"]))
            refit_seconds = _SLACK * self.refit_share * by_round * rounds + self.start_seconds
            # Which trial wins is not known yet: the longest counts.
            refit_seconds = self._refit_seconds = max(self._refit_seconds, refit_seconds)
        return {
            "stage": kind, "trial": self.trial, "member": self.member,
            "total_seconds": monotonic() - self.began, "refit_seconds": refit_seconds,
        }  # fmt: skip
