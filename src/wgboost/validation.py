"""Checks of what users hand over. Every message names the value and the remedy."""

from __future__ import annotations

import difflib
import inspect
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from wgboost.typing import Array, Directions

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
    """An object that says where to find a method which it does not have.

    `_hints` has the words by the name of the method. The error is an AttributeError, so that
    `hasattr` is false as usual.
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
    """Return ``"; did you mean 'x'?"`` for a likely misspelling, else an empty string.

    `synonyms` has what to say instead to names that a thing has in other libraries.
    """
    name, known = str(name), {one: repr(one) for one in valid} | dict(synonyms or {})
    close = difflib.get_close_matches(name, list(known), n=1)
    if not close:  # "mean" of "particle_mean", "energy_distance" of "energy"
        close = [one for one in known if name in one.split("_") or one in name.split("_")]
    return f"; did you mean {known[close[0]]}?" if len(close) == 1 else ""


def format_value(value: object) -> str:
    """Return how a message shows a value: NumPy's numbers as the numbers they are."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def check_choice(
    name: str, value: object, valid: Iterable[str], synonyms: Mapping[str, str] | None = None
) -> str:
    """Return value if it is one of the valid strings; raise ValueError otherwise.

    See `nearest_name` for `synonyms`.
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
    """Return value as a float in [low, high], and > above if that is given."""
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
    """Return value as an int in [low, high]."""
    bounds = f">= {low}" if high is None else f"between {low} and {high}"
    hint = f"; {hint}" if hint else ""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}={format_value(value)} must be an integer {bounds}{hint}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name}={number} must be {bounds}{hint}")
    return number


def check_levels(name: str, values: Any) -> Array:
    """Return a probability, or a list of them, as an array (), or (k,)."""
    levels = np.asarray(values, dtype=np.float64)
    if levels.ndim > 1 or levels.size == 0 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(
            f"{name}={format_value(values)} must be between 0 and 1: a probability, "
            "or a list of them"
        )
    return levels


def check_threads(n_threads: Any) -> int:
    """Return n_threads if it is a sensible number of threads; -1 and the like are n_jobs."""
    return check_integer("n_threads", n_threads, low=1, high=1024)


def resolve_threads(n_jobs: Any) -> int:
    """Return the number of threads that n_jobs stands for.

    None is as many threads as there are cores, as in scikit-learn's HistGradientBoosting, within
    the limits of `joblib.parallel_config(n_jobs=...)` and OMP_NUM_THREADS; a worker of joblib
    without such a limit has one. -1 is all cores that this process may use, whatever these say, -2
    all but one, and so on.
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
    """Return how many threads to use where nobody says it, so that workers share the cores."""
    backend, configured = get_active_backend()
    if configured is not None:
        return resolve_threads(configured)
    cores = int(joblib.cpu_count())
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if limit.isdigit() and int(limit) > 0:  # joblib's processes have their share of cores here
        return min(cores, int(limit))
    return 1 if getattr(backend, "nesting_level", 0) else cores


def _where(bad: Array) -> str:
    return str(tuple(int(i) for i in np.argwhere(bad)[0]))


def check_targets(name: str, values: Any, n: int) -> Directions:
    """Return values (n, m, d) as contiguous float32; see `check_finite` for what they hold."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise TypeError(f"{name} has dtype {values.dtype}; floating point numbers are needed")
    if values.ndim != 3:
        raise ValueError(
            f"{name} has shape {values.shape}; (rows, particles, parameters) is needed: "
            "reshape(n, 1, K) makes K outputs of one particle"
        )
    if values.shape[0] != n:
        raise ValueError(f"{name} has {values.shape[0]} rows, the features have {n}")
    if min(values.shape) == 0:
        raise ValueError(f"{name} of shape {values.shape} is empty")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def check_curvature(curvature: Any, targets: Directions) -> Directions:
    """Return the curvature of targets as contiguous float32 of the same shape."""
    checked = check_targets("curvature", curvature, targets.shape[0])
    if checked.shape != targets.shape:
        raise ValueError(f"curvature has shape {checked.shape}, the targets {targets.shape}")
    return checked


def check_state(particles: Any, shape: tuple[int, int, int]) -> None:
    """Raise unless particles can be updated in place: float32, contiguous, of this shape."""
    if not isinstance(particles, np.ndarray) or particles.dtype != np.float32:
        raise TypeError(
            f"particles are {getattr(particles, 'dtype', type(particles))}; "
            "a C-contiguous float32 array (n, m, d) is needed"
        )
    if particles.shape != shape:
        raise ValueError(f"particles have shape {particles.shape}; {shape} is needed")
    if not particles.flags.c_contiguous or not particles.flags.writeable:
        raise TypeError("particles must be a C-contiguous float32 array that can be written to")


def check_finite(name: str, values: Array, *, nonnegative: bool = False) -> None:
    """Raise ValueError for the first value that is not finite, or negative if that is wrong."""
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name} is {values[bad][0]} at {_where(bad)}; every value has to be finite in float32"
        )
    if nonnegative and (values < 0).any():
        bad = values < 0
        raise ValueError(f"{name} is {values[bad][0]} at {_where(bad)}; it has to be >= 0")


def check_unmasked(name: str, value: Any) -> None:
    """Raise ValueError for a masked array, or one in a list, of which a value is masked.

    NumPy's other functions take what lies beneath the mask for values.
    """
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if np.ma.is_masked(one):
            row = int(np.argwhere(np.ma.getmaskarray(one))[0, 0])
            raise ValueError(f"{name} is masked at row {row}; drop the row or fill it in")


def check_weight(weight: Any, n: int, *, all_zero: bool = False) -> Array | None:
    """Return weights (n,) as float32, or None. At least one has to be positive, or `all_zero`."""
    if weight is None:
        return None
    check_unmasked("sample_weight", weight)
    weight = np.asarray(weight)
    if weight.dtype.kind not in "fiub":
        raise TypeError(f"sample weights have dtype {weight.dtype}; numbers are needed")
    if weight.shape != (n,):
        raise ValueError(f"sample weights have shape {weight.shape}; ({n},) is needed")
    wide = weight.astype(np.float64)
    if not np.isfinite(wide).all():
        row = int(np.argmin(np.isfinite(wide)))
        raise ValueError(f"sample weight {weight[row]} of row {row} is not finite; drop the row")
    if (wide < 0).any():
        row = int(np.argmax(wide < 0))
        raise ValueError(
            f"sample weight {weight[row]} of row {row} is negative; 0 leaves a row out"
        )
    if not all_zero and not (wide > 0).any():
        raise ValueError("all sample weights are zero; at least one row has to count")
    with np.errstate(over="ignore", under="ignore"):
        narrow: Array = wide.astype(np.float32)
    lost = ~np.isfinite(narrow) | ((narrow == 0) != (wide == 0))
    if lost.any():
        row = int(np.argmax(lost))
        raise ValueError(
            f"sample weight {weight[row]} of row {row} is outside the range of float32; "
            "divide the weights by their mean"
        )
    return narrow


def accepts(function: Callable[..., Any], parameter: str) -> bool:
    """Whether a function can be called with a keyword, as far as its signature tells."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # some builtins do not tell
        return False
    keywords = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return keywords or parameter in parameters


def accepts_sample_weight(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with `sample_weight`, as far as its signature tells."""
    return accepts(function, "sample_weight")
