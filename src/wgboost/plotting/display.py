"""What all pictures have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

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

    @abstractmethod
    def draw(self, ax: Any) -> None:
        """Put the marks and labels of this picture into axes."""
