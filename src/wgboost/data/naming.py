"""Columns of a frame that are given by name, such as y, weights or exposure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wgboost.data.frames import as_frame
from wgboost.validation import nearest_name

__all__ = ["named_columns", "without_columns"]


def named_columns(X: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Take columns that are given by name out of X.

    Parameters
    ----------
    X : frame or array
        Features. If a column is named, X has to be a frame.
    given : mapping
        Values by parameter. A string is the name of a column of X; other values are kept.

    Returns
    -------
    X : frame or array
        X without these columns.
    values : dict
        Values by parameter.
    names : dict
        Names of columns by parameter.

    Examples
    --------
    >>> import pandas as pd
    >>> df = pd.DataFrame({"age": [30, 40], "price": [1.0, 2.0]})
    >>> X, values, names = named_columns(df, {"y": "price", "sample_weight": None})
    >>> list(X.columns), names
    (['age'], {'y': 'price'})
    """
    names = {parameter: value for parameter, value in given.items() if isinstance(value, str)}
    if not names:
        return X, dict(given), {}
    frame = as_frame(X)
    values = dict(given)
    for parameter, name in names.items():
        if frame is None:
            raise TypeError(
                f"{parameter}={name!r} names a column; X has to be a frame then, not {type(X)}"
            )
        if name not in frame.columns:
            suggestion = nearest_name(name, map(str, frame.columns))
            raise ValueError(f"X has no column {name!r} to take as {parameter}{suggestion}")
        values[parameter] = frame.get_column(name).to_native()
    return frame.drop(*dict.fromkeys(names.values())).to_native(), values, names


def without_columns(frame: Any, names: Iterable[str]) -> Any:
    """Return a narwhals frame without some columns; unknown names are ignored."""
    there = [name for name in dict.fromkeys(names) if name in frame.columns]
    return frame.drop(*there) if there else frame
