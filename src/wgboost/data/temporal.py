"""Columns of dates, times, durations and periods as numbers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from wgboost.typing import Array

__all__ = ["days_of", "days_of_values", "native_dates"]

_DAY = 86_400e6  # microseconds
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def native_dates(series: Any) -> Any:
    """Return a narwhals series of dates as one of type Datetime, or None if it has no dates."""
    kind = series.dtype
    if kind == nw.Datetime:
        return series
    if kind == nw.Date:
        return series.cast(nw.Datetime("us"))
    native = series.to_native()
    if str(getattr(native, "dtype", "")).startswith("period["):
        return nw.from_native(native.dt.to_timestamp(), series_only=True)
    return None


def days_of(series: Any) -> Array | None:
    """Return dates as days since 1970-01-01, durations as days and times as hours, (n,).

    The result is NaN where missing, and None for a series of another type. Periods count from their
    start, and times with a zone in UTC.
    """
    if (dates := native_dates(series)) is not None:
        stamps: Array = dates.dt.timestamp("us").cast(nw.Float64).to_numpy()
        return stamps / _DAY
    if series.dtype == nw.Duration:
        spans: Array = series.dt.total_microseconds().cast(nw.Float64).to_numpy()
        return spans / _DAY
    if series.dtype == nw.Time:
        missing = series.is_null().to_numpy()
        return days_of_values(series.to_list(), missing)
    return None


def days_of_values(values: Sequence[Any], missing: Array) -> Array | None:
    """Return `days_of` for Python dates, times and durations; None for other types."""
    numbers = [
        np.nan if gone else _number(value) for value, gone in zip(values, missing, strict=True)
    ]
    if all(gone for gone in missing) or any(number is None for number in numbers):
        return None
    return np.array(numbers, dtype=np.float64)


def _number(value: Any) -> float | None:
    if isinstance(value, datetime.datetime):
        stamp = value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)
        return (stamp - _EPOCH) / datetime.timedelta(days=1)
    if isinstance(value, datetime.date):
        return float((value - _EPOCH.date()).days)
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(days=1)
    if isinstance(value, datetime.time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
        return seconds / 3600
    return None
