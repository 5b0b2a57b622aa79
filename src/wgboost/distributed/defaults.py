"""Constructors with other defaults."""

from __future__ import annotations

from types import FunctionType
from typing import Any

__all__ = ["with_defaults"]


def with_defaults(init: Any, **defaults: Any) -> Any:
    """Return an `__init__` with the same parameters and other defaults.

    Parameters
    ----------
    init : function
        The constructor of a class, with keyword-only parameters.
    **defaults
        New defaults by parameter.

    Returns
    -------
    init : function
        A copy with these defaults.

    Examples
    --------
    >>> def init(self, *, engine="native"):
    ...     return engine
    >>> with_defaults(init, engine="xgboost")(None)
    'xgboost'
    """
    copy = FunctionType(init.__code__, init.__globals__, init.__name__, None, init.__closure__)
    copy.__kwdefaults__ = {**init.__kwdefaults__, **defaults}
    copy.__annotations__, copy.__qualname__ = init.__annotations__, init.__qualname__
    return copy
