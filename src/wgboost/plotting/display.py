"""The base class of the displays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sized
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.plotting.style import apply_style, check_axes

__all__ = ["Display"]


class Display(ABC):
    """Base class of the displays: a plot, with the numbers behind it as attributes.

    `from_estimator` and `from_predictions` of a display draw at once; `plot` draws again. A
    subclass is a dataclass with a method `draw`.

    Attributes
    ----------
    ax_ : matplotlib axes
        The axes drawn in.
    figure_ : matplotlib figure
        The figure of these axes.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from wgboost.plotting import Display
    >>> @dataclass(repr=False)
    ... class LineDisplay(Display):
    ...     values: list[float]
    ...
    ...     def draw(self, ax):
    ...         ax.plot(self.values)
    >>> LineDisplay([1.0, 2.0]).plot()
    LineDisplay(values=<list of 2>)
    """

    size: ClassVar[tuple[float, float]] = (6.0, 3.6)
    """Width and height of a new figure, in inches."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw in. None creates a new figure.

        Returns
        -------
        Display
            This display, with `ax_` and `figure_`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from wgboost.plotting import OODDisplay
        >>> axes = Figure().subplots(1, 2)
        >>> display = OODDisplay.from_scores([1, 2], [8, 9], n_bins=4, ax=axes[0])
        >>> display.plot(axes[1]).ax_ is axes[1]
        True
        """
        ax = check_axes(ax, self.size)
        self.draw(ax)
        apply_style(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def __repr__(self) -> str:
        """Return the attributes; arrays and other large ones are given by type and size."""
        names: list[str] = [one.name for one in fields(self)] if is_dataclass(self) else []
        inside = ", ".join(f"{name}={_brief(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({inside})"

    @abstractmethod
    def draw(self, ax: Any) -> None:
        """Draw the marks and labels of this display into axes.

        Parameters
        ----------
        ax : matplotlib axes
            Axes to draw in.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from wgboost.plotting import OODDisplay
        >>> axes = Figure().subplots(1, 2)
        >>> display = OODDisplay.from_scores([1, 2], [8, 9], n_bins=4, ax=axes[0])
        >>> display.draw(axes[1])
        """


def _brief(value: Any) -> str:
    """Return a value in a few characters."""
    if isinstance(value, np.ndarray):
        return f"<array {value.shape}>"
    if isinstance(value, float):
        return f"{value:.4g}"
    if value is None or isinstance(value, (bool, int, str)):
        text = repr(value)
        return text if len(text) <= 32 else f"{text[:30]}…"
    of = f" of {len(value)}" if isinstance(value, Sized) else ""
    return f"<{type(value).__name__}{of}>"
