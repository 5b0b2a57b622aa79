"""Drawing of `PredictiveDisplay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wgboost.plotting.labels import (
    axis_positions,
    clip_ticks,
    date_ticks,
    integer_ticks,
    legend_label,
    set_tick_names,
    short_name,
)
from wgboost.plotting.style import (
    BLUE,
    ORANGE,
    class_colours,
    class_legend,
    legend_on_top,
    plot_observed,
)
from wgboost.predictive.bands import middle_name

if TYPE_CHECKING:
    from wgboost.plotting.predictive import PredictiveDisplay

__all__ = ["draw_predictive"]

_LEVELS = 240  # values of y in a plot of the density


def draw_predictive(display: PredictiveDisplay, ax: Any) -> None:
    """Draw the intervals, the density or the classes into axes."""
    if display.classes is not None:
        _draw_classes(display, ax)
    elif display.feature is not None and len(display.x) <= 12 and display.kind == "bands":
        _draw_bars(display, ax)
    else:
        _draw_numbers(display, ax)
    along = None if display.feature is None else short_name(display.feature)
    ax.set_xlabel("rows, sorted by prediction" if along is None else along)
    if display.ticks is not None:
        set_tick_names(ax.xaxis, axis_positions(display.x), display.ticks, turn=True)
    elif display.feature is None:
        ax.set_xlim(0.5, len(display.x) + 0.5)
        integer_ticks(ax.xaxis)
    elif display.x.dtype.kind == "M":
        date_ticks(ax.xaxis)
    elif display.is_integer:
        integer_ticks(ax.xaxis, display.x)
    ax.set_title("Predictive distribution" + ("" if along is None else f" along {along}"))


def _draw_numbers(display: PredictiveDisplay, ax: Any) -> None:
    step = "mid" if display.feature is None else None
    if display.kind == "density":
        _draw_density(display, ax)
    else:
        for i in range(len(display.bands) - 1, -1, -1):
            shade = {"color": BLUE, "lw": 0, "alpha": 0.2, "step": step}
            ax.fill_between(axis_positions(display.x), display.low[i], display.high[i], **shade)
        _name_bands(display, ax)
    if display.mean_low is not None:
        shade = {"color": ORANGE, "lw": 0, "alpha": 0.45, "step": step}
        ends = display.mean_low, display.mean_high
        ax.fill_between(axis_positions(display.x), *ends, label=_band_name(display), **shade)
    style = {"drawstyle": "steps-mid"} if step else {}
    colour = ORANGE if display.kind == "density" else BLUE
    ax.plot(
        axis_positions(display.x), display.middle, color=colour, lw=1.6, label="median", **style
    )
    _add_observations(display, ax)


def _draw_bars(display: PredictiveDisplay, ax: Any) -> None:
    for low, high in zip(display.low, display.high, strict=True):
        ax.vlines(axis_positions(display.x), low, high, color=BLUE, alpha=0.2, lw=22)
    _name_bands(display, ax)
    if display.mean_low is not None:
        ends = display.mean_low, display.mean_high
        ax.vlines(axis_positions(display.x), *ends, color=ORANGE, alpha=0.6, lw=8)
        ax.plot([], [], color=ORANGE, alpha=0.6, lw=8, label=_band_name(display))
    ax.scatter(axis_positions(display.x), display.middle, color=BLUE, marker="_", s=420, lw=2)
    ax.plot([], [], color=BLUE, lw=2, label="median")
    ax.margins(x=0.12)
    _add_observations(display, ax)


def _name_bands(display: PredictiveDisplay, ax: Any) -> None:
    """Label the bands; narrow bands lie on wide ones, so their colours add up."""
    for i in range(len(display.bands) - 1, -1, -1):
        alpha = 1 - 0.8 ** (len(display.bands) - i)
        text = f"{display.bands[i]:.0%} interval of y"
        ax.fill_between([], [], [], color=BLUE, lw=0, alpha=alpha, label=text)


def _band_name(display: PredictiveDisplay) -> str:
    return f"{display.bands[-1]:.0%} band of the {middle_name(display.dist.response)}"


def _add_observations(display: PredictiveDisplay, ax: Any) -> None:
    if display.x_observed is not None and display.y_observed is not None:
        x_observed = axis_positions(display.x_observed)
        finite = np.isfinite(x_observed)
        jitter = np.zeros(int(finite.sum()))
        if display.feature is not None and 1 < len(display.x) <= 12:
            near = 0.05 * float(np.diff(axis_positions(display.x)).min())
            jitter = np.random.default_rng(0).uniform(-near, near, jitter.size)
        plot_observed(ax, x_observed[finite] + jitter, display.y_observed[finite])
    ax.set_ylabel(short_name(display.name))
    if display.dist.response.discrete:
        integer_ticks(ax.yaxis)
    legend_on_top(ax)


def _draw_density(display: PredictiveDisplay, ax: Any) -> None:
    low, high = float(display.low.min()), float(display.high.max())
    room = 0.1 * (high - low)
    grid = np.linspace(low - room, high + room, _LEVELS)
    if display.dist.response.discrete:
        grid = np.arange(np.floor(low), np.ceil(high) + 1)
    discrete = display.dist.response.discrete
    density = (display.dist.pmf if discrete else display.dist.pdf)(grid[None]).T
    top = float(np.quantile(density[np.isfinite(density)], 0.995))
    ax.pcolormesh(
        axis_positions(display.x), grid, np.minimum(density, top) ** 0.6, cmap="Blues",
        shading="nearest", rasterized=True,
    )  # fmt: skip


def _draw_classes(display: PredictiveDisplay, ax: Any) -> None:
    names = [legend_label(one) for one in display.classes or ()]
    colours, x = class_colours(len(names)), axis_positions(display.x)
    if display.feature is None:
        style = {"colors": colours, "alpha": 0.75, "labels": names, "lw": 0, "step": "mid"}
        ax.stackplot(x, display.middle, **style)
        if display.x_observed is not None and display.y_observed is not None:
            shade = [colours[int(code)] for code in display.y_observed.lower]
            ax.scatter(
                display.x_observed, np.full(len(shade), 1.04), c=shade, s=40, marker="|", lw=1.6
            )
            ax.text(1.0, 1.07, "observed class", fontsize=7, va="bottom")
        ax.set_ylim(0, 1.14)
    else:
        for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
            ends = display.low[i], display.high[i]
            if display.ticks is None:
                ax.fill_between(x, *ends, color=colour, alpha=0.18, lw=0)
                ax.plot(x, display.middle[i], color=colour, lw=1.6, label=name)
            else:
                ax.vlines(x, *ends, color=colour, alpha=0.3, lw=6)
                ax.scatter(x, display.middle[i], color=colour, s=22, label=name, zorder=3)
        ax.set_ylim(0, 1.02)
        ax.margins(x=0.12 if display.ticks is not None else 0.05)
        text = f"{display.bands[-1]:.0%} bands of the probabilities"
        ax.fill_between([], [], [], color="0.5", lw=0, alpha=0.3, label=text)
    ax.set_ylabel("probability of the class")
    class_legend(ax, len(ax.get_legend_handles_labels()[1]))
    clip_ticks(ax.yaxis, 0, 1)
