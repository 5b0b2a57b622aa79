"""Metadata of rows in the sense of scikit-learn: weights, offset, exposure and error of y."""

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
"""Metadata that predictive distributions depend on."""


def describe_metadata(given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata given to `fit`, for `row_parameters_`: a name of a column, or True."""
    return {
        parameter: names.get(parameter, True)
        for parameter, value in given.items()
        if value is not None and (parameter != "y" or parameter in names)
    }


def metadata_columns(estimator: BaseEstimator) -> list[str]:
    """Return the columns that `fit` took by name, which are not features."""
    known = getattr(estimator, "row_parameters_", {})
    return [name for name in known.values() if isinstance(name, str)]


def target_column(estimator: BaseEstimator) -> str | None:
    """Return the column that `fit` took as y by its name, or None."""
    name = getattr(estimator, "row_parameters_", {}).get("y")
    return name if isinstance(name, str) else None


def predict_metadata(estimator: BaseEstimator, X: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the offset and exposure of rows whose y is known.

    They are given as values or names of columns. The default are the columns that `fit` took by
    name. If the model was fitted with one of them and there is none for these rows, their y is on
    another scale than the predictions, which raises ValueError.
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

    Each of `METADATA` is given as values, the name of a column, or None; see `predict_metadata`.
    X is returned without columns that are not features.
    """
    given |= predict_metadata(estimator, X, given)
    X, values, _ = named_columns(X, {"y": y, **given})
    return drop_metadata_columns(estimator, X), values.pop("y"), values


def drop_metadata_columns(estimator: BaseEstimator, X: Any) -> Any:
    """Return X without the columns that `fit` took by name."""
    names = metadata_columns(estimator)
    frame = as_frame(X) if names else None
    return X if frame is None else without_columns(frame, names).to_native()
