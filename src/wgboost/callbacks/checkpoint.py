"""Checkpoints of a fit."""

from __future__ import annotations

import errno
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

from wgboost.validation import check_integer, check_number

__all__ = ["Checkpoint"]

# Errors of the storage, not of the path. They may pass, so they never end a fit.
_TRANSIENT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM)


@dataclass
class Checkpoint:
    """Save the rounds so far to one file at intervals.

    `fit(..., resume_from=path)` continues from the file. It is also a model file, which
    `wgboost.load` reads. The file is replaced as a whole, so the last checkpoint survives if the
    process dies.

    The first round is always saved. A path that cannot be written to, or a model that cannot be
    saved, thus ends the fit at once. A later save that fails, or one that fails for lack of space,
    is a RuntimeWarning: the fit continues with the last checkpoint in place and tries again when
    the next save is due.

    Parameters
    ----------
    path : str or path
        The file to write.
    every_rounds : int, default=None
        Save after this many rounds. The default is 100 unless `every_seconds` is given.
    every_seconds : float, default=None
        Save when this much time has passed since the last save, or since `fit` was called.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from wgboost import WGBRegressor
    >>> from wgboost.callbacks import Checkpoint
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "checkpoint.wgb"
    ...     model = WGBRegressor(n_estimators=5, evidence=10, random_state=0)
    ...     _ = model.fit(X, X[:, 0], callbacks=[Checkpoint(path, every_rounds=2)])
    ...     path.exists()
    True
    """

    path: Any
    every_rounds: int | None = None
    every_seconds: float | None = None
    order: ClassVar[int] = 1
    """Called after the other callbacks, when it is known whether the fit ends."""
    in_refit: ClassVar[bool] = True
    """Called during a refit on all rows, too."""
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
        """Save if it is time, unless this round is the last: `fit` returns the finished model."""
        now = info["total_seconds"]
        if now < self._saved_at:  # another fit
            self._saved_at = 0.0
        by_rounds = self.every_rounds is not None and info["round"] % self.every_rounds == 0
        elapsed = now - self._saved_at
        by_time = self.every_seconds is not None and elapsed >= self.every_seconds
        first = len(info["rounds"]) == 1
        if (first or by_rounds or by_time) and not info["finished"]:
            self._saved_at = now
            try:
                info["save"](self.path)
            except OSError as error:
                if self._saved_round is None and error.errno not in _TRANSIENT_ERRORS:
                    raise
                self._warn(error, info["round"])
            else:
                self._saved_round, self._failing = info["round"], False

    def _warn(self, error: OSError, round_: int) -> None:
        """Warn of the first of several consecutive saves that fail."""
        if not self._failing:
            saved = self._saved_round
            last_saved = (
                "there is none yet" if saved is None else f"the last one is of round {saved}"
            )
            warnings.warn(
                f"no checkpoint of round {round_}: {error}; {last_saved}. The fit "
                "continues, and the next save is tried when it is due",
                RuntimeWarning,
                stacklevel=2,
            )
        self._failing = True
