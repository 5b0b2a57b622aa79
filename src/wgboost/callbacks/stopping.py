"""Callbacks that end a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wgboost.boosting import Keep
from wgboost.validation import check_integer, check_number

__all__ = ["EarlyStopping", "MaxTime"]


@dataclass(frozen=True)
class EarlyStopping:
    """Ends a fit when a metric has not improved for some rounds, and keeps the best round.

    `early_stopping=True` of an estimator does this with rows it holds out by itself. This one goes
    by any validation set of `fit(..., X_val=, y_val=)`, and by how much is an improvement.

    Parameters
    ----------
    rounds : int
        How many rounds to wait for a better value.
    min_delta : float
        A value has to be smaller than the best by more than this.
    validation : str
        The set to go by: "validation", "validation_2", ...
    """

    rounds: int
    min_delta: float = 0.0
    validation: str = "validation"

    def __post_init__(self) -> None:
        check_integer("rounds", self.rounds, low=1)
        check_number("min_delta", self.min_delta, low=0)

    def __call__(self, info: dict[str, Any]) -> Keep | None:
        """Return which rounds to keep when patience, or the fit, is at its end."""
        if self.validation not in info["history"]:
            raise ValueError(
                f"EarlyStopping goes by the set {self.validation!r}, there are "
                f"{[*info['history']]}; give X_val and y_val to fit"
            )
        # From the whole history: a fit that is resumed comes to the same end.
        values = next(iter(info["history"][self.validation].values()))
        best, best_round = np.inf, 0
        for i, value in enumerate(values):
            if value < best - self.min_delta:
                best, best_round = value, i
        over = info["round"] - best_round >= self.rounds or info["round"] == info["n_rounds"]
        return Keep(best_round) if over else None


@dataclass(frozen=True)
class MaxTime:
    """Ends a fit after the first round at which so many seconds have passed.

    The rounds so far are the model. With `refit` those of the best number of rounds follow, on all
    rows, which takes about as long again.
    """

    seconds: float

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds, above=0)

    def __call__(self, info: dict[str, Any]) -> bool:
        """Return whether time is up."""
        return bool(info["seconds"] >= self.seconds)
