"""Smooth starts that several models of the same rows share."""

from __future__ import annotations

from typing import Any

from wgboost.boosting.start import GPStart, Start
from wgboost.selection.spec import Member
from wgboost.smooth import SmoothStart
from wgboost.training.continuing import description

__all__ = ["SharedStarts"]

_MIN_ROWS = 200  # from which on the lengths found in one fold suit the other folds


class SharedStarts:
    """Smooth starts of fitted models, for models that are still to be fitted.

    Models of the same fold with the same `init` and response have the same smooth start. Models of
    other folds, if they have many rows, take over the lengths of its kernel. Where a constant
    predicted as well, further models of the kind start at the flow, as they would anyway.
    """

    def __init__(self) -> None:
        self._known: dict[Any, Start] = {}
        self._needless: set[str] = set()

    def prepare(self, member: Member, fold: int) -> Start | None:
        """Return a start for a model of a fold that is not fitted yet, or None.

        The `init` of the model is set to "flow" where a smooth start did not help.
        """
        kind = _kind(member)
        if kind in self._needless:
            member.set_params(init="flow")
            return None
        return self._known.get((kind, fold), self._known.get(kind))

    def learn(self, member: Member, fold: int, n_rows: int) -> None:
        """Keep the start of a model that was fitted to `n_rows` rows without a fold."""
        kind, start = _kind(member), member.model_.start
        if not _is_smooth(member.init):
            return
        if not isinstance(start, GPStart):
            self._needless.add(kind)
            return
        self._known.setdefault((kind, fold), start)
        if n_rows >= _MIN_ROWS:
            self._known.setdefault(kind, start)


def _is_smooth(init: Any) -> bool:
    """Return whether `init` is a smooth start."""
    return isinstance(init, SmoothStart) or (isinstance(init, str) and init == "smooth")


def _kind(member: Member) -> str:
    """Return a text that models with the same start have in common: `init` and response."""
    return f"{description(member.init)} of {member.response!r}"
