"""The known part of a location: an offset, or the exposure of counts and amounts."""

from __future__ import annotations

from typing import Any

import numpy as np

from wgboost.responses import Response
from wgboost.typing import Array

__all__ = ["known_offset"]


def known_offset(response: Response, offset: Any, exposure: Any, n: int) -> Array | None:
    """Return the offset of n rows that is given as such, or as the log of an exposure."""
    if exposure is None:
        return None if offset is None else response.check_offset(offset, n)
    if offset is not None:
        raise ValueError("give an offset or an exposure: the offset is the log of the exposure")
    if response.offset_link != "log":
        raise ValueError(
            f"the response {response.name!r} takes no exposure, which multiplies the mean of "
            "counts and positive numbers; divide y by it, or give an offset"
        )
    values = np.asarray(exposure, dtype=np.float64)
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        row = int(np.argwhere(~np.atleast_1d(good))[0, 0])
        raise ValueError(
            f"exposure is {np.atleast_1d(values)[row]} at row {row}; it must be finite and > 0"
        )
    return response.check_offset(np.log(values), n)
