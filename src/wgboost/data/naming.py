"""Columns of a frame that are given by name in place of an array: y, weights, exposure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wgboost.data.frames import as_frame
from wgboost.validation import nearest_name

__all__ = ["named_columns", "without_columns"]


def named_columns(X: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """Return X without the columns that are given by name, the columns, and their names.

    Parameters
    ----------
    X : frame or array
        Only a frame has columns to name.
    given : mapping
        Values by parameter: a text is the name of a column of X, all else is kept as it is.

    Returns
    -------
    X, values, names
        X without these columns, the values by parameter, and the names by parameter.

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
            near = nearest_name(name, map(str, frame.columns))
            raise ValueError(f"X has no column {name!r} to take as {parameter}{near}")
        values[parameter] = frame.get_column(name).to_native()
    return frame.drop(*dict.fromkeys(names.values())).to_native(), values, names


def without_columns(frame: Any, names: Iterable[str]) -> Any:
    """Return a narwhals frame without some columns.

    Parameters
    ----------
    frame : narwhals.DataFrame
        The frame.
    names : iterable of str
        Columns to drop; unknown names are ignored.

    Returns
    -------
    narwhals.DataFrame
        The remaining columns.

    Examples
    --------
    >>> import narwhals as nw
    >>> import pandas as pd
    >>> from wgboost.data.naming import without_columns
    >>> frame = nw.from_native(pd.DataFrame({"a": [1], "b": [2]}))
    >>> without_columns(frame, ["b", "c"]).columns
    ['a']
    """
    there = [name for name in dict.fromkeys(names) if name in frame.columns]
    return frame.drop(*there) if there else frame
