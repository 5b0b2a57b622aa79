"""Constructors with other defaults."""

from __future__ import annotations

from types import FunctionType
from typing import Any

__all__ = ["with_defaults"]


def with_defaults(init: Any, **defaults: Any) -> Any:
    """Return an `__init__` of the same signature with other defaults."""
    made = FunctionType(init.__code__, init.__globals__, init.__name__, None, init.__closure__)
    made.__kwdefaults__ = {**init.__kwdefaults__, **defaults}
    made.__annotations__, made.__qualname__ = init.__annotations__, init.__qualname__
    return made
