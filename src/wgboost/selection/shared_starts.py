"""Smooth starts that several models of the same rows share."""

from __future__ import annotations

from typing import Any

from wgboost.boosting.start import GPStart, Start
from wgboost.selection.spec import Member
from wgboost.smooth import SmoothStart
from wgboost.training.continuing import description

__all__ = ["SharedStarts"]

_MANY = 200  # rows from which on folds are alike enough for what was sought in one to suit others


class SharedStarts:
    """Share the smooth starts of fitted models with models that are still to be fitted.

    Models of the same fold with the same `init` and response have the same smooth start. Models of
    other folds, if they have many rows, take over the lengths of its kernel. Where a constant
    predicted as well, further models of the kind start at the flow, as they would anyway.

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> from wgboost.selection import SharedStarts
    >>> SharedStarts().prepare(WGBRegressor(init="smooth"), fold=0) is None
    True
    """

    def __init__(self) -> None:
        self._known: dict[Any, Start] = {}
        self._needless: set[str] = set()

    def prepare(self, member: Member, fold: int) -> Start | None:
        """Return a start to take over for a model, if there is one.

        Parameters
        ----------
        member : WGBRegressor or WGBClassifier
            The model, not fitted yet. Its `init` is set to "flow" where a smooth start did not
            help.
        fold : int
            Index of the fold that it is fitted without.

        Returns
        -------
        Start or None
            The start.
        """
        kind = _kind(member)
        if kind in self._needless:
            member.set_params(init="flow")
            return None
        return self._known.get((kind, fold), self._known.get(kind))

    def learn(self, member: Member, fold: int, n_rows: int) -> None:
        """Keep the start of a fitted model.

        Parameters
        ----------
        member : WGBRegressor or WGBClassifier
            The fitted model.
        fold : int
            Index of the fold that it was fitted without.
        n_rows : int
            Number of its training rows.
        """
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
