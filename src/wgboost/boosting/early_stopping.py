"""What is watched while rounds are added."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wgboost.data import Binned
from wgboost.typing import Array, Directions

__all__ = ["Interrupted", "StoppingRule", "Validation"]


_MANY = 500  # rounds from which on it is a surprise that the best are the last
_LAST = 50  # rounds that are the last, where patience is endless


class Interrupted(UserWarning):
    """Training was stopped by hand; the model consists of the rounds so far."""


@dataclass(eq=False)
class Validation:
    """Rows that are not trained on, their particles and what was measured on them."""

    name: str
    raw: Array  # (n, p)
    binned: Binned | None
    particles: Directions  # (n, m, d), updated every round
    metrics: dict[str, Callable[[Directions], float]]  # each smaller is better
    history: dict[str, list[float]] = field(default_factory=dict)

    def measure(self) -> dict[str, float]:
        """Append the metrics of the present particles to the history and return them."""
        values = {name: float(metric(self.particles)) for name, metric in self.metrics.items()}
        for name, value in values.items():
            self.history.setdefault(name, []).append(value)
        return values

    def add(self, fitted: Any) -> None:
        """Move the particles by one round's function."""
        flat = getattr(fitted, "flat", None)
        if flat is not None and self.binned is not None:
            flat.add_binned(self.binned, self.particles)
        else:
            self.particles += fitted.predict(self.raw)


@dataclass(eq=False)
class StoppingRule:
    """Finds the best number of rounds by one metric of one validation set.

    A value that is not finite is worse than any number. `patience` is how many rounds to wait for
    a better one; None: for ever. With `begun` it goes on where another one was.
    """

    validation: Validation
    metric: str
    patience: int | None = None
    best_round: int = 0
    best_value: float = math.inf
    odd_rounds: list[int] = field(default_factory=list)  # those without a finite value
    begun: bool = False

    def begin(self, first_round: int) -> None:
        """Take note of the model that rounds are added to."""
        if self.begun:
            return
        value = self.validation.history[self.metric][-1]
        self.best_round = first_round
        # NaN is no fault yet: a correlation, say, has no value where all predictions are equal.
        self.best_value = value if math.isfinite(value) else math.inf

    def update(self, n_rounds: int) -> bool:
        """Take note of the latest value; return whether patience is at its end."""
        value = self.validation.history[self.metric][-1]
        if not math.isfinite(value):
            if not math.isfinite(self.best_value):
                raise ValueError(
                    f"the metric {self.metric!r} is {value} on {self.validation.name!r} after "
                    f"round {n_rounds}, and has been no finite number before: there is no best "
                    "round to find. Mend the metric, or set early_stopping=False"
                )
            self.odd_rounds.append(n_rounds)
        elif value < self.best_value:
            self.best_value, self.best_round = value, n_rounds
        return self.patience is not None and n_rounds - self.best_round >= self.patience

    def ran_out(self, n_rounds: int) -> bool:
        """Whether so many rounds were too few: the best is among the last of them.

        Not of fewer than 500, which are a choice.
        """
        last = _LAST if self.patience is None else self.patience
        return n_rounds >= _MANY and n_rounds - self.best_round < last

    def end(self) -> None:
        """Warn if some rounds had no finite value."""
        if self.odd_rounds:
            warnings.warn(
                f"the metric {self.metric!r} was not finite on {self.validation.name!r} after "
                f"{len(self.odd_rounds)} rounds, first after round {self.odd_rounds[0]}; those "
                "count as worse than any other",
                stacklevel=2,
            )
