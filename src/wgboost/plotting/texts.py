"""Names and numbers as pictures and tables show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "count_ticks",
    "date_ticks",
    "in_legend",
    "keep_ticks",
    "name_ticks",
    "on_axis",
    "plain",
    "whole",
]

_LONGEST = 28
_FEW = 12


def plain(name: Any, most: int = _LONGEST) -> str:
    """Return a name as one short line: no control characters, and a long one cut in its middle."""
    text = "".join(c if c.isprintable() else " " for c in str(name))
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = (most - 1) // 2
    return f"{line[:head]}…{line[head + 1 - most :]}"


def in_legend(name: Any) -> str:
    """Return a name for a legend, where matplotlib would read what is between `$` as a formula.

    Titles, labels of axes and ticks have a switch for that instead; see `tidy` and `name_ticks`.
    """
    return plain(name).replace("$", r"\$")


def name_ticks(axis: Any, places: Any, names: Iterable[Any], *, turn: bool = False) -> None:
    """Put names beside the ticks of an axis of matplotlib."""
    style = {"rotation": 30, "ha": "right"} if turn else {}
    axis.set_ticks(places, [plain(name, 18) for name in names], parse_math=False, **style)


def on_axis(values: Any) -> Any:
    """Return where matplotlib puts values: dates as its own numbers, numbers as they are."""
    if np.asarray(values).dtype.kind != "M":
        return values
    from matplotlib import dates

    untyped: Any = dates
    return untyped.date2num(values)


def date_ticks(axis: Any) -> None:
    """Put ticks at round dates, written as shortly as they can be told apart."""
    from matplotlib import dates

    untyped: Any = dates
    locator = untyped.AutoDateLocator(minticks=3, maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(untyped.ConciseDateFormatter(locator))


def whole(values: Any) -> bool:
    """Whether all finite values are whole numbers."""
    if np.asarray(values).dtype.kind == "M":
        return False
    numbers = np.asarray(values, dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    return bool(finite.size) and bool((finite == np.round(finite)).all())


def count_ticks(axis: Any, values: Any = None) -> None:
    """Put ticks at whole numbers only: at the values themselves, if there are few."""
    from matplotlib.ticker import MaxNLocator

    few = np.unique(values) if values is not None else np.empty(0)
    if 0 < few.size <= _FEW:
        axis.set_ticks(few)
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def keep_ticks(axis: Any, low: float, high: float) -> None:
    """Leave out ticks beyond what values can be; call it once the limits are set."""
    ends, places = axis.get_view_interval(), np.asarray(axis.get_ticklocs())
    axis.set_ticks(places[(places >= max(low, ends[0])) & (places <= min(high, ends[1]))])
