"""Keyword arguments of functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["accepts", "accepts_sample_weight"]


def accepts(function: Callable[..., Any], parameter: str) -> bool:
    """Return whether a function accepts a keyword argument.

    Parameters
    ----------
    function : callable
        The function.
    parameter : str
        Name of the argument.

    Returns
    -------
    bool
        False if the signature is unknown.

    Examples
    --------
    >>> from wgboost.validation import accepts
    >>> accepts(lambda x: x, "x")
    True
    """
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # some builtins have no signature
        return False
    keywords = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return keywords or parameter in parameters


def accepts_sample_weight(function: Callable[..., Any]) -> bool:
    """Return whether a function accepts `sample_weight`.

    Parameters
    ----------
    function : callable
        The function.

    Returns
    -------
    bool
        False if the signature is unknown.

    Examples
    --------
    >>> from wgboost.validation import accepts_sample_weight
    >>> accepts_sample_weight(lambda y, sample_weight: y)
    True
    """
    return accepts(function, "sample_weight")
