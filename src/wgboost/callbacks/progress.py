"""How far a fit is: a bar where lines can be drawn over, plain lines elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from wgboost.callbacks.reporting import describe, where

__all__ = ["Progress"]

_BAR = 24
_SHARE = 20  # between two pictures pass as many times what one takes, 0.1 s at least


class Progress:
    """Shows rounds, metrics, speed and the time left; `verbose` of an estimator adds it.

    Where there is no bar the lines hold nothing that differs from run to run.

    Parameters
    ----------
    every : int
        Rounds between two lines, where there is no bar.
    stage : str
        What is being done, in front of the rest. Without, the part of the fit, such as "refit".
    measure : callable, optional
        particles -> {set: {metric: value}}: more for the bar to show than the fit measures.
    file : text file, optional
        Where to; sys.stdout without.
    """

    def __init__(
        self,
        every: int = 1,
        stage: str = "",
        measure: Callable[[Any], dict[str, dict[str, float]]] | None = None,
        file: TextIO | None = None,
    ) -> None:
        self.every: int = every
        self.stage: str = stage
        self.measure: Callable[[Any], dict[str, dict[str, float]]] | None = measure
        self.file: TextIO = sys.stdout if file is None else file
        self.live: bool = _redraws(self.file)
        self._part: str | None = None  # of the fit
        self._before = 0  # rounds that the part began with
        self._due, self._drawn = 0.0, ""

    def __call__(self, info: dict[str, Any]) -> None:
        """Show the state after a round, if it is time."""
        part = self.stage or where(info)
        if part != self._part or info["round"] <= self._before:
            self.close()
            self._part, self._before = part, info["round"] - 1
        last = info["round"] == info["n_rounds"]
        if not self.live:
            if info["round"] % self.every == 0 or last:
                head = f"{part} round {info['round']} of {info['n_rounds']}".lstrip()
                shown = describe(info["metrics"]) or self._metrics(info)
                self._write("  ".join([head, *shown]) + "\n")
            return
        begun = time.monotonic()
        if begun >= self._due or last:
            self._draw(self._bar(info))
            now = time.monotonic()
            self._due = now + max(0.1, _SHARE * (now - begun))

    def close(self) -> None:
        """Leave the bar behind as it is."""
        if self._drawn:
            self._write("\n")
            self._drawn = ""

    def _metrics(self, info: dict[str, Any]) -> list[str]:
        more = {} if self.measure is None else self.measure(info["particles"])
        return describe({**more, **info["metrics"]})

    def _speed(self, info: dict[str, Any]) -> list[str]:
        rate = (info["round"] - self._before) / max(info["seconds"], 1e-9)
        left = round((info["n_rounds"] - info["round"]) / rate)
        return [f"{rate:.3g} rounds/s", f"{left // 60}:{left % 60:02d} left"]

    def _bar(self, info: dict[str, Any]) -> str:
        share = info["round"] / info["n_rounds"]
        full = int(_BAR * share)
        part = f"{self._part} " if self._part else ""
        head = f"{part}{share:4.0%} |{'#' * full:{_BAR}}| {info['round']}/{info['n_rounds']}"
        return "  ".join([head, *self._speed(info), *self._metrics(info)])

    def _draw(self, text: str) -> None:
        if self.file.isatty():
            text = text[: shutil.get_terminal_size().columns - 1]
        self._write("\r" + text.ljust(len(self._drawn)))
        self._drawn = text

    def _write(self, text: str) -> None:
        self.file.write(text)
        self.file.flush()


def _redraws(file: TextIO) -> bool:
    """Whether a line can be drawn over: in a terminal, and in a notebook."""
    if file.isatty():
        return os.environ.get("TERM") != "dumb"
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
