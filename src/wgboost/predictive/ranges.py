"""Ranges of quantities, and the scale on which a quantity has no ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from wgboost.responses import Response, Units
from wgboost.typing import Array

__all__ = ["REAL_LINE", "Range", "range_of_parameter"]

_TINY = float(np.finfo(np.float64).tiny)
_FAR, _UNBOUNDED = 1e6, 1e4  # coordinates of parameters, and the natural parameters there


@dataclass(frozen=True)
class Range:
    """An open interval of real numbers, and a function from it to the real line.

    The function is the identity, a log or a logit.

    Parameters
    ----------
    low, high : float
        The ends, which may be infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from wgboost.predictive.ranges import Range
    >>> positive = Range(0.0, np.inf)
    >>> positive.restored(positive.on_line(np.array([2.0])))
    array([2.])
    """

    low: float
    high: float

    def on_line(self, values: Array) -> Array:
        """Return values of the interval as real numbers; its ends become large numbers."""
        low, high = np.isfinite(self.low), np.isfinite(self.high)
        with np.errstate(over="ignore", invalid="ignore"):
            if low and high:
                share = (values - self.low) / (self.high - self.low)
                left = np.maximum((self.high - values) / (self.high - self.low), _TINY)
                line: Array = np.log(np.maximum(share, _TINY)) - np.log(left)
                return line
            if low:
                return np.log(np.maximum(values - self.low, _TINY))
            return -np.log(np.maximum(self.high - values, _TINY)) if high else values

    def restored(self, line: Array) -> Array:
        """Return real numbers as values of the interval."""
        low, high = np.isfinite(self.low), np.isfinite(self.high)
        with np.errstate(over="ignore"):
            if low and high:
                values: Array = self.low + (self.high - self.low) * special.expit(line)
                return values
            if low:
                return self.low + np.exp(line)
            return self.high - np.exp(-line) if high else line


REAL_LINE = Range(-np.inf, np.inf)


def range_of_parameter(response: Response, name: str) -> Range:
    """Return the range of a natural parameter.

    It is found from the parameter at coordinates of theta that are far from zero.

    Parameters
    ----------
    response : Response
        The response.
    name : str
        A key of what its `natural` returns.

    Returns
    -------
    Range

    Examples
    --------
    >>> from wgboost.predictive.ranges import range_of_parameter
    >>> from wgboost.responses import Normal
    >>> range_of_parameter(Normal(), "scale")
    Range(low=0.0, high=inf)
    """
    d = response.n_params
    corners = _FAR * np.concatenate([np.eye(d), np.ones((1, d))])
    far = np.concatenate([np.zeros((1, d)), corners, -corners])
    units: Any = Units()
    with np.errstate(all="ignore"):
        values = np.asarray(response.natural(far, units)[name], dtype=np.float64)
    values = values[~np.isnan(values)]
    if values.size == 0 or values.min() == values.max():  # one number, whatever theta is
        return REAL_LINE
    low, high = float(values.min()), float(values.max())
    # exp of a coordinate is a very small number at its low end, but not always 0.
    low = 0.0 if 0 <= low < 1 / _UNBOUNDED else low
    return Range(low if low > -_UNBOUNDED else -np.inf, high if high < _UNBOUNDED else np.inf)
