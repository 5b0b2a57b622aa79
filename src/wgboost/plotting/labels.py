"""Names and ticks of axes and legends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "axis_positions",
    "clip_ticks",
    "date_ticks",
    "integer_ticks",
    "is_integer",
    "legend_label",
    "set_tick_names",
    "short_name",
]

_LONGEST = 28
_FEW = 12


def short_name(name: Any, most: int = _LONGEST) -> str:
    """Return a name as one short line, without control characters; a long name is abbreviated."""
    text = "".join(c if c.isprintable() else " " for c in str(name))
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = (most - 1) // 2
    return f"{line[:head]}…{line[head + 1 - most :]}"


def legend_label(name: Any) -> str:
    """Return a name for a legend, with `$` escaped, which would start a formula.

    `apply_style` and `set_tick_names` switch formulas off for titles, axis labels and ticks.
    """
    return short_name(name).replace("$", r"\$")


def set_tick_names(axis: Any, places: Any, names: Iterable[Any], *, turn: bool = False) -> None:
    """Set the ticks of an axis and their names."""
    style = {"rotation": 30, "ha": "right"} if turn else {}
    axis.set_ticks(places, [short_name(name, 18) for name in names], parse_math=False, **style)


def axis_positions(values: Any) -> Any:
    """Return the positions of values on an axis: dates as numbers of matplotlib, numbers as is."""
    if np.asarray(values).dtype.kind != "M":
        return values
    from matplotlib import dates

    untyped: Any = dates
    return untyped.date2num(values)


def date_ticks(axis: Any) -> None:
    """Set ticks at round dates with concise labels."""
    from matplotlib import dates

    untyped: Any = dates
    locator = untyped.AutoDateLocator(minticks=3, maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(untyped.ConciseDateFormatter(locator))


def is_integer(values: Any) -> bool:
    """Whether all finite values are whole numbers."""
    if np.asarray(values).dtype.kind == "M":
        return False
    numbers = np.asarray(values, dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    return bool(finite.size) and bool((finite == np.round(finite)).all())


def integer_ticks(axis: Any, values: Any = None) -> None:
    """Set ticks at whole numbers only, at the values themselves if there are few."""
    from matplotlib.ticker import MaxNLocator

    few = np.unique(values) if values is not None else np.empty(0)
    if 0 < few.size <= _FEW:
        axis.set_ticks(few)
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def clip_ticks(axis: Any, low: float, high: float) -> None:
    """Remove ticks outside of a range; the limits of the axis must be set before."""
    ends, places = axis.get_view_interval(), np.asarray(axis.get_ticklocs())
    axis.set_ticks(places[(places >= max(low, ends[0])) & (places <= min(high, ends[1]))])
