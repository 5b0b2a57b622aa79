"""Training that survives."""

from __future__ import annotations

import errno
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

from wgboost.validation import check_integer, check_number

__all__ = ["Checkpoint"]

# Of the storage, not of the path: they may pass, and the first save may meet them as any other.
_PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM)


@dataclass
class Checkpoint:
    """Saves the rounds so far to one file, again and again; `fit(..., resume_from=path)` goes on.

    The file is replaced as a whole, so that whenever the process dies the last checkpoint is
    there. It is a model file too: `wgboost.load` reads it. The first round is always saved, so that
    a path that cannot be written to, or a model that cannot be saved, ends the fit at once. A save
    that fails later, or for want of space, is a RuntimeWarning: the fit goes on with the last
    checkpoint in place, and the next save is tried when it is due.

    Parameters
    ----------
    path : path
    every_rounds : int, optional
        Save after so many rounds; without `every_seconds` and this, after 100.
    every_seconds : float, optional
        Save when so much time has passed since the last time, or since `fit` was called.
    """

    path: Any
    every_rounds: int | None = None
    every_seconds: float | None = None
    order: ClassVar[int] = 1
    """After the others, so that it knows whether the fit ends."""
    in_refit: ClassVar[bool] = True
    """Called while a model is refitted on all rows, too."""
    _saved_at: float = field(default=0.0, init=False, repr=False)
    _saved_round: int | None = field(default=None, init=False, repr=False)
    _failing: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.every_rounds is not None:
            check_integer("every_rounds", self.every_rounds, low=1)
        if self.every_seconds is not None:
            check_number("every_seconds", self.every_seconds, above=0)
        if self.every_rounds is None and self.every_seconds is None:
            self.every_rounds = 100

    def __call__(self, info: dict[str, Any]) -> None:
        """Save if it is time, unless the model is finished: then the fit itself returns it."""
        now = info["total_seconds"]
        if now < self._saved_at:  # another fit
            self._saved_at = 0.0
        by_rounds = self.every_rounds is not None and info["round"] % self.every_rounds == 0
        waited = now - self._saved_at
        by_time = self.every_seconds is not None and waited >= self.every_seconds
        first = len(info["rounds"]) == 1
        if (first or by_rounds or by_time) and not info["finished"]:
            self._saved_at = now
            try:
                info["save"](self.path)
            except OSError as error:
                if self._saved_round is None and error.errno not in _PASSING:
                    raise
                self._warn(error, info["round"])
            else:
                self._saved_round, self._failing = info["round"], False

    def _warn(self, error: OSError, round_: int) -> None:
        """Warn of the first of several saves that fail one after the other."""
        if not self._failing:
            kept = self._saved_round
            there = "there is none yet" if kept is None else f"the last one is of round {kept}"
            warnings.warn(
                f"no checkpoint of round {round_}: {error}; {there}. The fit goes on and saves "
                "again when it is due",
                RuntimeWarning,
                stacklevel=2,
            )
        self._failing = True
