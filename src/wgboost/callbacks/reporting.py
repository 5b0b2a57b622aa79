"""Callbacks that tell what is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wgboost.validation import check_integer

__all__ = ["Log", "Record", "describe", "where"]


def where(info: dict[str, Any]) -> str:
    """Return which part of a fit this is; "" of one that has a single part."""
    words = []
    if info["member"] is not None:
        words.append(f"{info['member']['recipe']}, fold {info['member']['fold'] + 1}")
    if info["trial"] is not None:
        by_error = " by error" if info["trial"]["by_error"] else ""
        rows = " of all rows" if info["stage"] == "fit" else ""
        words.append(f"evidence {info['trial']['evidence']:.3g}{by_error}{rows}")
    elif info["stage"] != "fit":
        words.append(info["stage"])
    return ", ".join(words)


def describe(metrics: dict[str, dict[str, float]]) -> list[str]:
    """Return "set metric value" of each."""
    return [
        f"{name} {metric} {value:.4f}"
        for name, values in metrics.items()
        for metric, value in values.items()
    ]


@dataclass(frozen=True)
class Log:
    """Hands a line about every so many rounds to a function: print, or that of a logger.

    A line begins with the part of the fit it is about, where there are several: an evidence that is
    tried, the recipe and the fold of a model of a bag.
    """

    every: int = 10
    write: Callable[[str], Any] = print

    def __post_init__(self) -> None:
        check_integer("every", self.every, low=1)

    def __call__(self, info: dict[str, Any]) -> None:
        """Write the line if it is time."""
        if info["round"] % self.every == 0 or info["round"] == info["n_rounds"]:
            head = f"{where(info)} round {info['round']}".lstrip()
            self.write("  ".join([head, *describe(info["metrics"])]))


@dataclass(frozen=True)
class Record:
    """Fills a dict with what is measured: into[set][metric] is the list of values, round by round.

    into["round"] are the numbers of the rounds, into["seconds"] is when each ended, since `fit` was
    called, and into["stage"] which part of the fit it was in: "" if there is one part only, else
    such as "evidence 10". The fitted `history_` has the metrics of the model that was chosen, with
    their values before the first round; this one has those of all parts, while the fit goes on, and
    if it fails.
    """

    into: dict[str, Any]

    def __call__(self, info: dict[str, Any]) -> None:
        """Append the values of a round."""
        for name, metrics in info["metrics"].items():
            for metric, value in metrics.items():
                self.into.setdefault(name, {}).setdefault(metric, []).append(value)
        more = {"round": info["round"], "stage": where(info), "seconds": info["total_seconds"]}
        for name, value in more.items():
            self.into.setdefault(name, []).append(value)
