"""Calls of callbacks, in the loop over rounds and on the client of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["Callback", "Keep", "call_callbacks"]


@dataclass(frozen=True)
class Keep:
    """End the loop from a callback, with the first rounds as the model.

    Parameters
    ----------
    rounds : int
        Number of rounds to keep.

    Examples
    --------
    >>> from wgboost.boosting import Keep
    >>> Keep(10).rounds
    10
    """

    rounds: int


Callback = Callable[[dict[str, Any]], bool | Keep | None]


def call_callbacks(callbacks: Iterable[Callback], info: dict[str, Any]) -> tuple[Keep | None, bool]:
    """Call callbacks in the order of their attribute `order`, 0 by default.

    Parameters
    ----------
    callbacks : iterable of callables
        Functions of `info`.
    info : dict
        What callbacks are given. "finished" is set once a callback returns `Keep`.

    Returns
    -------
    keep : Keep or None
        The last `Keep` that a callback returned.
    stopped : bool
        Whether a callback ended the fit.

    Examples
    --------
    >>> call_callbacks([lambda info: info["round"] > 9], {"round": 10})
    (None, True)
    """
    keep, stopped = None, False
    for callback in sorted(callbacks, key=lambda one: getattr(one, "order", 0)):
        answer = callback(info)
        if isinstance(answer, Keep):
            keep, info["finished"] = answer, True
        elif answer:
            stopped = True
    return keep, stopped
