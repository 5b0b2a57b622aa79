"""Metadata of rows, as scikit-learn calls it: weights, offset, exposure, a known error of y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator

from wgboost.data.frames import as_frame
from wgboost.data.naming import named_columns, without_columns

__all__ = [
    "METADATA",
    "PREDICT_METADATA",
    "describe_metadata",
    "drop_metadata_columns",
    "metadata_columns",
    "predict_metadata",
    "score_metadata",
    "target_column",
]

METADATA = ("sample_weight", "offset", "exposure", "y_std")
PREDICT_METADATA = ("offset", "exposure")
"""Those that predictive distributions depend on, and that predictions take too."""


def describe_metadata(given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return what `fit` was given for each row, for the attribute `row_parameters_`.

    Parameters
    ----------
    given : mapping of str to Any
        The metadata by name; None means not given.
    names : mapping of str to str
        The columns that were given by name.

    Returns
    -------
    dict of str to str or True
        The name of a column, or True for an array.

    Examples
    --------
    >>> describe_metadata({"exposure": [1.0], "offset": None, "y": [2.0]}, {"exposure": "years"})
    {'exposure': 'years'}
    """
    return {
        parameter: names.get(parameter, True)
        for parameter, value in given.items()
        if value is not None and (parameter != "y" or parameter in names)
    }


def metadata_columns(estimator: BaseEstimator) -> list[str]:
    """Return the columns that `fit` took by name, which are not features.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> metadata_columns(WGBRegressor())
    []
    """
    known = getattr(estimator, "row_parameters_", {})
    return [name for name in known.values() if isinstance(name, str)]


def target_column(estimator: BaseEstimator) -> str | None:
    """Return the column that `fit` took as y by its name.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator.

    Returns
    -------
    str or None
        None if y was an array.

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> target_column(WGBRegressor()) is None
    True
    """
    name = getattr(estimator, "row_parameters_", {}).get("y")
    return name if isinstance(name, str) else None


def predict_metadata(estimator: BaseEstimator, X: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the offset and exposure of rows whose y is known.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator.
    X : array-like or data frame of shape (n, p)
        The rows.
    given : mapping of str to Any
        Values or names of columns. By default they are the columns that `fit` took by name.

    Returns
    -------
    dict of str to Any

    Raises
    ------
    ValueError
        If the model was fitted with one of them and there is none for these rows. Their y is then
        on another scale than the predictions.

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> predict_metadata(WGBRegressor(), [[0.0]], {"exposure": [2.0]})
    {'offset': None, 'exposure': [2.0]}
    """
    found = {name: given.get(name) for name in PREDICT_METADATA}
    if any(value is not None for value in found.values()):
        return found
    known = getattr(estimator, "row_parameters_", {})
    for name in PREDICT_METADATA:
        column = known.get(name)
        if column is None:
            continue
        frame = as_frame(X) if isinstance(column, str) else None
        if frame is None or column not in frame.columns:
            neutral = 1 if name == "exposure" else 0
            raise ValueError(
                f"the model was fitted with {name}, and y cannot be compared with predictions "
                f"without it: give {name}=..., or {name}={neutral} for none. In cross-validation "
                "and searches, sklearn.set_config(enable_metadata_routing=True) hands "
                f"params={{{name!r}: ...}} to scorers too; or name a column of a data frame, "
                f"params={{{name!r}: 'column'}}"
            )
        found[name] = column
    return found


def score_metadata(
    estimator: BaseEstimator, X: Any, y: Any, **given: Any
) -> tuple[Any, Any, dict[str, Any]]:
    """Return X, y and the metadata of rows on which an estimator is scored.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator, the last step of a pipeline.
    X : array-like or data frame of shape (n, p)
        Rows as the estimator takes them.
    y : array-like of shape (n,) or str
        The observations, or the name of a column.
    **given : Any
        Values of `METADATA`, names of columns, or None. Offset and exposure are by default the
        columns that `fit` took by name; see `predict_metadata`.

    Returns
    -------
    X : array or data frame
        The rows without columns that are not features.
    y : array-like of shape (n,)
        The observations.
    metadata : dict of str to Any
        The other values by name.

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> X, y, metadata = score_metadata(WGBRegressor(), [[0.0]], [1.0], sample_weight=[2.0])
    >>> metadata["sample_weight"]
    [2.0]
    """
    given |= predict_metadata(estimator, X, given)
    X, values, _ = named_columns(X, {"y": y, **given})
    return drop_metadata_columns(estimator, X), values.pop("y"), values


def drop_metadata_columns(estimator: BaseEstimator, X: Any) -> Any:
    """Return X without the columns that `fit` took by name.

    Parameters
    ----------
    estimator : BaseEstimator
        A fitted estimator.
    X : array-like or data frame of shape (n, p)
        The rows.

    Returns
    -------
    array or data frame

    Examples
    --------
    >>> from wgboost import WGBRegressor
    >>> drop_metadata_columns(WGBRegressor(), [[0.0]])
    [[0.0]]
    """
    names = metadata_columns(estimator)
    frame = as_frame(X) if names else None
    return X if frame is None else without_columns(frame, names).to_native()
