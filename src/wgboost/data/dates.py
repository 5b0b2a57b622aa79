"""Calendar features of dates, such as month and weekday."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wgboost.data.frames import as_frame
from wgboost.data.temporal import native_dates
from wgboost.validation import check_choice, nearest_name

__all__ = ["CALENDAR", "calendar_features"]

CALENDAR = ("year", "month", "day", "weekday", "day_of_year", "hour")
_METHODS = {"day_of_year": "ordinal_day"}


def calendar_features(
    X: Any, columns: Sequence[str] | None = None, *,
    parts: Sequence[str] = ("year", "month", "weekday", "day_of_year"), keep: bool = True,
) -> Any:  # fmt: skip
    """Add calendar features of dates to a frame.

    Models convert a date to the number of days since 1970, which describes a trend. Calendar
    features describe what repeats by month or weekday.

    Parameters
    ----------
    X : frame of pandas, polars or Arrow
        The features.
    columns : list of str, optional
        Columns of dates; all of them by default.
    parts : list of str, default=("year", "month", "weekday", "day_of_year")
        Features to add: "year", "month", "day", "weekday" (1 is Monday), "day_of_year" and "hour".
    keep : bool, default=True
        Whether to keep the columns of dates.

    Returns
    -------
    frame
        A frame of the same library, with columns such as "sold_month".

    Raises
    ------
    TypeError
        If X is not a frame, or a column has no dates.
    ValueError
        If a column or a feature is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> from wgboost import calendar_features
    >>> table = pd.DataFrame({"sold": pd.to_datetime(["2024-02-29", "2024-12-24"])})
    >>> calendar_features(table, parts=["month", "weekday"], keep=False)
       sold_month  sold_weekday
    0           2             4
    1          12             2
    """
    frame = as_frame(X)
    if frame is None:
        raise TypeError(f"X is a {type(X).__name__}; a frame has columns of dates")
    for part in parts:
        check_choice("parts", part, CALENDAR)
    wanted = frame.columns if columns is None else list(columns)
    for name in wanted:
        if name not in frame.columns:
            suggestion = nearest_name(name, map(str, frame.columns))
            raise ValueError(f"columns has {name!r}, which is no column of X{suggestion}")
    dates = {name: native_dates(frame[name]) for name in wanted}
    lacking = [name for name, one in dates.items() if one is None]
    if columns is not None and lacking:
        raise TypeError(f"column {lacking[0]!r} of type {frame[lacking[0]].dtype} has no dates")
    added = [
        getattr(series.dt, _METHODS.get(part, part))().alias(f"{name}_{part}")
        for name, series in dates.items()
        if series is not None
        for part in parts
    ]
    if not added:
        return X
    result = frame.with_columns(*added)
    if not keep:
        result = result.drop(*(name for name, series in dates.items() if series is not None))
    return result.to_native()
