"""The common style of all plots: colours, axes, and markers of observed y.

matplotlib, the extra `plot`, is imported when something is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.responses.observations import Observations
from wgboost.typing import Array

__all__ = [
    "BLUE",
    "GREY",
    "LIGHT",
    "ORANGE",
    "apply_style",
    "check_axes",
    "class_colours",
    "class_legend",
    "legend_on_top",
    "new_axes",
    "new_figure",
    "plot_observed",
]

BLUE, ORANGE, GREY, LIGHT = "#1f5f99", "#d8681d", "#5f6875", "#c9d9ea"
_CLASSES = (BLUE, ORANGE, "#2f8f73", "#a3456f", "#c9a227", "#6aa9d8", "#7b5ea7", "#8a6d4f")
_FONT = 9


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'wgboost[plot]'") from error
    return matplotlib


def new_axes(size: tuple[float, float]) -> Any:
    """Return the axes of a new figure of pyplot."""
    _matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def new_figure(size: tuple[float, float]) -> Any:
    """Return a figure outside pyplot, which needs no closing and no window system."""
    _matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def check_axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw in; None creates new ones."""
    if ax is None:
        return new_axes(size)
    if not hasattr(ax, "plot") or not hasattr(ax, "figure"):
        raise TypeError(f"ax={ax!r} must be matplotlib axes, or None for a new figure")
    return ax


def apply_style(ax: Any) -> None:
    """Apply the common style to axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelcolor="black", labelsize=_FONT - 1)
    for label, size in ((ax.xaxis.label, 0), (ax.yaxis.label, 0), (ax.title, 1)):
        label.set_fontsize(_FONT + size)
        label.set_parse_math(False)  # names of features and classes may have a $
    legend = ax.get_legend()
    if legend is not None:
        legend.get_frame().set(facecolor="white", alpha=0.7, linewidth=0)
        for text in legend.get_texts():
            text.set_fontsize(_FONT - 1)


def legend_on_top(ax: Any, ncols: int = 2) -> None:
    """Add a legend above the data and extend the axes to make room for it."""
    lines = -(-len(ax.get_legend_handles_labels()[1]) // ncols)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + (0.05 + 0.09 * lines) * (high - low))
    ax.legend(loc="upper center", ncols=ncols, columnspacing=1.2)


def class_legend(ax: Any, k: int) -> None:
    """Add a legend of k classes, above the data or at the right of the axes if there are many."""
    if k > len(_CLASSES):
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), ncols=1 + k // 16)
    else:
        legend_on_top(ax, ncols=min(k, 4))


def class_colours(k: int) -> list[Any]:
    """Return k distinct colours."""
    if k <= len(_CLASSES):
        return list(_CLASSES[:k])
    colours = _matplotlib().colormaps["turbo"](np.linspace(0.05, 0.95, k))
    return [tuple(colour) for colour in colours]


def plot_observed(ax: Any, x: Array, observed: Observations, label: str = "observed") -> None:
    """Mark y at x: a dot if it is exact, otherwise a marker or line for its bounds."""
    style = {"color": "black", "alpha": 0.55, "linewidths": 0.7, "zorder": 3}
    size = 9 if len(x) <= 400 else 4
    lower, upper = observed.lower, observed.upper
    right, left = np.isinf(upper) & np.isfinite(lower), np.isinf(lower) & np.isfinite(upper)
    between = ~observed.exact & np.isfinite(lower) & np.isfinite(upper)
    if observed.exact.any():
        ax.scatter(x[observed.exact], lower[observed.exact], s=size, label=label, **style)
    if between.any():
        ax.vlines(x[between], lower[between], upper[between], label="between bounds", **style)
    for rows, at, marker, name in ((right, lower, "^", "at least"), (left, upper, "v", "at most")):
        if rows.any():
            ax.scatter(
                x[rows], at[rows], s=2 * size, marker=marker, facecolors="none",
                edgecolors="black", alpha=0.55, linewidths=0.7, label=name, zorder=3,
            )  # fmt: skip
