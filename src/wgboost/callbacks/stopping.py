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
    """End a fit when a metric has stopped improving, and keep the best round.

    `early_stopping=True` of an estimator holds out rows by itself. This callback uses any
    validation set of `fit(..., X_val=, y_val=)` and a threshold for improvements.

    Parameters
    ----------
    rounds : int
        Number of rounds to wait for a better value.
    min_delta : float, default=0.0
        An improvement is a decrease by more than this.
    validation : str, default="validation"
        The validation set: "validation", "validation_2", ...

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import EarlyStopping
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = WGBRegressor(n_estimators=30, evidence=10, random_state=0)
    >>> stopping = EarlyStopping(rounds=2, min_delta=10.0)
    >>> _ = model.fit(X, X[:, 0], X_val=X, y_val=X[:, 0], callbacks=[stopping])
    >>> model.n_estimators_
    0
    """

    rounds: int
    min_delta: float = 0.0
    validation: str = "validation"

    def __post_init__(self) -> None:
        check_integer("rounds", self.rounds, low=1)
        check_number("min_delta", self.min_delta, low=0)

    def __call__(self, info: dict[str, Any]) -> Keep | None:
        """Return the rounds to keep when the metric has stopped improving or the fit ends."""
        if self.validation not in info["history"]:
            raise ValueError(
                f"EarlyStopping needs the validation set {self.validation!r}; there are "
                f"{[*info['history']]}; give X_val and y_val to fit"
            )
        # The whole history is used, so that a resumed fit ends at the same round.
        values = next(iter(info["history"][self.validation].values()))
        best, best_round = np.inf, 0
        for i, value in enumerate(values):
            if value < best - self.min_delta:
                best, best_round = value, i
        over = info["round"] - best_round >= self.rounds or info["round"] == info["n_rounds"]
        return Keep(best_round) if over else None


@dataclass(frozen=True)
class MaxTime:
    """End a fit when its time is up.

    The budget covers everything that `fit` does: the search for the evidence, the refit and all
    members of a bag. The search ends early enough for the refit to follow, as far as its duration
    can be estimated. A refit that runs out of time is dropped; the model is then the one that the
    search found, and `refitted_` is False. A bag consists of the members that were finished, and of
    at least one. The time is checked after every round, so a slow start or a slow round ends late.
    The error of the model is estimated after the last round, which takes some seconds at most.

    Parameters
    ----------
    seconds : float
        Seconds since `fit` was called.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import MaxTime
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = WGBRegressor(n_estimators=5, evidence=10, random_state=0)
    >>> _ = model.fit(X, X[:, 0], callbacks=[MaxTime(60)])
    >>> model.n_estimators_
    5
    """

    seconds: float
    in_refit: ClassVar[bool] = True
    """Called during a refit on all rows, too."""

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds, above=0)

    def __call__(self, info: dict[str, Any]) -> bool:
        """Return whether time is up."""
        return bool(info["total_seconds"] + info["refit_seconds"] >= self.seconds)
