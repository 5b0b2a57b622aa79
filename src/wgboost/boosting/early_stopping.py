"""Validation sets and early stopping."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wgboost.data.binning import Binned
from wgboost.typing import Array, Directions

__all__ = ["STOPPING_FIELDS", "Interrupted", "StoppingRule", "Validation"]

STOPPING_FIELDS = ("best_round", "best_value", "odd_rounds", "gain_round", "gain_value")
"""Fields of a StoppingRule that change."""

_MANY_ROUNDS = 100
_LAST_ROUNDS = 50  # without patience
_LAST_SHARE = 0.1
_FIRST_ROUNDS = 30  # after which a goal is compared with
_WORTHWHILE = 2e-4  # least gain within the patience, over that of all rounds
_FURTHER = 3.0  # rounds ahead, over those so far, that a goal may take


class Interrupted(UserWarning):
    """Warn that training was interrupted by hand; the model consists of the rounds so far.

    Examples
    --------
    >>> from wgboost import Interrupted
    >>> issubclass(Interrupted, UserWarning)
    True
    """


@dataclass(eq=False)
class Validation:
    """Track metrics on rows that are not trained on.

    Parameters
    ----------
    name : str
        Name of the validation set.
    raw : array of shape (n, p)
        Raw features.
    binned : Binned or None
        Binned features, if the learner uses them.
    particles : array of shape (n, m, d)
        Particles, updated every round.
    metrics : dict of callables
        Functions of the particles by name; smaller is better.
    history : dict of lists, default={}
        Values by metric, from before the first round on.

    """

    name: str
    raw: Array  # (n, p)
    binned: Binned | None
    particles: Directions  # (n, m, d), updated every round
    metrics: dict[str, Callable[[Directions], float]]  # each smaller is better
    history: dict[str, list[float]] = field(default_factory=dict)

    def measure(self) -> dict[str, float]:
        """Append the metrics of the present particles to the history, and return them."""
        values = {name: float(metric(self.particles)) for name, metric in self.metrics.items()}
        for name, value in values.items():
            self.history.setdefault(name, []).append(value)
        return values

    def add(self, fitted: Any) -> None:
        """Move the particles by the fitted learner of one round."""
        flat = getattr(fitted, "flat", None)
        if flat is not None and self.binned is not None:
            flat.add_binned(self.binned, self.particles)
        else:
            self.particles += fitted.predict(self.raw)


@dataclass(eq=False)
class StoppingRule:
    """Find the best number of rounds by one metric of one validation set.

    A value that is not finite is worse than any number.

    Parameters
    ----------
    validation : Validation
        The validation set.
    metric : str
        Name of the metric.
    patience : int or None, default=None
        Number of rounds to wait for a worthwhile gain; None sets no limit.
    best_round : int, default=0
        Best number of rounds so far.
    best_value : float, default=inf
        Its value.
    odd_rounds : list of int, default=[]
        Rounds without a finite value.
    gain_round : int, default=0
        Last round with a gain that is worth the wait: 0.02 % of what all rounds so far have gained.
    gain_value : float, default=inf
        Its value.
    begun : bool, default=False
        Whether the rule continues that of a checkpoint.
    goal : float, default=inf
        Value to reach. Training ends once it cannot be reached by going on as in the last third
        of the rounds for three times as many rounds.

    """

    validation: Validation
    metric: str
    patience: int | None = None
    best_round: int = 0
    best_value: float = math.inf
    odd_rounds: list[int] = field(default_factory=list)
    gain_round: int = 0
    gain_value: float = math.inf
    begun: bool = False
    goal: float = math.inf

    def state(self) -> dict[str, Any]:
        """Return what a rule has to know to go on, as keyword arguments."""
        return {name: getattr(self, name) for name in STOPPING_FIELDS}

    def begin(self, first_round: int) -> None:
        """Record the value of the model that rounds are added to."""
        if self.begun:
            return
        value = self.validation.history[self.metric][-1]
        self.best_round = first_round
        # NaN is valid here: a correlation has no value if all predictions are equal.
        self.best_value = value if math.isfinite(value) else math.inf
        self.gain_round, self.gain_value = self.best_round, self.best_value

    def update(self, n_rounds: int) -> bool:
        """Record the value of a model of `n_rounds`; return whether to stop.

        Raises ValueError if no value so far has been finite.
        """
        value = self.validation.history[self.metric][-1]
        if not math.isfinite(value):
            if not math.isfinite(self.best_value):
                raise ValueError(
                    f"the metric {self.metric!r} is {value} on {self.validation.name!r} after "
                    f"round {n_rounds} and was never finite before, so there is no best round. "
                    "Correct the metric, or set early_stopping=False"
                )
            self.odd_rounds.append(n_rounds)
        elif value < self.best_value:
            self.best_value, self.best_round = value, n_rounds
            if self.gain_value - value > self._least_gain():
                self.gain_value, self.gain_round = value, n_rounds
        return self._ends(n_rounds)

    def ended(self, n_rounds: int) -> bool:
        """Return whether the rule of a checkpoint has ended the rounds already."""
        return self.begun and self._ends(n_rounds)

    def _ends(self, n_rounds: int) -> bool:
        if self.patience is not None and n_rounds - self.gain_round >= self.patience:
            return True
        return not self._can_reach_goal()

    def _least_gain(self) -> float:
        """Return the gain that is worth the wait."""
        gained = self.validation.history[self.metric][0] - self.best_value
        return _WORTHWHILE * gained if math.isfinite(gained) else 0.0

    def _can_reach_goal(self) -> bool:
        """Return whether the metric may still become as good as the goal."""
        values = self.validation.history[self.metric]
        n_rounds = len(values) - 1
        if self.best_value <= self.goal or n_rounds < _FIRST_ROUNDS:
            return True
        window = max(_FIRST_ROUNDS, n_rounds // 3)
        gain = values[-1 - window] - values[-1]
        if not math.isfinite(gain):
            return True
        ahead = max(gain, 0.0) / window * _FURTHER * n_rounds
        return self.best_value - ahead <= self.goal

    def ran_out(self, n_rounds: int) -> bool:
        """Return whether the best round is among the last of at least 100 rounds.

        More rounds may then give a better model. The last rounds are a tenth of all, and no more
        than the patience. A smaller limit is taken as a choice.
        """
        last = _LAST_ROUNDS if self.patience is None else self.patience
        last = min(last, int(_LAST_SHARE * n_rounds))
        return n_rounds >= _MANY_ROUNDS and n_rounds - self.best_round < last

    def end(self) -> None:
        """Warn if some rounds had no finite value."""
        if self.odd_rounds:
            warnings.warn(
                f"the metric {self.metric!r} was not finite on {self.validation.name!r} after "
                f"{len(self.odd_rounds)} rounds, first after round {self.odd_rounds[0]}; these "
                "rounds count as worse than all others",
                stacklevel=2,
            )
