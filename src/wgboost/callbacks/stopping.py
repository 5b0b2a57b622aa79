"""Callbacks that end a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

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
    """Ends a fit when so many seconds have passed since `fit` was called.

    There is one budget for all that `fit` does: every evidence that is tried, the refit, all models
    of a bag. The search ends early enough for the refit to follow, as far as can be estimated; a
    refit that is out of time all the same is dropped, and the model is the one that the search
    found (`refitted_` says which). A bag consists of the models that were finished, or of the first
    one. Time is looked at after every round: a start that takes long, or a round, ends late.

    Parameters
    ----------
    seconds : float

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import MaxTime
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = WGBRegressor(random_state=0).fit(X, X[:, 0], callbacks=[MaxTime(0.5)])
    """

    seconds: float
    in_refit: ClassVar[bool] = True
    """Called while a model is refitted on all rows, too."""

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds, above=0)

    def __call__(self, info: dict[str, Any]) -> bool:
        """Return whether time is up."""
        return bool(info["total_seconds"] + info["refit_seconds"] >= self.seconds)
