"""What is watched while rounds are added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wgboost.data import Binned
from wgboost.typing import Array, Directions

__all__ = ["Interrupted", "Validation"]


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
