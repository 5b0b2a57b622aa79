"""Callbacks that report metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wgboost.validation import check_integer

__all__ = ["Log", "Record", "format_metrics", "stage_name"]


def stage_name(info: dict[str, Any]) -> str:
    """Return the name of the stage of a fit, "" if the fit has only one stage."""
    words = []
    if info["member"] is not None:
        words.append(f"{info['member']['recipe']}, fold {info['member']['fold'] + 1}")
    if info["trial"] is not None:
        rows = " of all rows" if info["stage"] == "fit" else ""
        init = info["trial"].get("init")
        start = "" if init is None else f"{init}, "
        leaves = ", fewer leaves" if "leaf_share" in info["trial"] else ""
        words.append(f"{start}evidence {info['trial']['evidence']:.3g}{leaves}{rows}")
    elif info["stage"] != "fit":
        words.append(info["stage"])
    return ", ".join(words)


def format_metrics(metrics: dict[str, dict[str, float]]) -> list[str]:
    """Return "set metric value" for each metric."""
    return [
        f"{name} {metric} {value:.4f}"
        for name, values in metrics.items()
        for metric, value in values.items()
    ]


@dataclass(frozen=True)
class Log:
    """Write a line every few rounds with a function such as `print` or `logger.info`.

    If the fit has several stages, a line starts with its stage: an evidence that is tried, or the
    recipe and fold of a member of a bag.

    Parameters
    ----------
    every : int, default=10
        Number of rounds between two lines.
    write : callable, default=print
        Function of one line of text.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import Log
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = WGBRegressor(n_estimators=4, evidence=10, random_state=0)
    >>> _ = model.fit(X, X[:, 0], callbacks=[Log(every=2)])
    round 2
    round 4
    """

    every: int = 10
    write: Callable[[str], Any] = print

    def __post_init__(self) -> None:
        check_integer("every", self.every, low=1)

    def __call__(self, info: dict[str, Any]) -> None:
        """Write the line if it is time."""
        if info["round"] % self.every == 0 or info["round"] == info["n_rounds"]:
            head = f"{stage_name(info)} round {info['round']}".lstrip()
            self.write("  ".join([head, *format_metrics(info["metrics"])]))


@dataclass(frozen=True)
class Record:
    """Collect the metrics of all rounds in a dict.

    `into[set][metric]` is the list of values, round by round. `into["round"]` are the numbers of
    the rounds, `into["seconds"]` the time since `fit` was called, and `into["stage"]` the stage of
    the fit: "" if there is only one, otherwise a text such as "evidence 10".

    The fitted attribute `history_` has the metrics of the final model only, from before the first
    round on. This callback has the metrics of all stages, also while the fit is running and if it
    fails.

    Parameters
    ----------
    into : dict
        The dict to fill.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import Record
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> history = {}
    >>> model = WGBRegressor(n_estimators=3, evidence=10, random_state=0)
    >>> _ = model.fit(X, X[:, 0], callbacks=[Record(history)])
    >>> history["round"]
    [1, 2, 3]
    """

    into: dict[str, Any]

    def __call__(self, info: dict[str, Any]) -> None:
        """Append the values of a round."""
        for name, metrics in info["metrics"].items():
            for metric, value in metrics.items():
                self.into.setdefault(name, {}).setdefault(metric, []).append(value)
        more = {"round": info["round"], "stage": stage_name(info), "seconds": info["total_seconds"]}
        for name, value in more.items():
            self.into.setdefault(name, []).append(value)
