"""Progress of a fit: a bar in terminals and notebooks, plain lines elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from wgboost.callbacks.reporting import format_metrics, stage_name

__all__ = ["Progress"]

_BAR = 24
_DRAW_INTERVAL = 20  # times the duration of one drawing, and at least 0.1 s


class Progress:
    """Show rounds, metrics, speed and remaining time; `verbose` of an estimator adds it.

    A terminal or a notebook gets a bar. Other files get plain lines, which are the same in every
    run.

    Parameters
    ----------
    every : int, default=1
        Number of rounds between two lines, where there is no bar.
    stage : str, default=""
        Text in front of the line. The default is the stage of the fit, such as "refit".
    measure : callable, default=None
        Maps particles to {set: {metric: value}}, for metrics that the fit does not compute.
    file : text file, default=None
        The file to write to. None is `sys.stdout`.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import Progress
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> model = WGBRegressor(n_estimators=4, evidence=10, random_state=0)
    >>> _ = model.fit(X, X[:, 0], callbacks=[Progress(every=2)])
    round 2 of 4
    round 4 of 4
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
        self._next_draw, self._drawn = 0.0, ""

    def __call__(self, info: dict[str, Any]) -> None:
        """Show the state after a round if it is time."""
        part = self.stage or stage_name(info)
        if part != self._part or info["round"] <= self._before:
            self.close()
            self._part, self._before = part, info["round"] - 1
        last = info["round"] == info["n_rounds"]
        if not self.live:
            if info["round"] % self.every == 0 or last:
                head = f"{part} round {info['round']} of {info['n_rounds']}".lstrip()
                metrics = format_metrics(info["metrics"]) or self._metrics(info)
                self._write("  ".join([head, *metrics]) + "\n")
            return
        begun = time.monotonic()
        if begun >= self._next_draw or last:
            self._draw(self._bar(info))
            now = time.monotonic()
            self._next_draw = now + max(0.1, _DRAW_INTERVAL * (now - begun))

    def close(self) -> None:
        """End the line of the bar and leave the bar as it is.

        Examples
        --------
        >>> from wgboost.callbacks import Progress
        >>> Progress().close()
        """
        if self._drawn:
            self._write("\n")
            self._drawn = ""

    def _metrics(self, info: dict[str, Any]) -> list[str]:
        more = {} if self.measure is None else self.measure(info["particles"])
        return format_metrics({**more, **info["metrics"]})

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
    """Whether a line can be overwritten, as in a terminal or a notebook."""
    if file.isatty():
        return os.environ.get("TERM") != "dumb"
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
