"""What all pictures have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sized
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wgboost.plotting.style import axes_of, tidy

__all__ = ["Display"]


class Display(ABC):
    """A picture and the numbers behind it, which are its attributes.

    Made by `from_estimator` or `from_predictions`, which draw at once; `plot` draws again.

    Attributes
    ----------
    ax_, figure_
        The axes and the figure drawn in.
    """

    size: ClassVar[tuple[float, float]] = (6.0, 3.6)
    """Width and height of a new figure, in inches."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes of matplotlib, or into a new figure; return the display."""
        ax = axes_of(ax, self.size)
        self.draw(ax)
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def __repr__(self) -> str:
        """Name the attributes; of arrays and other large ones only what they are."""
        names: list[str] = [one.name for one in fields(self)] if is_dataclass(self) else []
        inside = ", ".join(f"{name}={_brief(getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({inside})"

    @abstractmethod
    def draw(self, ax: Any) -> None:
        """Put the marks and labels of this picture into axes."""


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
