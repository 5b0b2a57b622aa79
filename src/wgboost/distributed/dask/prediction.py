"""Prediction methods that take Dask collections as well as rows in memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from wgboost.distributed.dask.distributions import Distributions, map_lazily
from wgboost.distributed.dask.library import is_collection
from wgboost.estimators.base import BaseModel
from wgboost.typing import Array

__all__ = ["lazy_for_collections", "matrix_in_memory", "predict_dist"]

_OF_COLLECTIONS = (
    "predict", "predict_dist", "predict_proba", "predict_quantiles", "predict_interval",
    "predict_band", "ood_score", "ood_pvalue",
)  # fmt: skip
"""Names of the methods that take Dask collections."""


def _with_note(documentation: str | None, kind: str) -> str:
    """Return the documentation of a method with the kind of its result for Dask collections."""
    summary, *rest = inspect.cleandoc(documentation or "").split("\n", 1)
    note = f"For a Dask array or frame the result is lazy: {kind}."
    return "\n".join([summary, "", note, *rest])


def _no_columns(_: Any, __: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape () of one number per row."""
    return ()


def lazy_for_collections(
    method: Callable[..., Any],
    columns: Callable[[Any, dict[str, Any]], tuple[int, ...]] = _no_columns,
    dtype: Callable[[Any], Any] = lambda _: np.float64,
) -> Any:
    """Return a method that calls another one for each partition of a Dask collection.

    The new method has the signature and the documentation of the given one. Rows in memory are
    passed on to it.

    Parameters
    ----------
    method : function
        A method of an estimator with X as its first argument.
    columns : callable
        Returns the shape of the result for one row, from the estimator and the other arguments by
        name.
    dtype : callable
        Returns the type of the result, from the estimator.

    Returns
    -------
    method : function
        The method for rows in memory and for Dask collections.
    """
    name, signature = method.__name__, inspect.signature(method)

    @wraps(method)
    def predict(self: BaseModel, X: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_collection(X):
            return method(self, X, *args, **kwargs)
        call = signature.bind(self, X, *args, **kwargs)
        call.apply_defaults()
        given = dict(list(call.arguments.items())[2:])
        _check_no_row_values({key: value for key, value in given.items() if key != "alpha"})
        return map_lazily(
            lambda model, part: getattr(model, name)(part, **given), self, X, columns(self, given),
            np.dtype(dtype(self)),
        )  # fmt: skip

    predict.__doc__ = _with_note(method.__doc__, "a Dask array, series or frame")
    return predict


@wraps(BaseModel.predict_dist)
def predict_dist(self: BaseModel, X: Any, **kwargs: Any) -> Any:
    """Return the predictive distribution of each row, lazily for a Dask collection."""
    if not is_collection(X):
        return BaseModel.predict_dist(self, X, **kwargs)
    _check_no_row_values(kwargs)
    return Distributions(lambda model, part: model.predict_dist(part, **kwargs), self, X)


predict_dist.__doc__ = _with_note(BaseModel.predict_dist.__doc__, "`wgboost.dask.Distributions`")


def matrix_in_memory(self: BaseModel, X: Any) -> Array:
    """Return rows in memory as a matrix; raise TypeError for a Dask collection."""
    if is_collection(X):
        *able, last = (name for name in _OF_COLLECTIONS if hasattr(self, name))
        raise TypeError(
            f"X is a Dask {type(X).__name__}, and this takes rows in memory: X.compute(), or "
            f"partition by partition with X.map_partitions or X.map_blocks; {', '.join(able)} and "
            f"{last} take it"
        )
    return BaseModel._matrix(self, X)


def _check_no_row_values(kwargs: dict[str, Any]) -> None:
    """Raise TypeError if an argument has a value for each row, since rows are in partitions."""
    for name, value in kwargs.items():
        if np.ndim(value) or is_collection(value):
            raise TypeError(
                f"{name} has a value for each row, and X is in partitions: predict partition by "
                f"partition, X.map_partitions or X.map_blocks, or give a number for {name}"
            )
