"""Documentation of estimators that have the parameters of others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

__all__ = ["document_parameters_of"]

_T = TypeVar("_T", bound=type)


def document_parameters_of(base: type) -> Callable[[_T], _T]:
    r"""Return a decorator that documents the parameters of a class as those of another class.

    Parameters
    ----------
    base : type
        The class with the documentation, up to its examples.

    Returns
    -------
    decorate : callable
        Inserts the sections before the examples of a class.

    Examples
    --------
    >>> class Base:
    ...     __doc__ = "Do it.\n\nParameters\n----------\nsize : int"
    >>> @document_parameters_of(Base)
    ... class Other:
    ...     '''Do it elsewhere.'''
    >>> "size : int" in Other.__doc__
    True
    """
    known = inspect.cleandoc(base.__doc__ or "")
    match = re.search(r"^Parameters\n-+\n.*?(?=^Examples\n-+$|\Z)", known, re.M | re.S)
    sections = match[0].strip() if match else ""

    def decorate(kind: _T) -> _T:
        own = inspect.cleandoc(kind.__doc__ or "")
        head, marker, examples = own.partition("Examples\n--------")
        kind.__doc__ = f"{head.rstrip()}\n\n{sections}"
        if marker:
            kind.__doc__ += f"\n\n{marker}{examples}"
        return kind

    return decorate
