"""From the tables that users hand over to matrices and their columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from wgboost.data import Batches
from wgboost.data.frames import as_dense
from wgboost.data.schema import Schema
from wgboost.data.sources import source_of
from wgboost.data.stored import PreparedMatrix
from wgboost.typing import Array
from wgboost.validation import check_weight

__all__ = ["apply_schema", "learn_schema"]


def learn_schema(
    X: Any, *, categorical_features: Any, weight: Any = None, name: str = "estimator"
) -> tuple[Schema, Array]:
    """Return the columns of X, and X (n, p) as floats.

    NaN and infinities pass, and categories are codes.

    Parameters
    ----------
    X : array, sparse matrix or frame (n, p)
    categorical_features
        As in the estimators.
    weight : array (n,), optional
        Rows of weight zero bring no categories.
    name : str
        The estimator, for messages.
    """
    X = as_dense(X)
    source = source_of(X)
    X = _checked_array(X, name) if source is None else source
    weight = check_weight(weight, X.shape[0])
    return Schema.fit(X, categorical_features=categorical_features, weight=weight)


def apply_schema(
    schema: Schema, X: Any, *, ignored: Iterable[str] = (), name: str = "estimator"
) -> Array:
    """Return X (n, p) as floats; raise unless it has the columns of a schema.

    Parameters
    ----------
    schema : Schema
    X : array, sparse matrix or frame (n, p)
    ignored : iterable of str
        Columns of a frame that are no features.
    name : str
        The estimator, for messages.
    """
    if isinstance(X, PreparedMatrix):
        prepared: Any = X
        return prepared  # type: ignore[no-any-return]
    X = as_dense(X)
    source = source_of(X)
    if source is not None:
        source = source.without(ignored)
        schema.warn_names(source.names, name)
        return schema.apply(source)
    matrix, expected = _checked_array(X, name), len(schema.levels)
    if schema.names is not None:
        warnings.warn(
            f"X does not have valid feature names, but {name} was fitted with feature names",
            UserWarning,
            stacklevel=2,
        )
    if matrix.shape[1] != expected:
        raise ValueError(
            f"X has {matrix.shape[1]} features, but {name} is expecting {expected} features "
            "as input."
        )
    return schema.apply(matrix)


def _checked_array(X: Any, name: str) -> Array:
    """Return what is no frame as an array, after scikit-learn's checks."""
    if isinstance(X, Batches):
        raise TypeError(
            "X is Batches, which fit takes alone; predict batch by batch: for X, y in source: "
            "model.predict_dist(X)"
        )
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}; a table is needed, or, to fit from batches (X, y), "
            "wgboost.Batches of the function that makes them"
        )
    if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M"):
        raise TypeError(
            f"X has dates or times ({X.dtype}); give numbers, such as days since a date, the "
            "month or the weekday"
        )
    if isinstance(X, Mapping) or (
        isinstance(X, (list, tuple)) and any(isinstance(row, Mapping) for row in X)
    ):
        what = "a dict" if isinstance(X, Mapping) else "a list of dicts"
        raise TypeError(f"X is {what}; a frame has names of columns: pandas.DataFrame(X)")
    try:
        matrix: Array = check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite=False, estimator=name,
            input_name="X",
        )  # fmt: skip
    except ValueError as error:
        if "convert string to float" not in str(error):
            raise
        raise ValueError(
            f"X has text in it, {error}; give a frame, or encode it as numbers"
        ) from error
    return matrix
