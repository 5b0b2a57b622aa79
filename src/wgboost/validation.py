"""Checks of parameters. Messages name the value and the remedy."""

from __future__ import annotations

import difflib
import math
import numbers
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from wgboost.array_validation import (
    check_curvature,
    check_finite,
    check_state,
    check_targets,
    check_unmasked,
    check_weight,
)
from wgboost.signatures import accepts, accepts_sample_weight
from wgboost.typing import Array

__all__ = [
    "AttributeHints",
    "accepts",
    "accepts_sample_weight",
    "check_choice",
    "check_curvature",
    "check_finite",
    "check_integer",
    "check_levels",
    "check_number",
    "check_state",
    "check_targets",
    "check_threads",
    "check_unmasked",
    "check_weight",
    "format_value",
    "nearest_name",
    "resolve_threads",
]


class AttributeHints:
    """Say where to find a method that the object does not have.

    `_hints` has the text by the name of the method. The error is an AttributeError, so that
    `hasattr` is False.

    Examples
    --------
    >>> from wgboost.validation import AttributeHints
    >>> class Model(AttributeHints):
    ...     _hints = {"predict_proba": "WGBClassifier has it"}
    >>> hasattr(Model(), "predict_proba")
    False
    """

    _hints: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # which would take every attribute for one that is there

        def __getattr__(self, name: str) -> Any:
            hint = type(self)._hints.get(name)
            if hint is None:
                return object.__getattribute__(self, name)  # raises as usual
            message = f"{type(self).__name__} has no {name}; {hint}"
            raise AttributeError(message, name=name, obj=self)


def nearest_name(name: str, valid: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str:
    """Return a suggestion for a misspelled name.

    Parameters
    ----------
    name : str
        Given name.
    valid : iterable of str
        Valid names.
    synonyms : mapping, optional
        Suggestions for names that are used in other libraries.

    Returns
    -------
    str
        ``"; did you mean 'x'?"``, or an empty string.

    Examples
    --------
    >>> from wgboost.validation import nearest_name
    >>> nearest_name("nromal", ["normal", "gamma"])
    "; did you mean 'normal'?"
    """
    name, known = str(name), {one: repr(one) for one in valid} | dict(synonyms or {})
    close = difflib.get_close_matches(name, list(known), n=1)
    if not close:  # "mean" of "particle_mean", "energy_distance" of "energy"
        close = [one for one in known if name in one.split("_") or one in name.split("_")]
    return f"; did you mean {known[close[0]]}?" if len(close) == 1 else ""


def format_value(value: object) -> str:
    """Format a value for a message.

    Parameters
    ----------
    value : object
        Any value; a NumPy number is shown as a plain number.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.validation import format_value
    >>> format_value(np.float64(0.5))
    '0.5'
    """
    return repr(value.item() if isinstance(value, np.generic) else value)


def check_choice(
    name: str, value: object, valid: Iterable[str], synonyms: Mapping[str, str] | None = None
) -> str:
    """Return a value that is one of the valid strings.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        Given value.
    valid : iterable of str
        Valid strings.
    synonyms : mapping, optional
        Suggestions for names that are used in other libraries.

    Returns
    -------
    str
        The value.

    Raises
    ------
    ValueError
        If it is none of them.

    Examples
    --------
    >>> from wgboost.validation import check_choice
    >>> check_choice("growth", "best_first", ["depth_wise", "best_first"])
    'best_first'
    """
    valid = list(valid)
    if isinstance(value, str) and value in valid:
        return value
    options = ", ".join(repr(v) for v in valid)
    close = nearest_name(str(value), valid, synonyms)
    raise ValueError(f"{name}={format_value(value)} must be one of {options}{close}")


def check_number(
    name: str, value: Any, *, low: float = -math.inf, above: float | None = None,
    high: float = math.inf,
) -> float:  # fmt: skip
    """Return a value as a float within bounds.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        Given value.
    low : float, default=-inf
        Smallest valid number.
    above : float, optional
        Number that the value has to exceed.
    high : float, default=inf
        Largest valid number.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> from wgboost.validation import check_number
    >>> check_number("l2", 1, low=0)
    1.0
    """
    bounds = f"> {above:g}" if above is not None else f">= {low:g}" if low > -math.inf else "finite"
    if high < math.inf:
        bounds += f" and <= {high:g}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}={format_value(value)} must be a number {bounds}")
    number = float(value)
    too_low = number < low or (above is not None and number <= above)
    if number == math.inf and high == math.inf and bounds != "finite":
        bounds += " and finite"
    if not math.isfinite(number) or too_low or number > high:
        raise ValueError(f"{name}={format_value(value)} must be {bounds}")
    return number


