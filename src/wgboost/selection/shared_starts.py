"""What recipes of the same rows need to seek only once: their smooth start."""

from __future__ import annotations

from typing import Any

from wgboost.boosting import GPStart, Start
from wgboost.selection.spec import Member
from wgboost.smooth import SmoothStart
from wgboost.training.continuing import description

__all__ = ["SharedStarts"]

_MANY = 200  # rows from which on folds are alike enough for what was sought in one to suit others


class SharedStarts:
    """Starts of models that were fitted, for those that are still to be.

    Of the same fold, models with the same `init` and response have the same smooth start. Of other
    folds, if they have many rows, the lengths of its kernel are taken over. Where a constant
    predicted as well, further models of the kind start at the flow, as they would in the end.
    """

    def __init__(self) -> None:
        self._known: dict[Any, Start] = {}
        self._needless: set[str] = set()

    def prepare(self, member: Member, fold: int) -> Start | None:
        """Return a start that is like that of a model, if there is one."""
        kind = _kind(member)
        if kind in self._needless:
            member.set_params(init="flow")
            return None
        return self._known.get((kind, fold), self._known.get(kind))

    def learn(self, member: Member, fold: int, n_rows: int) -> None:
        """Keep the start of a fitted model."""
        kind, start = _kind(member), member.model_.start
        if not _is_smooth(member.init):
            return
        if not isinstance(start, GPStart):
            self._needless.add(kind)
            return
        self._known.setdefault((kind, fold), start)
        if n_rows >= _MANY:
            self._known.setdefault(kind, start)


def _is_smooth(init: Any) -> bool:
    return isinstance(init, SmoothStart) or (isinstance(init, str) and init == "smooth")


def _kind(member: Member) -> str:
    """Return what starts have to have in common: the same `init`, of the same response."""
    return f"{description(member.init)} of {member.response!r}"
