"""Known offsets of the location, also as an exposure of counts and amounts."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.responses.base import Response
from wgboost.typing import Array

__all__ = ["known_offset", "numbers_by_row"]


def numbers_by_row(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Return a number, or one for each row, as an array; raise for other shapes or types."""
    try:
        values: Array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} has values that are not numbers: {error}") from error
    if values.shape not in ((), shape):
        raise ValueError(f"{name} has shape {values.shape}; a number or {shape} is needed")
    return values


def known_offset(response: Response, offset: Any, exposure: Any, n: int) -> Array | None:
    """Return the offset of n rows, which may be given as an exposure, its exponential."""
    if exposure is None:
        if offset is None:
            return None
        return response.check_offset(numbers_by_row("offset", offset, (n, *response.y_shape)), n)
    if offset is not None:
        raise ValueError("give an offset or an exposure: the offset is the log of the exposure")
    if response.offset_link != "log":
        raise ValueError(
            f"the response {response.name!r} takes no exposure, which multiplies the mean of "
            "counts and positive numbers; divide y by it, or give an offset"
        )
    values = numbers_by_row("exposure", exposure, (n,))
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        row = int(np.argwhere(~np.atleast_1d(good))[0, 0])
        raise ValueError(
            f"exposure is {np.atleast_1d(values)[row]} at row {row}; it must be finite and > 0"
        )
    return response.check_offset(np.log(values), n)