def check_integer(
    name: str, value: Any, *, low: int, high: int | None = None, hint: str = ""
) -> int:
    """Return a value as an int within bounds.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        Given value.
    low : int
        Smallest valid number.
    high : int, optional
        Largest valid number.
    hint : str, default=""
        Added to the message.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> from wgboost.validation import check_integer
    >>> check_integer("max_depth", 3, low=1)
    3
    """
    bounds = f">= {low}" if high is None else f"between {low} and {high}"
    hint = f"; {hint}" if hint else ""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}={format_value(value)} must be an integer {bounds}{hint}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name}={number} must be {bounds}{hint}")
    return number


def check_levels(name: str, values: Any) -> Array:
    """Return probabilities as an array.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    values : float or array_like of shape (k,)
        Probabilities.

    Returns
    -------
    array of shape () or (k,)
        The probabilities.

    Raises
    ------
    ValueError
        If one is outside [0, 1].

    Examples
    --------
    >>> from wgboost.validation import check_levels
    >>> check_levels("q", [0.1, 0.9])
    array([0.1, 0.9])
    """
    levels = np.asarray(values, dtype=np.float64)
    if levels.ndim > 1 or levels.size == 0 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(
            f"{name}={format_value(values)} must be between 0 and 1: a probability, "
            "or a list of them"
        )
    return levels


def check_threads(n_threads: Any) -> int:
    """Return a number of threads between 1 and 1024.

    Parameters
    ----------
    n_threads : int
        Given number; `resolve_threads` handles -1.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ValueError
        If the value is out of range.
    TypeError
        If it has the wrong type.

    Examples
    --------
    >>> from wgboost.validation import check_threads
    >>> check_threads(2)
    2
    """
    return check_integer("n_threads", n_threads, low=1, high=1024)


def resolve_threads(n_jobs: Any) -> int:
    """Return the number of threads that n_jobs stands for.

    Parameters
    ----------
    n_jobs : int or None
        None is the number of cores, as in HistGradientBoosting of scikit-learn, within the limits
        of `joblib.parallel_config(n_jobs=...)` and OMP_NUM_THREADS; a worker of joblib without such
        a limit has one. -1 is all cores of this process, -2 all but one, and so on.

    Returns
    -------
    int
        Number of threads.

    Raises
    ------
    ValueError
        If n_jobs is 0.
    TypeError
        If it is not an integer.

    Examples
    --------
    >>> from wgboost.validation import resolve_threads
    >>> resolve_threads(2)
    2
    """
    if n_jobs is None:
        return _usual_threads()
    if isinstance(n_jobs, (bool, np.bool_)) or not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs={format_value(n_jobs)} must be an integer; -1 uses all cores")
    number = int(n_jobs)
    if number == 0:
        raise ValueError("n_jobs=0 uses no thread at all; give 1 or more, or -1 for all cores")
    if number > 0:
        return number
    return max(1, int(joblib.cpu_count()) + 1 + number)


def _usual_threads() -> int:
    """Return the default number of threads, so that workers share the cores."""
    backend, configured = get_active_backend()
    if configured is not None:
        return resolve_threads(configured)
    cores = int(joblib.cpu_count())
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if limit.isdigit() and int(limit) > 0:  # joblib sets it in its processes
        return min(cores, int(limit))
    return 1 if getattr(backend, "nesting_level", 0) else cores
