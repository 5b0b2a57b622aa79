"""Training that survives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from wgboost.validation import check_integer, check_number

__all__ = ["Checkpoint"]


@dataclass
class Checkpoint:
    """Saves the rounds so far to one file, again and again; `fit(..., resume_from=path)` goes on.

    The file is replaced as a whole, so that whenever the process dies the last checkpoint is
    there. It is a model file too: `wgboost.load` reads it. The first round is always saved: what
    cannot be saved, or where, shows at once.

    Parameters
    ----------
    path : path
    every_rounds : int, optional
        Save after so many rounds; without `every_seconds` and this, after 100.
    every_seconds : float, optional
        Save when so much time has passed since the last time, or since the first round.
    """

    path: Any
    every_rounds: int | None = None
    every_seconds: float | None = None
    order: ClassVar[int] = 1
    """After the others, so that it knows whether the fit ends."""
    in_refit: ClassVar[bool] = True
    """Called while a model is refitted on all rows, too."""
    _saved_at: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.every_rounds is not None:
            check_integer("every_rounds", self.every_rounds, low=1)
        if self.every_seconds is not None:
            check_number("every_seconds", self.every_seconds, above=0)
        if self.every_rounds is None and self.every_seconds is None:
            self.every_rounds = 100

    def __call__(self, info: dict[str, Any]) -> None:
        """Save if it is time, unless the model is finished: then the fit itself returns it."""
        if info["seconds"] < self._saved_at:  # another fit
            self._saved_at = 0.0
        by_rounds = self.every_rounds is not None and info["round"] % self.every_rounds == 0
        waited = info["seconds"] - self._saved_at
        by_time = self.every_seconds is not None and waited >= self.every_seconds
        first = len(info["rounds"]) == 1
        if (first or by_rounds or by_time) and not info["finished"]:
            info["save"](self.path)
            self._saved_at = info["seconds"]
