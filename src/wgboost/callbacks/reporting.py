"""Callbacks that tell what is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wgboost.validation import check_integer

__all__ = ["Log", "Record", "describe"]


def describe(metrics: dict[str, dict[str, float]]) -> list[str]:
    """Return "set metric value" of each."""
    return [
        f"{name} {metric} {value:.4f}"
        for name, values in metrics.items()
        for metric, value in values.items()
    ]


@dataclass(frozen=True)
class Log:
    """Hands a line about every so many rounds to a function: print, or that of a logger."""

    every: int = 10
    write: Callable[[str], Any] = print

    def __post_init__(self) -> None:
        check_integer("every", self.every, low=1)

    def __call__(self, info: dict[str, Any]) -> None:
        """Write the line if it is time."""
        if info["round"] % self.every == 0 or info["round"] == info["n_rounds"]:
            self.write("  ".join([f"round {info['round']}", *describe(info["metrics"])]))


@dataclass(frozen=True)
class Record:
    """Fills a dict with what is measured: into[set][metric] is the list of values, round by round.

    into["seconds"] is when each round ended. The fitted `history_` has the metrics too, with their
    values before the first round; this one is there while the fit goes on, and if it fails.
    """

    into: dict[str, Any]

    def __call__(self, info: dict[str, Any]) -> None:
        """Append the values of a round."""
        for name, metrics in info["metrics"].items():
            for metric, value in metrics.items():
                self.into.setdefault(name, {}).setdefault(metric, []).append(value)
        self.into.setdefault("seconds", []).append(info["seconds"])
